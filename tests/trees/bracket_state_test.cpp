#include "trees/bracket_state.h"

#include <set>

#include "catch.h"
#include "trees.h"
#include "trees/linearize.h"
#include "trees/restore_tree.h"

namespace transformer {
namespace {

using Kind = BracketToken::Kind;
using Tokens = std::vector<BracketToken>;

const std::vector<std::string> kLabels = {"A", "B"};

/// The tokens that may come next, without the end symbol.
Tokens allowed(const BracketState& state) {
  Tokens tokens;
  if (state.may_take_word()) tokens.push_back({});
  if (state.may_close()) tokens.push_back({Kind::close, state.innermost()});
  for (const auto& label : kLabels) {
    if (state.may_open()) tokens.push_back({Kind::open, label});
  }
  return tokens;
}

/// All sequences that are allowed up to their end.
void collect_allowed(const BracketState& state, const Tokens& so_far, std::set<std::string>& sequences) {
  const Tokens next = allowed(state);
  INFO("after '" << text_of(so_far) << "'");
  REQUIRE((state.may_end() || !next.empty()));
  REQUIRE(state.may_end() == next.empty());
  if (state.may_end()) sequences.insert(text_of(so_far));
  for (const BracketToken& token : next) {
    BracketState after = state;
    after.take(token);
    Tokens longer = so_far;
    longer.push_back(token);
    collect_allowed(after, longer, sequences);
  }
}

/// All sequences of at most `max_length` tokens that are a linearized tree over this many words, by exhaustive search.
void collect_well_formed(size_t num_words, size_t max_length, Tokens& so_far, std::set<std::string>& sequences) {
  const std::vector<std::string> words(num_words, "w");
  if (linearize(restore_tree(so_far, words)) == so_far) sequences.insert(text_of(so_far));
  if (so_far.size() == max_length) return;
  Tokens alphabet = {{}};
  for (const auto& label : kLabels) {
    alphabet.push_back({Kind::open, label});
    alphabet.push_back({Kind::close, label});
  }
  for (const BracketToken& token : alphabet) {
    so_far.push_back(token);
    collect_well_formed(num_words, max_length, so_far, sequences);
    so_far.pop_back();
  }
}

std::set<std::string> all_allowed(int64_t num_words, int64_t max_tokens) {
  std::set<std::string> sequences;
  collect_allowed(BracketState(num_words, max_tokens), {}, sequences);
  return sequences;
}

}  // namespace

TEST_CASE("bracket state allows exactly the well-formed trees with a leaf for each word") {
  static constexpr size_t kLongest = 8;
  for (size_t num_words = 0; num_words <= 4; ++num_words) {
    std::set<std::string> well_formed;
    Tokens so_far;
    collect_well_formed(num_words, kLongest, so_far, well_formed);
    INFO(num_words << " words");
    CHECK(all_allowed(static_cast<int64_t>(num_words), kLongest + 1) == well_formed);
    CHECK(well_formed.size() == std::vector<size_t>{1, 14, 62, 26, 42}[num_words]);
  }
}

TEST_CASE("bracket state keeps within the length, including the end symbol, and can always be completed") {
  for (int64_t num_words = 0; num_words <= 3; ++num_words) {
    for (int64_t max_tokens = 0; max_tokens <= 11; ++max_tokens) {
      const int64_t least = num_words == 0 ? 1 : num_words + 3;
      int64_t longest = 0;
      for (const auto& sequence : all_allowed(num_words, max_tokens)) {
        longest = std::max(longest, static_cast<int64_t>(split_words(sequence).size()) + 1);
      }
      CHECK(longest <= std::max(max_tokens, least));
      CHECK(longest >= std::min(std::max(max_tokens, least) - 1, num_words == 0 ? 1 : max_tokens));
    }
  }
}

TEST_CASE("bracket state allows every linearized tree, token by token") {
  for (const auto& text : kCleanTrees) {
    const Tree tree = tree_of(text);
    const auto num_words = static_cast<int64_t>(words_of(tree).size());
    BracketState state(num_words, num_words + 300);
    for (const BracketToken& token : linearize(tree)) {
      INFO(text << " at " << to_string(token));
      CHECK_FALSE(state.may_end());
      if (token.kind == Kind::open) REQUIRE(state.may_open());
      if (token.kind == Kind::close) REQUIRE((state.may_close() && state.innermost() == token.label));
      if (token.kind == Kind::word) REQUIRE(state.may_take_word());
      state.take(token);
    }
    CHECK(state.may_end());
  }
}

TEST_CASE("bracket state opens no bracket beyond the maximum depth") {
  BracketState state(1, 1 << 20);
  for (size_t depth = 0; depth < kMaxTreeDepth; ++depth) {
    REQUIRE(state.may_open());
    state.take({Kind::open, "S"});
  }
  CHECK_FALSE(state.may_open());
  CHECK(state.may_take_word());
}

}  // namespace transformer
