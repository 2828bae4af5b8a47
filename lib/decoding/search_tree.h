#pragma once

#include <cstdint>
#include <vector>

#include "decoding/search_step.h"

namespace transformer {

/// A hypothesis that a beam search has considered: its parent's tokens and one more.
struct SearchNode {
  int64_t parent;  // index of the node that it extends; -1: the root, which is the empty hypothesis
  TokenId token;
  int64_t length;  // tokens, end symbol included; the step in which it was considered
  double token_log_prob, log_prob;
  Candidate::State state;
};

/// All hypotheses that a beam search has considered for one sentence, as a tree.
class SearchTree {
 public:
  /// To be called in each step with its candidates (SearchStepCallback).
  void add_step(const std::vector<Candidate>& candidates);

  /// The nodes in the order in which the search came to them, the root first.
  const std::vector<SearchNode>& nodes() const { return nodes_; }
  /// The index of the hypothesis with these tokens. Throws std::out_of_range if the search has not considered it.
  int64_t find(const std::vector<TokenId>& tokens) const;

 private:
  std::vector<SearchNode> nodes_ = {{-1, 0, 0, 0, 0, Candidate::State::live}};
  std::vector<int64_t> live_ = {0};  // the nodes of the live hypotheses, best first
};

}  // namespace transformer
