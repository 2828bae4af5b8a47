#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace transformer {

/// How much a search takes on at most.
struct SearchLoad {
  int64_t sentences = 0;
  int64_t tokens = 0;  // the sum of the sentences' max_lengths
};

/// Sentences that wait for their search. Several searches may take from one queue at once.
class SentenceQueue {
 public:
  /// max_lengths[i]: the most tokens that the output of sentence number i may have, end symbol included; at least 1.
  /// A search takes on one sentence in any case.
  SentenceQueue(std::vector<int64_t> max_lengths, const SearchLoad& most);

  int64_t size() const { return static_cast<int64_t>(max_lengths_.size()); }
  int64_t max_length(int64_t sentence) const { return max_lengths_[static_cast<size_t>(sentence)]; }

  /// The numbers, in order, of the sentences that join a search in which these are still running: none until there is
  /// room for several, since to encode one alone costs more.
  std::vector<int64_t> take(const std::vector<int64_t>& running);

 private:
  const std::vector<int64_t> max_lengths_;
  const SearchLoad most_;
  std::mutex mutex_;
  int64_t next_ = 0;
};

}  // namespace transformer
