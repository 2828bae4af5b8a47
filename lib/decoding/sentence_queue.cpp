#include "decoding/sentence_queue.h"

#include <torch/types.h>

namespace transformer {
namespace {

/// Whether at least an eighth of the capacity is free.
bool has_free_share(int64_t used, int64_t capacity) { return (capacity - used) * 8 >= capacity; }

}  // namespace

SentenceQueue::SentenceQueue(std::vector<int64_t> max_lengths, const SearchCapacity& capacity)
    : max_lengths_(std::move(max_lengths)), capacity_(capacity) {
  for (const int64_t length : max_lengths_) TORCH_CHECK(length >= 1, "an output has at least its end symbol");
}

std::vector<int64_t> SentenceQueue::take(const std::vector<int64_t>& running) {
  int64_t sentences = std::ssize(running), tokens = 0;
  for (const int64_t sentence_id : running) tokens += max_length(sentence_id);
  const bool has_room = has_free_share(sentences, capacity_.sentences) && has_free_share(tokens, capacity_.tokens);
  if (sentences > 0 && !has_room) return {};
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

void SentenceQueue::end_one() {
  const std::lock_guard lock(mutex_);
  ++num_ended_;
  if (report_progress_) report_progress_(num_ended_);
}

void SentenceQueue::clear() {
  const std::lock_guard lock(mutex_);
  next_ = size();
}

std::vector<int64_t> begin_next(const std::vector<int64_t>& running, SentenceQueue& queue, SearchModel& model) {
  const auto joining = queue.take(running);
  if (!joining.empty()) model.begin(joining);
  return joining;
}

}  // namespace transformer
