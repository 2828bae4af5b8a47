#include "decoding/beam_search.h"

#include <cmath>
#include <map>

#include "catch.h"
#include "decoding/length_penalty.h"
#include "tensors.h"

namespace transformer {
namespace {

constexpr int64_t kVocabulary = 6;  // pad, unknown, begin, end, and two words

using Tokens = std::vector<int64_t>;

/// A language model by formula: what comes next depends on the whole prefix and on the sentence.
torch::Tensor next_log_probs_of(int64_t sentence, const Tokens& prefix) {
  std::vector<double> logits;
  for (int64_t token = 0; token < kVocabulary; ++token) {
    double phase = static_cast<double>(sentence) * 1.7 + static_cast<double>(token) * 2.3;
    for (size_t i = 0; i < prefix.size(); ++i) phase += std::sin(static_cast<double>(prefix[i] * (i + 2)) + phase);
    logits.push_back(2.0 * std::sin(phase) - (token == kEnd && prefix.size() < 2 ? 1.0 : 0.0));
  }
  return torch::log_softmax(torch::tensor(logits, torch::kFloat), 0);
}

/// The formula as the search sees it; remembers how much work it was asked for.
class FormulaModel : public SearchModel {
 public:
  explicit FormulaModel(std::vector<int64_t> sentences) {
    for (const int64_t sentence : sentences) rows_.push_back({sentence, {}});
  }

  torch::Tensor next_log_probs(const torch::Tensor& tokens) override {
    ++steps;
    std::vector<torch::Tensor> log_probs;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const int64_t token = tokens[static_cast<int64_t>(row)].item<int64_t>();
      if (token != kBegin) rows_[row].second.push_back(token);
      log_probs.push_back(next_log_probs_of(rows_[row].first, rows_[row].second));
    }
    return torch::stack(log_probs);
  }

  void keep(const torch::Tensor&, const torch::Tensor& rows) override {
    std::vector<std::pair<int64_t, Tokens>> kept;
    for (int64_t i = 0; i < rows.size(0); ++i) kept.push_back(rows_[static_cast<size_t>(rows[i].item<int64_t>())]);
    rows_ = kept;
  }

  int steps = 0;

 private:
  std::vector<std::pair<int64_t, Tokens>> rows_;  // sentence and prefix
};

SearchOptions options(int64_t beam_size, double alpha) {
  return {.beam_size = beam_size, .alpha = alpha, .begin = kBegin, .end = kEnd, .never = {kPad, kBegin}};
}

/// The best finished sequence of all there are.
Hypothesis exhaustive_search(int64_t sentence, int64_t max_length, double alpha) {
  Hypothesis best;
  double best_score = -1e9;
  std::vector<Hypothesis> prefixes = {{}};
  while (!prefixes.empty()) {
    std::vector<Hypothesis> longer;
    for (const auto& prefix : prefixes) {
      const auto log_probs = next_log_probs_of(sentence, prefix.tokens);
      for (const int64_t token : {kUnknown, kEnd, int64_t{4}, int64_t{5}}) {
        Hypothesis next = prefix;
        next.tokens.push_back(token);
        next.log_prob += log_probs[token].item<double>();
        if (token == kEnd && score(next, alpha) > best_score) {
          best = next;
          best_score = score(next, alpha);
        }
        if (token != kEnd && static_cast<int64_t>(next.tokens.size()) < max_length) longer.push_back(next);
      }
    }
    prefixes = longer;
  }
  return best;
}

Tokens greedy_search(int64_t sentence, int64_t max_length) {
  Tokens tokens;
  while (static_cast<int64_t>(tokens.size()) < max_length && (tokens.empty() || tokens.back() != kEnd)) {
    auto log_probs = next_log_probs_of(sentence, tokens);
    for (const int64_t never : {kPad, kBegin}) log_probs[never] = -1e9;
    tokens.push_back(log_probs.argmax().item<int64_t>());
  }
  return tokens;
}

}  // namespace

TEST_CASE("length penalty is ((5 + length) / 6) ^ alpha") {
  CHECK(length_penalty(1, 0.6) == Approx(1.0));
  CHECK(length_penalty(7, 1.0) == Approx(2.0));
  CHECK(length_penalty(100, 0.0) == Approx(1.0));
  CHECK(length_penalty(19, 0.5) == Approx(2.0));
}

TEST_CASE("beam search with a beam as wide as the tree finds the best of all sequences") {
  static constexpr int64_t kMaxLength = 5;
  for (const double alpha : {0.0, 0.6, 1.5}) {
    for (int64_t sentence = 0; sentence < 12; ++sentence) {
      INFO("sentence " << sentence << ", alpha " << alpha);
      FormulaModel model({sentence});
      const auto found = beam_search(model, {kMaxLength}, options(256, alpha)).front();
      const auto best = exhaustive_search(sentence, kMaxLength, alpha);
      CHECK(found.tokens == best.tokens);
      CHECK(score(found, alpha) == Approx(score(best, alpha)).epsilon(1e-5));
    }
  }
}

TEST_CASE("beam 1 equals greedy search") {
  for (int64_t sentence = 0; sentence < 30; ++sentence) {
    FormulaModel model({sentence});
    CHECK(beam_search(model, {9}, options(1, 0.6)).front().tokens == greedy_search(sentence, 9));
  }
}

TEST_CASE("a wider beam never scores worse than greedy search by much, and mostly better") {
  int better = 0, worse = 0;
  for (int64_t sentence = 0; sentence < 30; ++sentence) {
    FormulaModel narrow({sentence}), wide({sentence});
    const double greedy = score(beam_search(narrow, {9}, options(1, 0.6)).front(), 0.6);
    const double beam = score(beam_search(wide, {9}, options(8, 0.6)).front(), 0.6);
    better += beam > greedy + 1e-6 ? 1 : 0;
    worse += beam < greedy - 1e-6 ? 1 : 0;
  }
  CHECK(better > 10);
  CHECK(worse == 0);
}

TEST_CASE("a sentence's result does not depend on its neighbours or their lengths") {
  std::vector<int64_t> sentences, max_lengths;
  for (int64_t i = 0; i < 20; ++i) {
    sentences.push_back(i);
    max_lengths.push_back(1 + i * 7 % 10);
  }
  FormulaModel together(sentences);
  const auto results = beam_search(together, max_lengths, options(4, 0.6));
  for (size_t i = 0; i < sentences.size(); ++i) {
    FormulaModel alone({sentences[i]});
    const auto result = beam_search(alone, {max_lengths[i]}, options(4, 0.6)).front();
    CHECK(result.tokens == results[i].tokens);
    CHECK(static_cast<int64_t>(result.tokens.size()) <= max_lengths[i]);
  }
}

TEST_CASE("a search that finishes nothing in time gives its best live hypothesis") {
  // One token is no room for a word and the end symbol; end is unlikely at the first place.
  FormulaModel model({3});
  const auto result = beam_search(model, {1}, options(1, 0.6)).front();
  CHECK(result.tokens.size() == 1);
}

TEST_CASE("a search stops as soon as it is decided") {
  FormulaModel model({1});
  beam_search(model, {500}, options(4, 0.6));
  CHECK(model.steps < 100);
}

}  // namespace transformer
