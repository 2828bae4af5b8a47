#include "decoding/tree_constraint.h"

#include <cmath>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "decoding/beam_search.h"
#include "formula_model.h"
#include "trees/bracket_state.h"

namespace transformer {
namespace {

using Tokens = std::vector<int64_t>;

Tokenizer tree_tokenizer(const std::vector<std::string>& whole_words) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", "the cat (NP sat XX on the mat\n(S (NP XX XX )NP XX )S\n");
  return {Tokenizer::learn({directory / "text"}, {.size = 32, .character_coverage = 1.0, .whole_words = whole_words}),
          "v"};
}

/// A model over `vocabulary` tokens that knows nothing of trees.
FormulaModel::Formula formula_over(int64_t vocabulary) {
  return [=](int64_t sentence, const Tokens& prefix) { return formula_log_probs(sentence, prefix, vocabulary, 0); };
}

/// The best of all outputs that the constraint allows, by trying each.
void try_all(const TreeConstraint& constraint, int64_t sentence, int64_t vocabulary_size, Hypothesis& so_far,
             Hypothesis& best) {
  if (!so_far.tokens.empty() && so_far.tokens.back() == kEnd) {
    if (best.tokens.empty() || so_far.log_prob > best.log_prob) best = so_far;
    return;
  }
  const auto log_probs = formula_over(vocabulary_size)(sentence, so_far.tokens);
  const auto allowed = constraint.allowed(sentence, so_far.tokens);
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
  const auto tokenizer = tree_tokenizer({"(NP", "(S", ")NP", ")S", "XX"});
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
  const auto tokenizer = tree_tokenizer({"(NP", "(S", ")NP", ")S", "XX"});
  const BracketPieces pieces(tokenizer);
  CHECK(pieces.openings.size() == 2);
  const Tokens num_words = {1, 2, 3, 1}, max_lengths = {6, 8, 9, 4};
  const TreeConstraint constraint(pieces, num_words, max_lengths);
  const auto search = [&](int64_t beam_size) {
    FormulaModel model({0, 1, 2, 3}, formula_over(tokenizer.size()));
    const auto found =
        search_all(model, max_lengths,
                   {.beam_size = beam_size,
                    .penalty = {LengthPenaltyForm::none, 0},
                    .rules = {.begin = kBegin, .end = kEnd, .banned = {kPad, kBegin}, .constraint = &constraint}});
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
  CHECK_THROWS_WITH(BracketPieces(tree_tokenizer({})), Catch::Contains("data.whole_target_words: true"));
  CHECK_THROWS_WITH(BracketPieces(tree_tokenizer({"(S", "XX"})), Catch::Contains("no pieces such as"));
}

}  // namespace transformer
