#include "decoding/sentence_queue.h"

#include <torch/types.h>

namespace transformer {

SentenceQueue::SentenceQueue(std::vector<int64_t> max_lengths, const SearchCapacity& capacity)
    : max_lengths_(std::move(max_lengths)), capacity_(capacity) {
  for (const int64_t length : max_lengths_) TORCH_CHECK(length >= 1, "an output has at least its end symbol");
}

std::vector<int64_t> SentenceQueue::take(const std::vector<int64_t>& running) {
  static constexpr int64_t kMinShare = 8;  // join when an eighth of the capacity is free
  int64_t sentences = std::ssize(running), tokens = 0;
  if (sentences > 0 && (capacity_.sentences - sentences) * kMinShare < capacity_.sentences) return {};
  for (const int64_t sentence : running) tokens += max_length(sentence);
  const std::lock_guard lock(mutex_);
  std::vector<int64_t> taken;
  for (; next_ < size(); ++next_) {
    const bool is_first = sentences == 0;
    ++sentences;
    tokens += max_length(next_);
    if (!is_first && (sentences > capacity_.sentences || tokens > capacity_.tokens)) break;
    taken.push_back(next_);
  }
  return taken;
}

}  // namespace transformer
