#pragma once

#include <httplib.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "serving/connection_queue.h"
#include "serving/metrics.h"
#include "serving/request_body.h"
#include "serving/requests_in_progress.h"
#include "serving/routes.h"
#include "serving/server_options.h"

namespace transformer {

/// An HTTP server on one port. It reads requests, passes them to the routes that are added before it runs, and itself
/// answers all others, exceptions of routes, and browsers that ask for web pages of other origins. It limits
/// connections, and ends when all requests are answered.
class HttpServer {
 public:
  using AnswerGet = httplib::Server::Handler;
  /// `in_progress` ends when the answer has been written; a streamed answer must keep it so long.
  using AnswerPost =
      std::function<void(const httplib::Request& request, const RequestBody& body, httplib::Response& response,
                         const std::shared_ptr<RequestInProgress>& in_progress)>;

  /// Counts the answers in `metrics`; both arguments must outlive the server.
  HttpServer(const ServerOptions& options, ServerMetrics& metrics);

  /// Answers requests of this path; each exception of `answer` becomes an answer (see answer_exception).
  void add_get(const std::string& path, const AnswerGet& answer);
  void add_post(const std::string& path, const AnswerPost& answer);

  /// Binds the port, and lets connections wait. Throws Error if it cannot listen.
  void bind();
  /// The port that is bound.
  int port() const { return port_; }

  /// Answers requests until `should_stop` returns true, which is asked several times a second; then calls `on_stop`,
  /// refuses further POST requests, and returns when those that run are answered.
  void run(const std::function<bool()>& should_stop, const std::function<void()>& on_stop);
  /// Whether `should_stop` has returned true.
  bool is_stopping() const { return is_stopping_; }

 private:
  void set_up();
  bool answer_preflight(const httplib::Request& request, httplib::Response& response) const;
  bool refuse_unknown(const httplib::Request& request, httplib::Response& response) const;
  void send(httplib::Response& response, const std::shared_ptr<RequestInProgress>& in_progress, bool closes) const;
  void make_room();

  const ServerOptions& options_;
  RequestsInProgress requests_;
  ConnectionCount connections_;
  Routes routes_;
  httplib::Server server_;
  int listening_socket_ = -1, port_ = 0;
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace transformer
