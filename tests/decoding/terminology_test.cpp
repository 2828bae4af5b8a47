#include "decoding/terminology.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "catch.h"
#include "formula_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

using Tokens = std::vector<TokenId>;

/// Terms with these targets.
std::vector<Term> terms_of(const std::vector<std::string>& targets) {
  std::vector<Term> terms;
  for (const std::string& target : targets) terms.push_back({"source", target, "terms:1"});
  return terms;
}

std::vector<std::string> targets_of(const std::vector<Term>& terms) {
  std::vector<std::string> targets;
  for (const Term& term : terms) targets.push_back(term.target);
  return targets;
}

/// The sources of the terms that the terminology finds in a text, joined by |.
std::string found_in(const Terminology& terminology, const std::string& text) {
  std::string sources;
  for (const Term* term : terminology.find(text)) sources += term->source + "|";
  return sources;
}

/// Searches for outputs of a model over the tokenizer's pieces with these targets.
struct TermSetting {
  explicit TermSetting(const std::vector<std::string>& targets) : terms(terms_of(targets)) {}

  /// A model whose outputs become the likelier to end the longer they are, as those of translation models.
  FormulaModel::Formula formula() const {
    return [vocabulary = tokenizer.size()](int64_t sentence, const Tokens& prefix) {
      auto log_probs = formula_log_probs(sentence, prefix, vocabulary, /*end_malus=*/1);
      log_probs[kSymbols.end] += 0.3 * static_cast<double>(prefix.size());
      return torch::log_softmax(log_probs, 0);
    };
  }

  int64_t num_met(const Tokens& tokens) const {
    return std::ssize(terms) - std::ssize(unmet_terms(terms, tokenizer.decode(tokens)));
  }

  /// The output with most terms, and the best of these, by trying each of at most `max_length` tokens.
  Hypothesis best_of_all(int64_t sentence, int64_t max_length) const {
    Hypothesis best;
    const auto rank = [&](const Hypothesis& one) {
      return std::optional(std::pair(num_met(one.tokens), one.log_prob));
    };
    try_all(formula(), sentence, tokenizer.size(), max_length, rank, best);
    return best;
  }

  Hypothesis search(int64_t sentence, int64_t max_length, int64_t beam_size) const {
    std::vector<const Term*> pointers;
    for (const Term& term : terms) pointers.push_back(&term);
    FormulaModel model({sentence}, formula());
    auto requests = requests_with({max_length}, {std::make_shared<BannedTokens>(Tokens{kSymbols.unknown}),
                                                 std::make_shared<TermProcessor>(pointers, tokenizer)});
    return search_all(model, requests, {.beam_size = beam_size, .penalty = {LengthPenaltyForm::none, 0}})
        .front()
        .front();
  }

  const Tokenizer tokenizer = tokenizer_of("ab ab aab b. ab. (ab) ba ba\n", /*size=*/13);
  const std::vector<Term> terms;
};

}  // namespace

TEST_CASE("a search with terms finds the best of all outputs that have the most of them") {
  static constexpr int64_t kMaxLength = 4;
  const TermSetting setting(GENERATE(values<std::vector<std::string>>(
      {{"ab"}, {"ba"}, {"ab", "ba"}, {"ab", "ab"}, {"b. a"}, {"(ab)"}, {"aab", "(ab)", "ba"}})));
  for (int64_t sentence = 0; sentence < 2; ++sentence) {
    INFO("sentence " << sentence << ", target " << setting.terms.front().target);
    const Hypothesis best = setting.best_of_all(sentence, kMaxLength);
    const Hypothesis found = setting.search(sentence, kMaxLength, /*beam_size=*/1024);
    CHECK(found.tokens == best.tokens);
    CHECK(found.log_prob == Approx(best.log_prob).epsilon(1e-5));
    CHECK(found.progress.reached == setting.num_met(found.tokens));
  }
}

TEST_CASE("a narrow beam finds outputs that have all terms, and ends before the longest output") {
  for (const int64_t beam_size : {2, 4}) {
    for (const auto& targets : std::vector<std::vector<std::string>>{{"ab"}, {"ba ab"}, {"ab", "(ab)"}, {"ba", "ba"}}) {
      const TermSetting setting(targets);
      for (int64_t sentence = 0; sentence < 10; ++sentence) {
        INFO("beam " << beam_size << ", sentence " << sentence << ", target " << targets.front());
        const Hypothesis found = setting.search(sentence, 60, beam_size);
        CHECK(setting.num_met(found.tokens) == std::ssize(targets));
        CHECK(found.tokens.back() == kSymbols.end);
        CHECK(found.tokens.size() < 60);
      }
    }
  }
}

TEST_CASE("sentences with other terms, or without, change nothing about each other's search") {
  const TermSetting setting({"ab", "ba", "(ab)"});
  auto requests = requests_with({60, 60, 60, 60}, {std::make_shared<BannedTokens>(Tokens{kSymbols.unknown})});
  std::vector<const Term*> terms;  // of the sentence: none, the first, the first two, all
  for (size_t i = 1; i < requests.size(); ++i) {
    terms.push_back(&setting.terms[i - 1]);
    requests[i].processors.push_back(std::make_shared<TermProcessor>(terms, setting.tokenizer));
  }
  const BeamSearchOptions options{.beam_size = 4, .penalty = {LengthPenaltyForm::none, 0}, .nbest = 4};
  FormulaModel model({0, 1, 2, 3}, setting.formula());
  const auto together = search_all(model, requests, options);
  for (size_t i = 0; i < requests.size(); ++i) {
    INFO("sentence " << i);
    FormulaModel model_alone({static_cast<int64_t>(i)}, setting.formula());
    const auto alone = search_all(model_alone, {requests[i]}, options).front();
    REQUIRE(together[i].size() == alone.size());
    for (size_t n = 0; n < alone.size(); ++n) {
      CHECK(together[i][n].tokens == alone[n].tokens);
      CHECK(together[i][n].log_prob == Approx(alone[n].log_prob).epsilon(1e-6));
      CHECK(together[i][n].progress == alone[n].progress);
    }
  }
  CHECK(together[0].front().progress.reached == 0);
  CHECK(together[1].front().progress.reached == 1);
}

TEST_CASE("terms are found where words begin and end, also several times, and the longest of those within another") {
  const Tokenizer tokenizer = word_tokenizer();
  const Terminology terminology({{"cat", "Katze"},
                                 {"black cat", "Hund"},
                                 {"the black", "der"},
                                 {"New York", "Matte"},
                                 {"York", "auf"},
                                 {"漢字", "ein"},
                                 {"a", "saß"}},
                                tokenizer_of("Katze Hund der Matte auf ein saß\n", 30));
  CHECK(found_in(terminology, "the cat sat") == "cat|");
  CHECK(found_in(terminology, "cat, cat's and cats") == "cat|cat|");
  CHECK(found_in(terminology, "Cat concat") == "");
  CHECK(found_in(terminology, "my black  cat") == "black cat|");
  CHECK(found_in(terminology, "the black cat") == "the black|black cat|");
  CHECK(found_in(terminology, "York and New York") == "York|New York|");
  CHECK(found_in(terminology, "此漢字也") == "漢字|");
  CHECK(found_in(terminology, "a") == "a|");
  CHECK(found_in(terminology, "") == "");
}

TEST_CASE("a term is met as often as the text has its target where words begin") {
  const auto unmet = [](const std::vector<std::string>& targets, const std::string& text) {
    return targets_of(unmet_terms(terms_of(targets), text));
  };
  using Texts = std::vector<std::string>;
  CHECK(unmet({"Hund", "Katze"}, "ein Hund") == Texts{"Katze"});
  CHECK(unmet({"Hund"}, "Hunde") == Texts{});
  CHECK(unmet({"Hund"}, "SchäferHund") == Texts{"Hund"});
  CHECK(unmet({"Hund", "Hund"}, "ein Hund") == Texts{"Hund"});
  CHECK(unmet({"Hund", "Hund"}, "Hund und Hunde") == Texts{});
}

TEST_CASE("terms that contradict each other, lack a phrase or cannot be spelled are refused with their places") {
  const Tokenizer tokenizer = word_tokenizer();
  const auto refuses = [&](const std::vector<Term>& terms, const std::string& message) {
    CHECK_THROWS_WITH(Terminology(terms, tokenizer), Catch::Contains(message));
  };
  refuses({{"cat", "Hund", "t:1"}, {"mat", "Matte", "t:2"}, {" cat", "Matte", "t:3"}},
          "t:3: 'cat' is to be 'Matte', but t:1 says 'Hund'");
  refuses({{"cat", " ", "t:1"}}, "t:1: has no target phrase");
  refuses({{"", "Hund", "t:1"}}, "t:1: has no source phrase");
  refuses({{"cat", "Hund ☃", "t:9"}}, "t:9: 'Hund ☃' has a character that the model's vocabulary lacks");
  CHECK(Terminology({{"cat", "Hund", "t:1"}, {"cat", "Hund", "t:2"}}, tokenizer).terms().size() == 1);
}

}  // namespace transformer
