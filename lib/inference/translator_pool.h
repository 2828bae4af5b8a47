#pragma once

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "decoding/sentence_queue.h"
#include "inference/translation.h"
#include "inference/translator.h"

namespace transformer {

/// A translation that a TranslatorPool has begun.
struct PendingTranslation {
  std::future<TranslatedLine> line;  // its get() throws SearchCancelled if the translation was cancelled
  SharedSentence sentence;           // null if the line is blank

  /// Ends the search soon; without effect if it has ended.
  void cancel() {
    if (sentence) sentence->cancel();
  }
};

/// Translates lines that arrive at any time, such as the requests of a server, in threads of its own. A line joins
/// those that are searched already. Any number of threads may add lines.
class TranslatorPool {
 public:
  /// Called with the line or, if `error` is set, without its translations: by a thread of the pool, or, for a blank or
  /// a cancelled line, by the thread that adds it or ends the pool. It must not throw, and other lines wait for it.
  using OnLine = std::function<void(TranslatedLine line, std::exception_ptr error)>;

  /// Starts `num_workers` threads of the translator, which share the LibTorch threads of the calling thread. The
  /// translator must outlive the pool.
  explicit TranslatorPool(const Translator& translator);
  /// Cancels what has not ended, and waits for the threads.
  ~TranslatorPool();
  TranslatorPool(const TranslatorPool&) = delete;
  TranslatorPool& operator=(const TranslatorPool&) = delete;

  /// Begins to translate a line. `on_line` is called for each line; of a blank one before `add` returns. Returns the
  /// sentence, which can be cancelled, or null for a blank line.
  SharedSentence add(const TranslationRequest& request, OnLine on_line);
  PendingTranslation add(const TranslationRequest& request);

 private:
  void run(int64_t worker);
  void stop();

  const Translator& translator_;
  SentenceQueue queue_;
  std::vector<std::thread> threads_;
};

}  // namespace transformer
