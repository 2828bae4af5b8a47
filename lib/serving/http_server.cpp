#include "serving/http_server.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/system_error.h"
#include "serving/access.h"
#include "serving/connection.h"
#include "serving/json_answer.h"
#include "serving/refusal.h"

namespace transformer {
namespace {

using std::chrono::milliseconds;

/// While connections wait, one that has been idle for this time is ended.
constexpr milliseconds kIdle{1000};

/// How often the server looks whether connections wait.
constexpr milliseconds kMakeRoomEvery{250};

/// Of connections that wait to be accepted. The library's own number is 5, and a client whose connection finds the
/// queue full tries again after a second.
constexpr int kBacklog = 511;

ConnectionEnds ends_of(const httplib::Request& request) {
  return {request.remote_addr, request.remote_port, request.local_port};
}

void set_headers(httplib::Response& response, const Headers& headers) {
  for (const auto& [name, value] : headers) response.set_header(name, value);
}

}  // namespace

HttpServer::HttpServer(const ServerOptions& options, ServerMetrics& metrics)
    : options_(options), requests_(metrics), connections_(options.max_connections) {
  set_up();
}

void HttpServer::set_up() {
  server_.new_task_queue = [this] {
    return new ConnectionQueue(static_cast<size_t>(options_.max_connections), connections_);
  };
  server_.set_keep_alive_max_count(1'000'000);
  server_.set_keep_alive_timeout(75);               // longer than proxies keep an idle connection
  server_.set_read_timeout(options_.body_timeout);  // of one wait; read_body limits their sum
  server_.set_write_timeout(10);
  server_.set_tcp_nodelay(true);  // otherwise the body of an answer waits for the acknowledgement of its header
  server_.set_socket_options([this](int socket) {
    // Without the library's own SO_REUSEPORT, with which two servers may listen on one port.
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    listening_socket_ = socket;
  });
  server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    using Outcome = httplib::Server::HandlerResponse;
    set_headers(response, origin_headers(options_.allowed_origins, request.get_header_value("Origin")));
    const bool is_answered = answer_preflight(request, response) || refuse_unknown(request, response);
    return is_answered ? Outcome::Handled : Outcome::Unhandled;
  });
  server_.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (...) {
      answer_exception(response);
    }
  });
  server_.set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (response.has_header("Content-Type")) return;  // one of ours
    if (response.status == 404) return set_error(response, 404, routes_.describe_unknown(request.path, request.method));
    set_error(response, response.status, describe_refusal(response.status));
  });
}

/// Whether a browser asks if a web page of another origin may send a request, which is answered then.
bool HttpServer::answer_preflight(const httplib::Request& request, httplib::Response& response) const {
  if (options_.allowed_origins.empty() || request.method != "OPTIONS") return false;
  if (!request.has_header("Access-Control-Request-Method")) return false;
  const auto method = routes_.method_of(request.path);
  if (!method) return false;
  set_headers(response, preflight_headers(*method));
  response.status = 200;  // with 204, the library would send a length that HTTP forbids
  return true;
}

/// Whether the request has an unknown path or another method than the path, which is answered then, unless the library
/// can read its body first. It would wait for a body without a length, and keep all of a long one.
bool HttpServer::refuse_unknown(const httplib::Request& request, httplib::Response& response) const {
  const std::string& method = request.method;
  if (routes_.contains(request.path, method)) return false;
  const bool may_have_body = method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
  const bool has_chunks = request.has_header("Transfer-Encoding");
  const auto length = parse_number<size_t>(request.get_header_value("Content-Length"));
  const bool is_short = !has_chunks && length && *length <= static_cast<size_t>(options_.max_body_bytes);
  if (may_have_body && is_short) return false;
  set_error(response, 404, routes_.describe_unknown(request.path, method));
  send(response, nullptr, /*closes=*/has_chunks || request.has_header("Content-Length"));
  return true;
}

void HttpServer::add_get(const std::string& path, const AnswerGet& answer) {
  routes_.add(path, "GET");
  server_.Get(path, [=, this](const httplib::Request& request, httplib::Response& response) {
    const auto in_progress = std::make_shared<RequestInProgress>(requests_, path, ends_of(request));
    try {
      answer(request, response);
    } catch (...) {
      answer_exception(response);
    }
    send(response, in_progress, /*closes=*/false);
  });
}

void HttpServer::add_post(const std::string& path, const AnswerPost& answer) {
  routes_.add(path, "POST");
  server_.Post(path, [=, this](const httplib::Request& request, httplib::Response& response,
                               const httplib::ContentReader& reader) {
    const auto in_progress = std::make_shared<RequestInProgress>(requests_, path, ends_of(request));
    bool is_read = false;  // whether nothing of the body is left in the connection
    try {
      const RequestBody body = read_body(request, reader, options_.max_body_bytes, options_.body_timeout, is_read);
      if (is_stopping_) throw Refusal(503, "the server is stopping");
      answer(request, body, response, in_progress);
    } catch (...) {
      answer_exception(response);
    }
    send(response, in_progress, !is_read || is_stopping_);
  });
}

/// Lets `in_progress`, if there is any, last until the library has written the answer. If `closes` is set, or if other
/// connections wait, the connection is closed then.
void HttpServer::send(httplib::Response& response, const std::shared_ptr<RequestInProgress>& in_progress,
                      bool closes) const {
  if (connections_.num_waiting() > 0) closes = true;
  if (response.body.empty()) return;  // it is streamed, and its provider has `in_progress`
  if (in_progress && response.status > 0) in_progress->set_status(response.status);
  const std::string body = std::exchange(response.body, "");
  const std::string type = response.get_header_value("Content-Type");
  response.headers.erase("Content-Type");
  if (closes) response.set_header("Connection", "close");
  response.set_content_provider(
      body.size(), type,
      [body, closes](size_t offset, size_t length, httplib::DataSink& sink) {
        return sink.write(body.data() + offset, length) && !closes;  // the library closes after a failure
      },
      [in_progress](bool /*success*/) {});
}

void HttpServer::bind() {
  errno = 0;
  const bool is_bound = options_.port == 0 ? (port_ = server_.bind_to_any_port(options_.host)) > 0
                                           : server_.bind_to_port(options_.host, port_ = options_.port);
  if (!is_bound) {
    throw Error("cannot listen on {}:{}: {}; give another --port or --host", options_.host, options_.port,
                errno == 0 ? "there is no such address" : system_error_text(errno));
  }
  ::listen(listening_socket_, kBacklog);
}

void HttpServer::run(const std::function<bool()>& should_stop, const std::function<void()>& on_stop) {
  std::thread listener([this] { server_.listen_after_bind(); });
  static constexpr milliseconds kAskEvery{50};
  for (auto last = Clock::now(); !should_stop(); std::this_thread::sleep_for(kAskEvery)) {
    if (Clock::now() - last < kMakeRoomEvery) continue;
    make_room();
    last = Clock::now();
  }
  is_stopping_ = true;
  on_stop();
  requests_.wait_for_end();  // the library would end the answers that it is sending, if it stopped earlier
  server_.stop();
  shut_down_connections(port_);  // those that wait for another request
  listener.join();
}

/// Lets idle connections give way to those that wait.
void HttpServer::make_room() {
  const int64_t num_waiting = connections_.num_waiting();
  if (num_waiting == 0) return;
  end_idle_connections(port_, kIdle, num_waiting,
                       [this](const ConnectionEnds& ends) { return requests_.are_using(ends); });
}

}  // namespace transformer
