#include "decoding/sentence_queue.h"

#include <torch/torch.h>

namespace transformer {

SentenceQueue::SentenceQueue(std::vector<int64_t> max_lengths, const SearchLoad& most)
    : max_lengths_(std::move(max_lengths)), most_(most) {
  for (const int64_t length : max_lengths_) TORCH_CHECK(length >= 1, "an output has at least its end symbol");
}

std::vector<int64_t> SentenceQueue::take(SearchLoad running) {
  static constexpr int64_t kJoinersShare = 8;
  const int64_t room = most_.sentences - running.sentences;
  if (running.sentences > 0 && room * kJoinersShare < most_.sentences) return {};
  const std::lock_guard lock(mutex_);
  std::vector<int64_t> taken;
  for (; next_ < size(); ++next_) {
    const bool is_alone = running.sentences == 0;
    running.add(max_length(next_));
    if (!is_alone && (running.sentences > most_.sentences || running.tokens > most_.tokens)) break;
    taken.push_back(next_);
  }
  return taken;
}

}  // namespace transformer
