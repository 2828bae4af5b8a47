#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "inference/request_options.h"
#include "serving/server_options.h"

namespace transformer {

/// Throws Refusal if the text, the request's with this number, has too many characters.
void check_length(const std::string& text, size_t number, const ServerOptions& limits);

/// Checks a request by itself. Throws Refusal if it has too many texts or one that is too long, and ParameterError if
/// its options ask for too many hypotheses.
void check_limits(const std::vector<RequestedText>& texts, const RequestOptions& options, const ServerOptions& limits);

/// Counts the texts that are being translated, for all clients and for each, and refuses what is above the limits.
class AdmissionControl {
 public:
  /// `max_client_texts` 0: no limit for one client.
  AdmissionControl(int64_t max_texts, int64_t max_client_texts)
      : max_texts_(max_texts), max_client_texts_(max_client_texts) {}

  /// The texts of a request, which count until its end.
  class Ticket {
   public:
    /// Throws Refusal, with status 503 if there are too many texts in all, and 429 if this client has too many.
    Ticket(AdmissionControl& control, std::string client, int64_t num_texts);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    AdmissionControl& control_;
    const std::string client_;
    const int64_t num_texts_;
  };

  int64_t num_texts() const;

 private:
  const int64_t max_texts_, max_client_texts_;
  mutable std::mutex mutex_;  // protects what follows
  int64_t num_texts_ = 0;
  std::map<std::string, int64_t> of_clients_;  // of those that have any
};

}  // namespace transformer
