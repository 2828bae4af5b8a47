#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "inference/translation_service.h"
#include "serving/admission.h"
#include "serving/metrics.h"
#include "serving/served_models.h"
#include "serving/server_options.h"

namespace transformer {

/// What all translations of a server use, and must not outlive: limits, the count of texts, and the counters.
struct TranslationContext {
  const ServerOptions& options;
  AdmissionControl& admission;
  ServerMetrics& metrics;
};

/// The texts of a request while they are translated, within the server's limits. One thread at a time may use it.
class AdmittedTranslation {
 public:
  /// Checks the texts, and begins to translate them with the model, which must outlive this; `client` is the client's
  /// address. Throws as check_limits, AdmissionControl::Ticket and TranslationService::begin do, and Refusal if the
  /// queue could never take the sentences of the texts.
  AdmittedTranslation(const ServedModel& model, const std::vector<RequestedText>& texts, const RequestOptions& options,
                      const std::string& client, const TranslationContext& context);

  /// How many texts `next` has not returned.
  size_t num_left() const { return running_->num_left(); }

  /// Waits for the next text that is done. Throws its error, Refusal if the time is over, and ClientHasGone if nobody
  /// waits for the answer, as `has_gone` tells, which is asked twice a second.
  FinishedText next(const std::function<bool()>& has_gone);

  /// Waits for all texts, of which `next` has returned none. Returns their translations in the order of the texts.
  /// Throws as `next` does.
  std::vector<TranslatedLine> all(const std::function<bool()>& has_gone);

 private:
  const ServedModel& model_;
  const std::chrono::milliseconds timeout_;
  ServerMetrics& metrics_;
  Clock::time_point deadline_;
  Clock::time_point next_check_;  // of whether the client is still there
  std::unique_ptr<AdmissionControl::Ticket> ticket_;
  std::unique_ptr<RunningTranslation> running_;
};

}  // namespace transformer
