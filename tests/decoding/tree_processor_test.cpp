#include "decoding/tree_processor.h"

#include <cmath>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "decoding/beam_search.h"
#include "formula_model.h"
#include "trees/bracket_state.h"

namespace transformer {
namespace {

using Tokens = std::vector<TokenId>;

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

/// The best of all outputs that the processor allows, by trying each.
void try_all(const TreeProcessor& processor, const LogitsProcessor::SharedState& state, int64_t sentence,
             int64_t vocabulary_size, const Hypothesis& so_far, Hypothesis& best) {
  if (!so_far.tokens.empty() && so_far.tokens.back() == kSymbols.end) {
    if (best.tokens.empty() || so_far.log_prob > best.log_prob) best = so_far;
    return;
  }
  const auto log_probs = formula_over(vocabulary_size)(sentence, so_far.tokens);
  NextTokenRules rules;
  processor.process(so_far.tokens, state.get(), rules);
  const auto allowed = rules.allowed();
  REQUIRE(allowed);
  for (const TokenId token : *allowed) {
    Hypothesis next = so_far;
    next.append(token, log_probs[token].item<double>());
    try_all(processor, processor.next_state(state, token), sentence, vocabulary_size, next, best);
  }
}

}  // namespace

TEST_CASE("whole words are one piece each, wherever they stand") {
  const auto tokenizer = tree_tokenizer({"(NP", "(S", ")NP", ")S", "XX"});
  const auto pieces = [&](const std::string& text) {
    std::vector<std::string> found;
    for (const TokenId id : tokenizer.encode(text)) found.push_back(tokenizer.piece(id));
    return found;
  };
  CHECK(pieces("(S (NP XX XX )NP )S") == std::vector<std::string>{"▁(S", "▁(NP", "▁XX", "▁XX", "▁)NP", "▁)S"});
  const auto ids = tokenizer.encode("(S (NP XX )NP XX )S");
  CHECK(tokenizer.decode({ids.begin(), ids.end()}) == "(S (NP XX )NP XX )S");
}

TEST_CASE("a search for trees gives the best tree over the sentence's words") {
  const auto tokenizer = tree_tokenizer({"(NP", "(S", ")NP", ")S", "XX"});
  const BracketPieces pieces(tokenizer);
  CHECK(pieces.openings.size() == 2);
  const std::vector<int64_t> num_words = {1, 2, 3, 1}, max_lengths = {6, 8, 9, 4};
  std::vector<std::shared_ptr<TreeProcessor>> processors;
  auto requests = requests_with(max_lengths);
  for (size_t i = 0; i < requests.size(); ++i) {
    processors.push_back(std::make_shared<TreeProcessor>(pieces, num_words[i], max_lengths[i]));
    requests[i].processors.push_back(processors.back());
  }
  const auto search = [&](int64_t beam_size) {
    FormulaModel model({0, 1, 2, 3}, formula_over(tokenizer.size()));
    const auto found = search_all(model, requests, {.beam_size = beam_size, .penalty = {LengthPenaltyForm::none, 0}});
    std::vector<Hypothesis> best;
    for (const auto& of_sentence : found) best.push_back(of_sentence.front());
    return best;
  };
  const auto wide = search(3000);
  for (size_t i = 0; i < wide.size(); ++i) {
    Hypothesis best;
    try_all(*processors[i], processors[i]->initial_state(), static_cast<int64_t>(i), tokenizer.size(), {}, best);
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
      CHECK(narrow[i].tokens.back() == kSymbols.end);
      CHECK(static_cast<int64_t>(narrow[i].tokens.size()) <= max_lengths[i]);
    }
  }
}

TEST_CASE("a vocabulary without brackets gives no trees, and says so") {
  CHECK_THROWS_WITH(BracketPieces(tree_tokenizer({})), Catch::Contains("data.whole_target_words: true"));
  CHECK_THROWS_WITH(BracketPieces(tree_tokenizer({"(S", "XX"})), Catch::Contains("no pieces such as"));
}

}  // namespace transformer
