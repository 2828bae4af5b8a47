#include "decoding/sentence_queue.h"

#include <c10/util/Exception.h>

#include <utility>

namespace transformer {
namespace {

/// Whether at least an eighth of the capacity is free.
bool has_free_share(int64_t used, int64_t capacity) { return (capacity - used) * 8 >= capacity; }

template <class Sentences>
void end_cancelled(const Sentences& sentences) {
  for (const auto& sentence : sentences) sentence->end({.error = std::make_exception_ptr(SearchCancelled())});
}

}  // namespace

SharedSentence SentenceQueue::add(SearchRequest request) {
  TORCH_CHECK(request.max_length >= 1, "an output has at least its end symbol");
  std::unique_lock lock(mutex_);
  auto sentence = std::make_shared<QueuedSentence>(next_id_++, std::move(request));
  const bool is_too_late = is_closed_;
  if (!is_too_late) waiting_.push_back(sentence);
  lock.unlock();
  changed_.notify_one();
  if (is_too_late) end_cancelled(std::vector{sentence});
  return sentence;
}

void SentenceQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

bool SentenceQueue::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

void SentenceQueue::cancel_all() {
  are_all_cancelled_ = true;
  close();
  std::unique_lock lock(mutex_);
  const auto dropped = std::exchange(waiting_, {});
  lock.unlock();  // a callback may take long
  end_cancelled(dropped);
}

std::vector<SharedSentence> SentenceQueue::take(const std::vector<SharedSentence>& running) {
  int64_t sentences = std::ssize(running), tokens = 0;
  for (const auto& sentence : running) tokens += sentence->request().max_length;
  const bool has_room = has_free_share(sentences, capacity_.sentences) && has_free_share(tokens, capacity_.tokens);
  if (sentences > 0 && !has_room) return {};
  std::vector<SharedSentence> taken;
  bool waits = running.empty();
  if (waits) ++num_idle_;
  do {
    std::vector<SharedSentence> cancelled;
    std::unique_lock lock(mutex_);
    if (waits) changed_.wait(lock, [&] { return is_closed_ || !waiting_.empty(); });
    for (; !waiting_.empty(); waiting_.pop_front()) {
      SharedSentence& next = waiting_.front();
      if (next->is_cancelled()) {
        cancelled.push_back(std::move(next));
        continue;
      }
      const bool is_first = sentences == 0;
      ++sentences;
      tokens += next->request().max_length;
      if (!is_first && (sentences > capacity_.sentences || tokens > capacity_.tokens)) break;
      taken.push_back(std::move(next));
    }
    lock.unlock();
    end_cancelled(cancelled);
    waits = waits && taken.empty() && !cancelled.empty();
  } while (waits);
  if (running.empty() && !taken.empty()) --num_idle_;
  return taken;
}

}  // namespace transformer
