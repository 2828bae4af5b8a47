#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "decoding/search_model.h"

namespace transformer {

/// How much is searched at once.
struct SearchCapacity {
  int64_t sentences = 0;
  int64_t tokens = 0;  // the sum of the sentences' maximal lengths
};

/// The sentences whose search has not begun. Several threads may take sentences from one queue.
class SentenceQueue {
 public:
  /// max_lengths[i]: the maximal number of output tokens of the sentence with id i, end symbol included; at least 1. A
  /// sentence that exceeds the capacity is searched alone.
  SentenceQueue(std::vector<int64_t> max_lengths, const SearchCapacity& capacity);

  /// Sets a function that is called whenever the search of a sentence has ended, with the number of those that have.
  void on_progress(std::function<void(int64_t num_ended)> report) { report_progress_ = std::move(report); }

  int64_t size() const { return static_cast<int64_t>(max_lengths_.size()); }
  int64_t max_length(int64_t sentence_id) const { return max_lengths_[static_cast<size_t>(sentence_id)]; }

  /// Takes the next sentences for a search in which the sentences `running` have not ended, and returns their ids in
  /// order. While some are running, returns none until an eighth of the capacity is free, in sentences and in tokens,
  /// because encoding sentences one by one is slow.
  std::vector<int64_t> take(const std::vector<int64_t>& running);
  /// Records that the search of a sentence has ended.
  void end_one();
  /// Drops the sentences that nobody has taken, because a search has failed.
  void clear();

 private:
  const std::vector<int64_t> max_lengths_;
  const SearchCapacity capacity_;
  std::mutex mutex_;
  int64_t next_ = 0, num_ended_ = 0;
  std::function<void(int64_t)> report_progress_;
};

/// Takes sentences from the queue for a search in which the sentences `running` have not ended, and adds them to the
/// model. Returns their ids.
std::vector<int64_t> begin_next(const std::vector<int64_t>& running, SentenceQueue& queue, SearchModel& model);

}  // namespace transformer
