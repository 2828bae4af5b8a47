#include "serving/admitted_translation.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "decoding/non_finite_scores.h"
#include "serving/refusal.h"

namespace transformer {
namespace {

using std::chrono::milliseconds;

/// How often a request looks whether its client is still there while its texts are translated.
constexpr milliseconds kCheckClientEvery{500};

/// Throws the exception of a search as a refusal.
[[noreturn]] void throw_of_search(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const NonFiniteScores&) {
    throw Refusal(500, "the model computed no finite scores for a text");
  } catch (const Error& failure) {  // the options permit no translation
    throw Refusal(422, "{}", failure.what());
  }
}

}  // namespace

AdmittedTranslation::AdmittedTranslation(const ServedModel& model, const std::vector<RequestedText>& texts,
                                         const RequestOptions& options, const std::string& client,
                                         const TranslationContext& context)
    : model_(model), timeout_(context.options.timeout), metrics_(context.metrics) {
  check_limits(texts, options, context.options);
  deadline_ = Clock::now() + timeout_;
  next_check_ = Clock::now() + kCheckClientEvery;
  running_ = model.service->begin(texts, options, [&](int64_t num_texts) {
    const int64_t max_queue = context.options.max_queue;
    if (num_texts > std::max(std::ssize(texts), max_queue)) {
      throw Refusal(413, "the request has {} sentences, and the queue takes {}; send its texts in several requests",
                    num_texts, max_queue);
    }
    ticket_ = std::make_unique<AdmissionControl::Ticket>(context.admission, client, num_texts);
  });
}

FinishedText AdmittedTranslation::next(const std::function<bool()>& has_gone) {
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) {
      throw Refusal(503, "the translation took longer than {} s; send fewer or shorter texts",
                    number_text(static_cast<double>(timeout_.count()) / 1000));
    }
    if (Clock::now() >= next_check_) {  // even if the next text is done sooner
      if (has_gone()) throw ClientHasGone();
      next_check_ = Clock::now() + kCheckClientEvery;
    }
    auto text = running_->next(std::min(left, std::chrono::ceil<milliseconds>(next_check_ - Clock::now())));
    if (!text) continue;
    if (text->error) throw_of_search(text->error);
    metrics_.add_text(model_.name, std::ssize(text->line.source_pieces), std::ssize(text->line.best().tokens));
    return std::move(*text);
  }
}

std::vector<TranslatedLine> AdmittedTranslation::all(const std::function<bool()>& has_gone) {
  std::vector<TranslatedLine> lines(num_left());
  while (num_left() > 0) {
    FinishedText text = next(has_gone);
    lines[text.index] = std::move(text.line);
  }
  return lines;
}

}  // namespace transformer
