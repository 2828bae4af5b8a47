#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

#include "base/clock.h"
#include "serving/connection.h"
#include "serving/metrics.h"

namespace transformer {

/// The connections that requests use, each from the end of the request's header until its answer is written. Any number
/// of threads may use it.
class RequestsInProgress {
 public:
  /// Counts the answers in `metrics`, which must outlive it.
  explicit RequestsInProgress(ServerMetrics& metrics) : metrics_(metrics) {}

  /// A request, which is in progress while it exists. One thread at a time may use it.
  class Request {
   public:
    Request(RequestsInProgress& all, std::string path, ConnectionEnds connection);
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    const ConnectionEnds& connection() const { return connection_; }
    /// Sets the HTTP status of the answer, which is 200 otherwise.
    void set_status(int status) { status_ = status; }

   private:
    RequestsInProgress& all_;
    const std::string path_;
    const ConnectionEnds connection_;
    const Clock::time_point start_ = Clock::now();
    int status_ = 200;
  };

  /// Whether a request uses the connection.
  bool are_using(const ConnectionEnds& connection) const;
  /// Returns when no request is in progress.
  void wait_for_end() const;

 private:
  ServerMetrics& metrics_;
  mutable std::mutex mutex_;  // protects in_use_
  mutable std::condition_variable ended_;
  std::multiset<ConnectionEnds> in_use_;  // a client may use a port again before its last request has ended
};

using RequestInProgress = RequestsInProgress::Request;

}  // namespace transformer
