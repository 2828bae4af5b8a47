#include "inference/alternatives.h"

#include <set>

#include "catch.h"
#include "inference/translation_choice.h"
#include "tiny_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

/// An untrained model over a few words, as a translator and with three alternatives.
struct AlternativesSetting {
  explicit AlternativesSetting(const TranslatorOptions& options = {})
      : tokenizers(word_tokenizer()),
        model(tiny_model(tiny_config(), tokenizers.target().size())),
        translator(model, tokenizers, config(), options),
        alternatives({{model}}, tokenizers, config(), options, 3) {}

  static DecodingConfig config() {
    DecodingConfig made;
    made.beam_size = 2;
    made.max_extra_tokens = 8;
    return made;
  }

  Tokenizers tokenizers;
  Transformer model;
  Translator translator;
  AlternativesTranslator alternatives;
};

}  // namespace

TEST_CASE("alternatives are the likeliest pieces after a prefix, each with the translation that continues it best") {
  const AlternativesSetting setting;
  std::vector<TranslationRequest> lines = requests_of({"the cat", "", "on the mat", "the cat"});
  lines[3].prefix = setting.tokenizers.target().encode("ein Hund");
  const auto found = setting.alternatives.translate(lines);
  REQUIRE(found.size() == lines.size());
  CHECK(found[1].best().text.empty());
  for (const size_t i : {0, 2, 3}) {
    INFO("line " << i);
    const auto& alternatives = found[i].translations;
    REQUIRE(alternatives.size() == 3);
    const size_t place = lines[i].prefix.size();
    std::set<TokenId> next_pieces;
    for (size_t k = 0; k < alternatives.size(); ++k) {
      const auto& tokens = alternatives[k].tokens;
      REQUIRE(tokens.size() > place);
      CHECK(std::equal(lines[i].prefix.begin(), lines[i].prefix.end(), tokens.begin()));
      next_pieces.insert(tokens[place]);
      if (k > 0) {
        CHECK(alternatives[k].token_log_probs[place] <= alternatives[k - 1].token_log_probs[place]);
      }
      if (tokens[place] == setting.tokenizers.target().special_tokens().end) continue;
      TranslationRequest same = lines[i];
      same.prefix.push_back(tokens[place]);
      const auto continued = setting.translator.translate({same}).front().best();
      CHECK(tokens == continued.tokens);
      CHECK(alternatives[k].log_prob == Approx(continued.log_prob).epsilon(1e-5));
    }
    CHECK(next_pieces.size() == 3);
  }
  // No other piece is likelier than these: greedy search takes the first.
  DecodingConfig greedy = AlternativesSetting::config();
  greedy.beam_size = 1;
  const Translator first(setting.model, setting.tokenizers, greedy, {});
  CHECK(first.translate({lines[0]}).front().best().tokens.front() == found[0].best().tokens.front());
}

TEST_CASE("alternatives need a search") {
  TranslatorOptions options;
  options.sampling.emplace();
  CHECK_THROWS_WITH(check_choice({.alternatives = 3}, options), Catch::Contains("'alternatives' needs a search"));
}

}  // namespace transformer
