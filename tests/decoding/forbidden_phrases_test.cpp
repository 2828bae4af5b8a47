#include "decoding/forbidden_phrases.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "catch.h"
#include "formula_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

using Tokens = std::vector<TokenId>;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// A text without spaces at its beginning and with one for each run of them.
std::string without_runs_of_spaces(const std::string& text) {
  std::string single;
  for (const char c : text) {
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  }
  return single;
}

/// Whether a text, of ASCII characters, has the phrase, by looking at each place.
bool has_phrase(const std::string& text, std::string phrase) {
  const bool begins_anywhere = phrase.front() == '*', ends_anywhere = phrase.back() == '*';
  std::erase(phrase, '*');
  for (size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at + 1)) {
    const size_t end = at + phrase.size();
    const bool begins_word = at == 0 || !is_letter(text[at - 1]) || !is_letter(phrase.front());
    const bool ends_word = end == text.size() || !is_letter(text[end]) || !is_letter(phrase.back());
    if ((begins_anywhere || begins_word) && (ends_anywhere || ends_word)) return true;
  }
  return false;
}

/// A model over the tokenizer's pieces, and the outputs that it may have.
struct PhraseSetting {
  explicit PhraseSetting(std::vector<std::string> forbidden) : phrases(std::move(forbidden)) {}

  FormulaModel::Formula formula() const {
    return [vocabulary = tokenizer.size()](int64_t sentence, const Tokens& prefix) {
      return formula_log_probs(sentence, prefix, vocabulary, /*end_malus=*/1);
    };
  }

  /// Whether the output has no phrase, at any time of its generation.
  bool is_permitted(const Tokens& tokens) const {
    std::string text;
    for (const TokenId token : tokens) {
      text += tokenizer.text_of(token);
      for (const std::string& phrase : phrases) {
        if (has_phrase(without_runs_of_spaces(text), phrase)) return false;
      }
    }
    return true;
  }

  /// The best of all permitted outputs of at most `max_length` tokens, by trying each.
  Hypothesis best_of_all(int64_t sentence, int64_t max_length) const {
    Hypothesis best;
    const auto rank = [&](const Hypothesis& one) {
      return is_permitted(one.tokens) ? std::optional(one.log_prob) : std::nullopt;
    };
    try_all(formula(), sentence, tokenizer.size(), max_length, rank, best);
    return best;
  }

  Hypothesis search(int64_t sentence, int64_t max_length, int64_t beam_size) const {
    FormulaModel model({sentence}, formula());
    auto requests = requests_with({max_length}, {std::make_shared<BannedTokens>(Tokens{kSymbols.unknown}),
                                                 std::make_shared<ForbiddenPhrases>(phrases, tokenizer)});
    return search_all(model, requests, {.beam_size = beam_size, .penalty = {LengthPenaltyForm::none, 0}})
        .front()
        .front();
  }

  // Its pieces are those of some texts in more than one way.
  const Tokenizer tokenizer = tokenizer_of("ab ab aab b. ab. (ab) ba ba\n", /*size=*/13);
  std::vector<std::string> phrases;
};

}  // namespace

TEST_CASE("a search with forbidden phrases finds the best of all outputs that never had one, in whatever pieces") {
  static constexpr int64_t kMaxLength = 4;
  const PhraseSetting setting(GENERATE(values<std::vector<std::string>>(
      {{"ab"}, {"a", "b"}, {"ab b"}, {"ab*"}, {"*b"}, {"*a*"}, {"."}, {"b.", "a a", "ba ab"}, {"(ab)", "aa", "aab"}})));
  for (int64_t sentence = 0; sentence < 2; ++sentence) {
    INFO("sentence " << sentence << ", phrase " << setting.phrases.front());
    const Hypothesis best = setting.best_of_all(sentence, kMaxLength);
    const Hypothesis found = setting.search(sentence, kMaxLength, /*beam_size=*/1024);
    CHECK(found.tokens == best.tokens);
    CHECK(found.log_prob == Approx(best.log_prob).epsilon(1e-5));
    for (const int64_t beam_size : {1, 2, 4}) {  // which may miss the best output, and have none that is forbidden
      CHECK(setting.is_permitted(setting.search(sentence, 12, beam_size).tokens));
    }
  }
}

TEST_CASE("phrases occur in a text where words begin and end, or anywhere with asterisks") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto occurs = [&](const std::string& phrase, const std::string& text) {
    return ForbiddenPhrases({phrase}, tokenizer).occurs_in(text);
  };
  CHECK(occurs("Hund", "ein Hund"));
  CHECK(occurs("Hund", "„Hund“"));
  CHECK_FALSE(occurs("Hund", "Hunde"));
  CHECK_FALSE(occurs("Hund", "Schäferhund"));
  CHECK_FALSE(occurs("Hund", "SchäferHund"));
  CHECK_FALSE(occurs("Hund", "hund"));
  CHECK(occurs("Hund*", "Hunde"));
  CHECK(occurs("*hund", "Schäferhund"));
  CHECK_FALSE(occurs("*hund", "Schäferhunde"));
  CHECK(occurs("*hund*", "Schäferhunde"));
  CHECK(occurs(" ein   Hund ", "Da ist ein  Hund."));
  CHECK(occurs("漢字", "此漢字也"));
  CHECK(occurs("saß.", "saß.auf"));
  CHECK_THROWS_WITH(ForbiddenPhrases({"**"}, tokenizer), Catch::Contains("'**' is no word or phrase"));
}

TEST_CASE("phrases are forbidden in the form that the vocabulary gives them") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", "der hund saß\n");
  const Tokenizer folding(
      Tokenizer::learn({directory / "text"}, {.size = 20, .character_coverage = 1.0, .normalization = "nmt_nfkc_cf"}),
      "v");
  CHECK(ForbiddenPhrases({"HUND"}, folding).occurs_in("der hund"));
}

}  // namespace transformer
