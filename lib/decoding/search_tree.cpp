#include "decoding/search_tree.h"

#include <algorithm>
#include <stdexcept>

namespace transformer {

void SearchTree::add_step(const std::vector<Candidate>& candidates) {
  std::vector<int64_t> live;
  for (const Candidate& candidate : candidates) {
    const int64_t parent = live_.at(candidate.parent);
    if (candidate.state == Candidate::State::live) live.push_back(std::ssize(nodes_));
    nodes_.push_back({parent, candidate.token, nodes_[static_cast<size_t>(parent)].length + 1, candidate.token_log_prob,
                      candidate.log_prob, candidate.state});
  }
  live_ = std::move(live);
}

int64_t SearchTree::find(const std::vector<TokenId>& tokens) const {
  int64_t node = 0;
  for (const TokenId token : tokens) {
    const auto child = std::find_if(nodes_.begin(), nodes_.end(), [&](const SearchNode& other) {
      return other.parent == node && other.token == token;
    });
    if (child == nodes_.end()) throw std::out_of_range("the search has not considered this hypothesis");
    node = child - nodes_.begin();
  }
  return node;
}

}  // namespace transformer
