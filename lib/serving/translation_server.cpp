#include "serving/translation_server.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/parse_number.h"
#include "base/similar_names.h"
#include "base/system_error.h"
#include "base/utf8.h"
#include "decoding/non_finite_scores.h"
#include "embedded/translate.html.h"
#include "inference/translation_answer.h"
#include "serving/admission.h"
#include "serving/api_description.h"
#include "serving/call.h"
#include "serving/connection.h"
#include "serving/connection_queue.h"
#include "serving/languages.h"
#include "serving/metrics.h"
#include "serving/refusal.h"
#include "text/sentences.h"

namespace transformer {
namespace {

using std::chrono::milliseconds;

constexpr const char* kJson = "application/json";
constexpr const char* kJsonLines = "application/x-ndjson";

/// What other servers write into their logs for a client that has gone.
constexpr int kClientClosedRequest = 499;

/// How often a request looks whether its client is still there while its texts are translated.
constexpr milliseconds kCheckClientEvery{500};

/// While connections wait, one that has been idle for this time is ended.
constexpr milliseconds kIdle{1000};

/// How often the server looks whether connections wait.
constexpr milliseconds kMakeRoomEvery{250};

/// Of connections that wait to be accepted. The library's own number is 5, and a client whose connection finds the
/// queue full tries again after a second.
constexpr int kBacklog = 511;

/// A body above the limit is read to its end, so that the client gets the answer, if it is at most so many times as
/// long; of a longer one the rest stays unread, and the connection is closed.
constexpr size_t kReadableExcess = 16;

void set_json(httplib::Response& response, const Json& json) { response.set_content(json_text(json), kJson); }

void set_error(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  set_json(response, {{"error", message}});
}

/// What is wrong with a request that the library refuses with this status before it has a path.
std::string describe_refusal(int status) {
  switch (status) {
    case 400:
      return "the request cannot be read, or ended early; send GET or POST as HTTP/1.1 has them";
    case 414:
      return "the request's address is too long; send texts in the body of POST /v1/translate";
    case 416:
      return "the header Range cannot be read; leave it out, because answers are sent as a whole";
    default:
      return fmt::format("the request failed with HTTP status {}; try again later", status);
  }
}

/// Sets the status and the message of the exception that is being handled.
void answer_exception(httplib::Response& response) {
  try {
    throw;
  } catch (const Refusal& refusal) {
    set_error(response, refusal.status(), refusal.what());
    if (refusal.status() == 503 || refusal.status() == 429) response.set_header("Retry-After", "1");
    if (refusal.status() == 401) response.set_header("WWW-Authenticate", "Bearer");
  } catch (const ClientHasGone& gone) {
    set_error(response, kClientClosedRequest, gone.what());
  } catch (const TooBusy& busy) {
    set_error(response, 503, busy.what());
    response.set_header("Retry-After", "1");
  } catch (const Error& error) {
    set_error(response, 400, error.what());
  } catch (const std::exception& error) {
    const std::string message = first_line(error.what());
    log_warning("a request failed: {}", message);
    set_error(response, 500, fmt::format("internal error: {}", message));
  }
}

/// Whether the texts are equal, in a time that does not depend on where they differ.
bool are_equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

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

std::string joined_lines(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

}  // namespace

class TranslationServer::Implementation {
 public:
  Implementation(std::vector<ServedModel> models, const ServerOptions& options)
      : models_(std::move(models)),
        options_(options),
        admission_(options.max_queue, options.max_client_queue),
        connections_(options.max_connections) {
    set_up_server();
    add_routes();
    bind();
  }

  int port() const { return port_; }

  void run(const std::function<bool()>& should_stop) {
    std::thread listener([this] { server_.listen_after_bind(); });
    static constexpr milliseconds kAskEvery{50};
    for (auto last = Clock::now(); !should_stop(); std::this_thread::sleep_for(kAskEvery)) {
      if (Clock::now() - last < kMakeRoomEvery) continue;
      make_room();
      last = Clock::now();
    }
    is_stopping_ = true;
    log_info("stopping: {} left to translate", counted(admission_.num_texts(), "text"));
    {
      // The library would end the answers that it is sending, if it stopped earlier.
      std::unique_lock lock(mutex_);
      requests_ended_.wait(lock, [this] { return in_use_.empty(); });
    }
    server_.stop();
    shut_down_connections(port_);  // those that wait for another request
    listener.join();
  }

 private:
  /// A request, from the end of its header until its answer is written.
  struct RequestInProgress {
    RequestInProgress(Implementation& server, const std::string& request_path, const httplib::Request& request)
        : implementation(server), path(request_path), connection(ends_of(request)) {
      const std::lock_guard lock(implementation.mutex_);
      implementation.in_use_.insert(connection);
    }
    ~RequestInProgress() {
      implementation.metrics_.add_answer(path, status, seconds_since(start));
      const std::lock_guard lock(implementation.mutex_);
      implementation.in_use_.erase(connection);
      if (implementation.in_use_.empty()) implementation.requests_ended_.notify_all();
    }
    RequestInProgress(const RequestInProgress&) = delete;
    RequestInProgress& operator=(const RequestInProgress&) = delete;

    Implementation& implementation;
    const std::string path;
    const ConnectionEnds connection;
    const Clock::time_point start = Clock::now();
    int status = 200;
  };

  /// Translations of a request that were begun, with what they occupy.
  struct Begun {
    std::unique_ptr<AdmissionControl::Ticket> ticket;
    std::unique_ptr<RunningTranslation> running;
    Clock::time_point deadline;
    Clock::time_point next_check;  // of whether the client is still there
  };

  /// A request's body; of a form in parts, its fields in JSON.
  struct Body {
    std::string text;
    std::string type;  // the header Content-Type
  };
  using Answer = std::function<void(const httplib::Request&, const Body&, httplib::Response&,
                                    const std::shared_ptr<RequestInProgress>&)>;

  static ConnectionEnds ends_of(const httplib::Request& request) {
    return {request.remote_addr, request.remote_port, request.local_port};
  }

  /// Lets idle connections give way to those that wait.
  void make_room() {
    const int64_t num_waiting = connections_.num_waiting();
    if (num_waiting == 0) return;
    end_idle_connections(port_, kIdle, num_waiting, [this](const ConnectionEnds& ends) {
      const std::lock_guard lock(mutex_);
      return in_use_.contains(ends);
    });
  }

  void set_up_server() {
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
      allow_origin(request, response);
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
      if (response.status == 404) return set_error(response, 404, describe_unknown(request));
      set_error(response, response.status, describe_refusal(response.status));
    });
  }

  /// Lets the browser show the answer to web pages of allowed origins.
  void allow_origin(const httplib::Request& request, httplib::Response& response) const {
    const auto is_allowed = [this](const std::string& origin) {
      return std::find(options_.allowed_origins.begin(), options_.allowed_origins.end(), origin) !=
             options_.allowed_origins.end();
    };
    if (options_.allowed_origins.empty()) return;
    const std::string origin = is_allowed("*") ? "*" : request.get_header_value("Origin");
    if (origin != "*") response.set_header("Vary", "Origin");
    if (!is_allowed(origin)) return;
    response.set_header("Access-Control-Allow-Origin", origin);
    response.set_header("Access-Control-Expose-Headers", "Retry-After");
  }

  /// Whether a browser asks if a web page of another origin may send a request, which is answered then.
  bool answer_preflight(const httplib::Request& request, httplib::Response& response) const {
    if (options_.allowed_origins.empty() || request.method != "OPTIONS") return false;
    if (!request.has_header("Access-Control-Request-Method")) return false;
    for (const auto& [path, method] : paths_) {
      if (path != request.path) continue;
      response.set_header("Access-Control-Allow-Methods", method);
      response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type");
      response.set_header("Access-Control-Max-Age", "86400");
      response.status = 200;  // with 204, the library would send a length that HTTP forbids
      return true;
    }
    return false;
  }

  /// Whether the request has an unknown path or another method than the path, which is answered then, unless the
  /// library can read its body first. It would wait for a body without a length, and keep all of a long one.
  bool refuse_unknown(const httplib::Request& request, httplib::Response& response) const {
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    if (std::find(paths_.begin(), paths_.end(), std::pair(request.path, method)) != paths_.end()) return false;
    const bool may_have_body = method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
    const bool has_chunks = request.has_header("Transfer-Encoding");
    const auto length = parse_number<size_t>(request.get_header_value("Content-Length"));
    const bool is_short = !has_chunks && length && *length <= static_cast<size_t>(options_.max_body_bytes);
    if (may_have_body && is_short) return false;
    set_error(response, 404, describe_unknown(request));
    send(response, nullptr, /*closes=*/has_chunks || request.has_header("Content-Length"));
    return true;
  }

  /// A message for a path that there is not, or not with this method.
  std::string describe_unknown(const httplib::Request& request) const {
    for (const auto& [path, method] : paths_) {
      if (path == request.path) return fmt::format("{} takes {}, not {}", path, method, shown_value(request.method));
    }
    std::vector<std::string> names;
    for (const auto& [path, method] : paths_) names.push_back(path);
    return fmt::format("there is no {}; there are {}", shown_value(request.path), enumeration(names, "and"));
  }

  void add_routes() {
    add_get("/", /*is_open=*/true, [](const auto&, httplib::Response& response) {
      response.set_content(std::string(kTranslateHtml), "text/html; charset=utf-8");
    });
    add_get("/healthz", /*is_open=*/true, [this](const auto&, httplib::Response& response) {
      if (is_stopping_) throw Refusal(503, "the server is stopping");
      set_json(response, {{"status", "ok"}});
    });
    add_get("/metrics", /*is_open=*/false, [this](const auto&, httplib::Response& response) {
      response.set_content(metrics_.text(admission_.num_texts()), "text/plain; version=0.0.4");
    });
    add_get("/openapi.json", /*is_open=*/true, [this](const auto&, httplib::Response& response) {
      set_json(response, api_description(model_names(), kBuildInfo.version));
    });
    add_get("/v1/models", /*is_open=*/false, [this](const auto&, httplib::Response& response) {
      set_json(response, {{"models", model_names()}});
    });
    // LibreTranslate's clients send no token here.
    add_get("/languages", /*is_open=*/true, [this](const auto&, httplib::Response& response) {
      std::vector<LanguagePair> pairs;
      for (const ServedModel& model : models_) {
        if (auto pair = languages_in(model.name)) pairs.push_back(std::move(*pair));
      }
      set_json(response, language_list(pairs));
    });
    add_post("/v1/translate",
             [this](const auto& request, const Body& body, httplib::Response& response, const auto& in_progress) {
               check_token(request, "");
               translate(request, read_translate_call(body.text), response, in_progress);
             });
    add_post("/v1/sentences",
             [this](const auto& request, const Body& body, httplib::Response& response, const auto& /*in_progress*/) {
               check_token(request, "");
               divide(read_sentences_call(body.text), response);
             });
    add_post("/translate",
             [this](const auto& request, const Body& body, httplib::Response& response, const auto& /*in_progress*/) {
               const auto call = read_libretranslate_call(body.text, body.type);
               check_token(request, call.api_key);
               translate_for_libretranslate(request, call, response);
             });
  }

  /// Answers GET requests; those of an open path need no token.
  void add_get(const std::string& path, bool is_open, const httplib::Server::Handler& handler) {
    paths_.emplace_back(path, "GET");
    server_.Get(path, [=, this](const httplib::Request& request, httplib::Response& response) {
      const auto in_progress = std::make_shared<RequestInProgress>(*this, path, request);
      try {
        if (!is_open) check_token(request, "");
        handler(request, response);
      } catch (...) {
        answer_exception(response);
      }
      send(response, in_progress, /*closes=*/false);
    });
  }

  void add_post(const std::string& path, const Answer& answer) {
    paths_.emplace_back(path, "POST");
    server_.Post(path, [=, this](const httplib::Request& request, httplib::Response& response,
                                 const httplib::ContentReader& reader) {
      const auto in_progress = std::make_shared<RequestInProgress>(*this, path, request);
      bool is_read = false;  // whether nothing of the body is left in the connection
      try {
        const Body body = read_body(request, reader, is_read);
        if (is_stopping_) throw Refusal(503, "the server is stopping");
        answer(request, body, response, in_progress);
      } catch (...) {
        answer_exception(response);
      }
      send(response, in_progress, !is_read || is_stopping_);
    });
  }

  /// Lets `in_progress`, if there is any, last until the library has written the answer. If `closes` is set, or if
  /// other connections wait, the connection is closed then.
  void send(httplib::Response& response, const std::shared_ptr<RequestInProgress>& in_progress, bool closes) const {
    if (connections_.num_waiting() > 0) closes = true;
    if (response.body.empty()) return;  // it is streamed, and its provider has `in_progress`
    if (in_progress && response.status > 0) in_progress->status = response.status;
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

  /// Sets `is_read` if nothing of the body is left in the connection. Throws Refusal if the body is too long or arrives
  /// too slowly.
  Body read_body(const httplib::Request& request, const httplib::ContentReader& reader, bool& is_read) const {
    const auto too_long = [this] {
      return Refusal(413, "the request has more than {} bytes; send its texts in several requests",
                     with_thousands(options_.max_body_bytes));
    };
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
      is_read = true;  // the library would wait for the end of the connection
      throw Refusal(411, "the request has no body, or does not say how long it is; send Content-Length");
    }
    const auto limit = static_cast<size_t>(options_.max_body_bytes);
    const auto announced = parse_number<size_t>(request.get_header_value("Content-Length"));
    if (announced.value_or(0) / kReadableExcess > limit) throw too_long();
    const auto deadline = Clock::now() + options_.body_timeout;
    size_t num_bytes = 0;
    bool is_late = false;
    /// Counts bytes of the body, and adds them to `text`. Returns whether to read on.
    const auto take = [&](std::string& text, const char* data, size_t length) {
      num_bytes += length;
      if (num_bytes <= limit) text.append(data, length);
      is_late = Clock::now() > deadline;
      return !is_late && num_bytes / kReadableExcess <= limit;
    };
    Body body = {"", request.get_header_value("Content-Type")};
    std::vector<std::pair<std::string, std::string>> fields;  // of a form in parts, such as curl's -F sends
    if (request.is_multipart_form_data()) {
      is_read = reader(
          [&](const httplib::MultipartFormData& field) {
            fields.emplace_back();
            num_bytes += sizeof(fields.back());  // so that parts without content have a limit, too
            return take(fields.back().first, field.name.data(), field.name.size());
          },
          [&](const char* data, size_t length) { return take(fields.back().second, data, length); });
    } else {
      is_read = reader([&](const char* data, size_t length) { return take(body.text, data, length); });
    }
    if (is_late || (!is_read && Clock::now() >= deadline)) {  // the last wait ended without a byte
      throw Refusal(408, "the request's body has not arrived within {} s", options_.body_timeout.count() / 1000);
    }
    if (num_bytes > limit) throw too_long();
    if (!is_read) throw Refusal(400, "the request's body ended early, or cannot be decoded");
    if (!request.is_multipart_form_data()) return body;
    Json form = Json::object();
    for (const auto& [name, value] : fields) add_form_field(form, name, value);
    return {json_text(form), kJson};
  }

  /// `api_key` is the token that LibreTranslate's clients give in the body. Throws Refusal if the token is wrong.
  void check_token(const httplib::Request& request, const std::string& api_key) const {
    if (options_.tokens.empty()) return;
    const std::string header = request.get_header_value("Authorization");
    static constexpr std::string_view kBearer = "Bearer ";
    const std::string given = header.starts_with(kBearer) ? header.substr(kBearer.size()) : api_key;
    for (const std::string& token : options_.tokens) {
      if (are_equal_secrets(given, token)) return;
    }
    throw Refusal(401, "this server wants a token; send the header `Authorization: Bearer TOKEN`");
  }

  std::vector<std::string> model_names() const {
    std::vector<std::string> names;
    for (const ServedModel& model : models_) names.push_back(model.name);
    return names;
  }

  const ServedModel& model_named(const std::string& name) const {
    if (name.empty()) return models_.front();
    for (const ServedModel& model : models_) {
      if (model.name == name) return model;
    }
    const auto similar = similar_names(name, model_names());
    throw ParameterError("there is no model '{}'; {}", shown_value(name),
                         similar.empty() ? "there are " + enumeration(model_names(), "and")
                                         : "did you mean " + alternatives(similar) + "?");
  }

  const ServedModel& model_for(const std::string& source, const std::string& target) const {
    const ServedModel* found = nullptr;
    for (const ServedModel& model : models_) {
      const auto pair = languages_in(model.name);
      const bool fits = pair ? pair->target == target && (pair->source == source || source == "auto")
                             : models_.size() == 1;  // which need not be named for its languages
      if (!fits) continue;
      if (found) {
        throw ParameterError("'source': several models translate into '{}'; name the language of the text",
                             shown_value(target));
      }
      found = &model;
    }
    if (found) return *found;
    throw ParameterError("no model translates from '{}' to '{}'; there are {}", shown_value(source),
                         shown_value(target), enumeration(model_names(), "and"));
  }

  /// Checks the texts and begins to translate them.
  Begun begin(const httplib::Request& request, const ServedModel& model, const std::vector<RequestedText>& texts,
              const RequestOptions& options) {
    if (std::ssize(texts) > options_.max_request_texts) {
      throw Refusal(413, "the request has {} texts, and may have {}; send them in several requests", texts.size(),
                    options_.max_request_texts);
    }
    for (size_t i = 0; i < texts.size(); ++i) {
      if (static_cast<int64_t>(texts[i].text.size()) <= options_.max_text_characters) continue;
      if (static_cast<int64_t>(num_characters(texts[i].text)) <= options_.max_text_characters) continue;
      throw Refusal(413, "text {}: has more than {} characters; divide it into sentences", i + 1,
                    with_thousands(options_.max_text_characters));
    }
    for (const auto& [name, size] : {std::pair("beam_size", options.decoding.beam_size.value_or(1)),
                                     {"nbest", options.nbest},
                                     {"alternatives", options.choice.alternatives},
                                     {"mbr", options.choice.mbr}}) {
      if (size <= options_.max_beam_size) continue;
      throw ParameterError("'{}' may be {} at most on this server, got {}", name, options_.max_beam_size, size);
    }
    Begun begun;
    begun.deadline = Clock::now() + options_.timeout;
    begun.next_check = Clock::now() + kCheckClientEvery;
    begun.running = model.service->begin(texts, options, [&](int64_t num_texts) {
      if (num_texts > std::max(std::ssize(texts), options_.max_queue)) {
        throw Refusal(413, "the request has {} sentences, and the queue takes {}; send its texts in several requests",
                      num_texts, options_.max_queue);
      }
      begun.ticket = std::make_unique<AdmissionControl::Ticket>(admission_, request.remote_addr, num_texts);
    });
    return begun;
  }

  /// Answers with the sentences of each text.
  void divide(const SentencesCall& call, httplib::Response& response) const {
    const TranslationService& service = *model_named(call.model).service;
    const SentenceSplitter splitter(call.parts.split_language);
    Json sentences = Json::array();
    for (const std::string& text : call.texts) sentences.push_back(service.sentences_of(text, splitter));
    set_json(response, {{"sentences", sentences}});
  }

  /// The language of the texts for a model, by its name or as the request calls it; empty if it is not known.
  static std::string source_language(const ServedModel& model, const std::string& source) {
    const auto pair = languages_in(model.name);
    const std::string& code = pair ? pair->source : source;
    return is_language_code(code) ? code : "";
  }

  /// Waits for the next text that is done. Throws its error, Refusal if the time is over, and ClientHasGone if nobody
  /// waits for the answer, as `has_gone` tells.
  FinishedText next_of(Begun& begun, const ServedModel& model, const std::function<bool()>& has_gone) {
    while (true) {
      const auto left = std::chrono::duration_cast<milliseconds>(begun.deadline - Clock::now());
      if (left.count() <= 0) {
        throw Refusal(503, "the translation took longer than {} s; send fewer or shorter texts",
                      number_text(static_cast<double>(options_.timeout.count()) / 1000));
      }
      if (Clock::now() >= begun.next_check) {  // even if the next text is done sooner
        if (has_gone()) throw ClientHasGone();
        begun.next_check = Clock::now() + kCheckClientEvery;
      }
      auto text = begun.running->next(std::min(left, std::chrono::ceil<milliseconds>(begun.next_check - Clock::now())));
      if (!text) continue;
      if (text->error) throw_of_search(text->error);
      metrics_.add_text(model.name, std::ssize(text->line.source_pieces), std::ssize(text->line.best().tokens));
      return std::move(*text);
    }
  }

  /// The translations of all texts, in their order.
  std::vector<TranslatedLine> translate_all(const httplib::Request& request, const ServedModel& model,
                                            const std::vector<RequestedText>& texts, const RequestOptions& options) {
    Begun begun = begin(request, model, texts, options);
    const auto has_gone = [&] { return other_side_has_closed(ends_of(request)); };
    std::vector<TranslatedLine> lines(texts.size());
    while (begun.running->num_left() > 0) {
      FinishedText text = next_of(begun, model, has_gone);
      lines[text.index] = std::move(text.line);
    }
    return lines;
  }

  void translate(const httplib::Request& request, const TranslateCall& call, httplib::Response& response,
                 const std::shared_ptr<RequestInProgress>& in_progress) {
    const ServedModel& model = model_named(call.model);
    if (call.stream) {
      const auto begun = std::make_shared<Begun>(begin(request, model, call.texts, call.options));
      return stream(begun, model, call.options, response, in_progress);
    }
    Json answer = {{"model", model.name}, {"translations", Json::array()}};
    for (const TranslatedLine& line : translate_all(request, model, call.texts, call.options)) {
      answer["translations"].push_back(answer_of(line, call.options));
    }
    set_json(response, answer);
  }

  /// Answers with a line for each text, as soon as it is done; `in_progress` lasts as long as the answer.
  void stream(const std::shared_ptr<Begun>& begun, const ServedModel& model, const RequestOptions& options,
              httplib::Response& response, const std::shared_ptr<RequestInProgress>& in_progress) {
    const auto write_next = [=, this, &model](size_t /*offset*/, httplib::DataSink& sink) {
      if (begun->running->num_left() == 0) {
        sink.done();
        return true;
      }
      Json line;
      try {
        const FinishedText text = next_of(*begun, model, [&] { return !sink.is_writable(); });
        line = answer_of(text.line, options);
        line["index"] = text.index;
      } catch (const ClientHasGone&) {
        return false;
      } catch (const std::exception& error) {
        // The status has been sent, so the last line tells.
        const std::string last = json_text({{"error", first_line(error.what())}}) + "\n";
        sink.write(last.data(), last.size());
        sink.done();
        return true;
      }
      const std::string text = json_text(line) + "\n";
      return sink.write(text.data(), text.size());
    };
    response.set_chunked_content_provider(kJsonLines, write_next, [in_progress](bool is_written) {
      if (!is_written) in_progress->status = kClientClosedRequest;
    });
  }

  void translate_for_libretranslate(const httplib::Request& request, const LibreTranslateCall& call,
                                    httplib::Response& response) {
    const ServedModel& model = model_for(call.source, call.target);
    if (call.num_alternatives >= options_.max_beam_size) {
      throw ParameterError("'alternatives' may be {} at most on this server, got {}", options_.max_beam_size - 1,
                           call.num_alternatives);
    }
    RequestOptions options;
    options.parts.split = LineParts::sentences;
    options.parts.split_language = source_language(model, call.source);
    options.joins_nbest = true;
    options.nbest = 1 + call.num_alternatives;
    if (options.nbest > model.service->config().decoding.beam_size) options.decoding.beam_size = options.nbest;
    std::vector<RequestedText> lines;
    std::vector<std::string> carriage_returns;  // "\r" of a line that ends with it, "" of others
    std::vector<size_t> ends;                   // of the texts, among the lines
    for (const std::string& text : call.texts) {
      for (std::string& line : lines_of_text(text)) {
        carriage_returns.push_back(line.ends_with('\r') ? "\r" : "");
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back({.text = std::move(line)});
      }
      ends.push_back(lines.size());
    }
    const auto translated = translate_all(request, model, lines, options);
    Json texts = Json::array(), alternatives = Json::array();
    size_t begin = 0;
    for (const size_t end : ends) {
      Json others = Json::array();
      for (size_t n = 0; n < static_cast<size_t>(options.nbest); ++n) {
        std::vector<std::string> parts;  // a line with fewer translations repeats its last one
        for (size_t i = begin; i < end; ++i) {
          const auto& of_line = translated[i].translations;
          parts.push_back(of_line[std::min(n, of_line.size() - 1)].text + carriage_returns[i]);
        }
        (n == 0 ? texts : others).push_back(joined_lines(parts));
      }
      alternatives.push_back(std::move(others));
      begin = end;
    }
    Json answer = {{"translatedText", call.is_list ? texts : texts.at(0)}};
    if (call.num_alternatives > 0) answer["alternatives"] = call.is_list ? alternatives : alternatives.at(0);
    set_json(response, answer);
  }

  void bind() {
    errno = 0;
    const bool is_bound = options_.port == 0 ? (port_ = server_.bind_to_any_port(options_.host)) > 0
                                             : server_.bind_to_port(options_.host, port_ = options_.port);
    if (!is_bound) {
      throw Error("cannot listen on {}:{}: {}; give another --port or --host", options_.host, options_.port,
                  errno == 0 ? "there is no such address" : system_error_text(errno));
    }
    ::listen(listening_socket_, kBacklog);
  }

  const std::vector<ServedModel> models_;
  const ServerOptions options_;
  AdmissionControl admission_;
  ServerMetrics metrics_;
  ConnectionCount connections_;
  httplib::Server server_;
  std::vector<std::pair<std::string, std::string>> paths_;  // with their methods
  int listening_socket_ = -1, port_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::mutex mutex_;  // protects in_use_
  std::condition_variable requests_ended_;
  std::set<ConnectionEnds> in_use_;  // by a request, from the end of its header until its answer is written
};

TranslationServer::TranslationServer(std::vector<ServedModel> models, const ServerOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(models), options)) {}

TranslationServer::~TranslationServer() = default;

int TranslationServer::port() const { return implementation_->port(); }

void TranslationServer::run(const std::function<bool()>& should_stop) { implementation_->run(should_stop); }

}  // namespace transformer
