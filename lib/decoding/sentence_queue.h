#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "decoding/hypothesis.h"
#include "decoding/logits_processor.h"

namespace transformer {

/// The search of a sentence was cancelled before it ended.
class SearchCancelled : public Error {
 public:
  SearchCancelled() : Error("the translation was cancelled") {}
};

/// The logits processors of a sentence permit no token after its hypotheses.
class NoPermittedToken : public Error {
 public:
  using Error::Error;
};

/// How the search of a sentence ended.
struct SearchResult {
  std::vector<Hypothesis> hypotheses = {};  // best first; at least one if there is no error
  std::exception_ptr error = nullptr;       // SearchCancelled, NoPermittedToken, or what the search has thrown
};

/// A sentence whose translation is to be searched for.
struct SearchRequest {
  std::vector<TokenId> source = {};  // pieces without the end symbol
  int64_t max_length = 1;            // of the output in tokens, end symbol included; at least 1
  LogitsProcessors processors = {};  // of its hypotheses
  uint64_t sampling_key = 0;         // with the seed, decides which output is sampled
  /// Called once, by the thread that searches or, if the sentence is cancelled before, by one that takes sentences or
  /// cancels them all. It must not throw.
  std::function<void(SearchResult result)> on_result = {};
};

/// A sentence in a queue or in a search. Any thread may cancel it.
class QueuedSentence {
 public:
  QueuedSentence(int64_t id, SearchRequest request) : id_(id), request_(std::move(request)) {}

  int64_t id() const { return id_; }  // unique in its queue; counts from 0
  const SearchRequest& request() const { return request_; }

  /// Lets the search of this sentence end before its next step, with the error SearchCancelled.
  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_; }

  /// Reports how the search ended, and forgets the callback with all that it holds.
  void end(SearchResult result) { std::exchange(request_.on_result, nullptr)(std::move(result)); }

 private:
  const int64_t id_;
  SearchRequest request_;
  std::atomic<bool> is_cancelled_ = false;
};

using SharedSentence = std::shared_ptr<QueuedSentence>;

/// How much is searched at once.
struct SearchCapacity {
  int64_t sentences = 0;
  int64_t tokens = 0;  // the sum of the sentences' maximal lengths
};

/// The sentences whose search has not begun. Any number of threads may add and take sentences, also while others are
/// searched.
class SentenceQueue {
 public:
  /// For `num_searches` searches of this capacity each. A sentence that exceeds the capacity is searched alone.
  explicit SentenceQueue(const SearchCapacity& capacity, int64_t num_searches = 1)
      : capacity_(capacity), num_searches_(num_searches) {}

  /// Adds a sentence behind those that are waiting. If the queue is closed, the sentence is cancelled at once.
  SharedSentence add(SearchRequest request);
  /// Says that no sentences will be added any more, so that searches end when there is nothing left to do.
  void close();
  bool is_closed() const;
  /// Closes the queue, and cancels all of its sentences, also those in a search.
  void cancel_all();
  /// Whether the search of this sentence shall end.
  bool is_cancelled(const QueuedSentence& sentence) const { return are_all_cancelled_ || sentence.is_cancelled(); }

  /// Takes the next sentences for a search in which the sentences `running` have not ended, in order. While some are
  /// running, returns none until an eighth of the capacity is free, in sentences and in tokens, because encoding
  /// sentences one by one is slow. If none is running, waits until there is a sentence; returns none if the queue is
  /// closed and empty. Ends cancelled sentences.
  std::vector<SharedSentence> take(const std::vector<SharedSentence>& running);
  /// How many searches' shares of the processors each search that has sentences may use, because others have none.
  int64_t shares() const { return num_searches_ / std::max<int64_t>(1, num_searches_ - num_idle_); }

 private:
  const SearchCapacity capacity_;
  const int64_t num_searches_;
  std::atomic<int64_t> num_idle_ = 0;  // searches that wait for sentences or have ended
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SharedSentence> waiting_;
  int64_t next_id_ = 0;
  bool is_closed_ = false;
  std::atomic<bool> are_all_cancelled_ = false;
};

}  // namespace transformer
