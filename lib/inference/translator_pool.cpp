#include "inference/translator_pool.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

#include "platform/own_threads.h"

namespace transformer {

TranslatorPool::TranslatorPool(const Translator& translator)
    : translator_(translator), queue_(translator.capacity(), translator.num_workers()) {
  const int threads = std::max(1, at::get_num_threads() / static_cast<int>(translator.num_workers()));
  try {
    for (int64_t worker = 0; worker < translator.num_workers(); ++worker) {
      threads_.emplace_back([this, worker, threads] {
        set_own_threads(threads);
        run(worker);
      });
    }
  } catch (...) {  // the system allows no further thread
    stop();
    throw;
  }
}

TranslatorPool::~TranslatorPool() { stop(); }

void TranslatorPool::stop() {
  queue_.cancel_all();
  for (auto& thread : threads_) thread.join();
}

SharedSentence TranslatorPool::add(const TranslationRequest& request, OnLine on_line) {
  Translator::EncodedRequest encoded = translator_.encode(request);
  TranslatedLine& line = encoded.line;  // clang 15 and older capture no structured bindings
  SearchRequest& search = encoded.search;
  if (search.source.empty()) {
    on_line(std::move(line), nullptr);
    return nullptr;
  }
  search.on_result = [this, source = search.source, line, on_line = std::move(on_line)](SearchResult result) {
    TranslatedLine translated = line;
    std::exception_ptr error = result.error;
    try {
      if (!error) translator_.add_translations(translated, source, result.hypotheses);
    } catch (...) {
      error = std::current_exception();
    }
    on_line(std::move(translated), error);
  };
  return queue_.add(std::move(search));
}

PendingTranslation TranslatorPool::add(const TranslationRequest& request) {
  const auto promise = std::make_shared<std::promise<TranslatedLine>>();
  auto future = promise->get_future();
  auto sentence = add(request, [promise](TranslatedLine line, const std::exception_ptr& error) {
    if (error) {
      promise->set_exception(error);
    } else {
      promise->set_value(std::move(line));
    }
  });
  return {std::move(future), std::move(sentence)};
}

/// Searches until the queue is closed. A search that throws has ended its sentences with the exception, and the next
/// one begins with others.
void TranslatorPool::run(int64_t worker) {
  while (true) {
    try {
      return translator_.search(queue_, worker);
    } catch (...) {
      if (queue_.is_closed()) return;
    }
  }
}

}  // namespace transformer
