#include "decoding/tree_constraint.h"

#include <cmath>

#include "base/file.h"
#include "catch.h"
#include "decoding/beam_search.h"
#include "temporary_directory.h"
#include "trees/bracket_state.h"

namespace transformer {
namespace {

using Tokens = std::vector<int64_t>;

Tokenizer tokenizer_of(const std::vector<std::string>& whole_words) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", "the cat (NP sat XX on the mat\n(S (NP XX XX )NP XX )S\n");
  return {Tokenizer::learn({directory / "text"}, {.size = 32, .character_coverage = 1.0, .whole_words = whole_words}),
          "v"};
}

/// A model by formula, which would rather put out anything but a tree.
class FormulaModel : public SearchModel {
 public:
  FormulaModel(int64_t sentences, int64_t vocabulary_size) : vocabulary_size_(vocabulary_size) {
    for (int64_t i = 0; i < sentences; ++i) rows_.push_back({i, {}});
  }

  static torch::Tensor log_probs_after(int64_t sentence, const Tokens& prefix, int64_t vocabulary_size) {
    std::vector<double> logits;
    for (int64_t token = 0; token < vocabulary_size; ++token) {
      double phase = static_cast<double>(sentence) * 1.7 + static_cast<double>(token) * 2.3;
      for (size_t i = 0; i < prefix.size(); ++i) phase += std::sin(static_cast<double>(prefix[i] * (i + 2)) + phase);
      logits.push_back(2.0 * std::sin(phase));
    }
    return torch::log_softmax(torch::tensor(logits, torch::kFloat), 0);
  }

  torch::Tensor next_log_probs(const torch::Tensor& tokens) override {
    std::vector<torch::Tensor> log_probs;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const int64_t token = tokens[static_cast<int64_t>(row)].item<int64_t>();
      if (token != kBegin) rows_[row].second.push_back(token);
      log_probs.push_back(log_probs_after(rows_[row].first, rows_[row].second, vocabulary_size_));
    }
    return torch::stack(log_probs);
  }

  void keep(const torch::Tensor&, const torch::Tensor& rows) override {
    std::vector<std::pair<int64_t, Tokens>> kept;
    for (int64_t i = 0; i < rows.size(0); ++i) kept.push_back(rows_[static_cast<size_t>(rows[i].item<int64_t>())]);
    rows_ = kept;
  }

 private:
  int64_t vocabulary_size_;
  std::vector<std::pair<int64_t, Tokens>> rows_;  // sentence and prefix
};

/// The best of all outputs that the constraint allows, by trying each.
void try_all(const TreeConstraint& constraint, int64_t sentence, int64_t vocabulary_size, Hypothesis& so_far,
             Hypothesis& best) {
  if (!so_far.tokens.empty() && so_far.tokens.back() == kEnd) {
    if (best.tokens.empty() || so_far.log_prob > best.log_prob) best = so_far;
    return;
  }
  const auto log_probs = FormulaModel::log_probs_after(sentence, so_far.tokens, vocabulary_size);
  const auto allowed = constraint.allowed(static_cast<size_t>(sentence), so_far.tokens);
  REQUIRE(allowed);
  for (const int64_t token : *allowed) {
    const double before = so_far.log_prob;
    so_far.tokens.push_back(token);
    so_far.log_prob += log_probs[token].item<double>();
    try_all(constraint, sentence, vocabulary_size, so_far, best);
    so_far.tokens.pop_back();
    so_far.log_prob = before;
  }
}

}  // namespace

TEST_CASE("whole words are one piece each, wherever they stand") {
  const auto tokenizer = tokenizer_of({"(NP", "(S", ")NP", ")S", "XX"});
  const auto pieces = [&](const std::string& text) {
    std::vector<std::string> found;
    for (const int32_t id : tokenizer.encode(text)) found.push_back(tokenizer.piece(id));
    return found;
  };
  CHECK(pieces("(S (NP XX XX )NP )S") == std::vector<std::string>{"▁(S", "▁(NP", "▁XX", "▁XX", "▁)NP", "▁)S"});
  const auto ids = tokenizer.encode("(S (NP XX )NP XX )S");
  CHECK(tokenizer.decode({ids.begin(), ids.end()}) == "(S (NP XX )NP XX )S");
}

TEST_CASE("constrained search gives the best tree over the sentence's words") {
  const auto tokenizer = tokenizer_of({"(NP", "(S", ")NP", ")S", "XX"});
  const BracketPieces pieces(tokenizer);
  CHECK(pieces.openings.size() == 2);
  const Tokens num_words = {1, 2, 3, 1}, max_lengths = {6, 8, 9, 4};
  const TreeConstraint constraint(pieces, num_words, max_lengths);
  const auto search = [&](int64_t beam_size) {
    FormulaModel model(4, tokenizer.size());
    const auto found =
        beam_search(model, max_lengths,
                    {.beam_size = beam_size,
                     .penalty = {LengthPenaltyForm::none, 0},
                     .rules = {.begin = kBegin, .end = kEnd, .never = {kPad, kBegin}, .constraint = &constraint}});
    std::vector<Hypothesis> best;
    for (const auto& of_sentence : found) best.push_back(of_sentence.front());
    return best;
  };
  const auto wide = search(3000);
  for (size_t i = 0; i < wide.size(); ++i) {
    Hypothesis so_far, best;
    try_all(constraint, static_cast<int64_t>(i), tokenizer.size(), so_far, best);
    CHECK(wide[i].tokens == best.tokens);
    CHECK(wide[i].log_prob == Approx(best.log_prob));
  }
  // A narrow beam may miss the best tree, never a tree.
  for (const int64_t beam_size : {1, 2, 4}) {
    const auto narrow = search(beam_size);
    for (size_t i = 0; i < narrow.size(); ++i) {
      BracketState state(num_words[i], max_lengths[i]);
      for (size_t j = 0; j + 1 < narrow[i].tokens.size(); ++j) state.take(pieces.tokens.at(narrow[i].tokens[j]));
      CHECK(state.may_end());
      CHECK(narrow[i].tokens.back() == kEnd);
      CHECK(static_cast<int64_t>(narrow[i].tokens.size()) <= max_lengths[i]);
    }
  }
}

TEST_CASE("a vocabulary without brackets gives no trees, and says so") {
  CHECK_THROWS_WITH(BracketPieces(tokenizer_of({})), Catch::Contains("data.whole_target_words: true"));
  CHECK_THROWS_WITH(BracketPieces(tokenizer_of({"(S", "XX"})), Catch::Contains("no pieces such as"));
}

}  // namespace transformer
