#include "serving/translation_server.h"

#include <exception>
#include <string>
#include <utility>

#include "base/build_info.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "embedded/translate.html.h"
#include "inference/translation_answer.h"
#include "serving/access.h"
#include "serving/admission.h"
#include "serving/admitted_translation.h"
#include "serving/api_description.h"
#include "serving/call.h"
#include "serving/connection.h"
#include "serving/http_server.h"
#include "serving/json_answer.h"
#include "serving/languages.h"
#include "serving/libretranslate.h"
#include "serving/metrics.h"
#include "serving/refusal.h"
#include "text/sentences.h"

namespace transformer {
namespace {

constexpr const char* kJsonLines = "application/x-ndjson";

}  // namespace

class TranslationServer::Implementation {
 public:
  Implementation(std::vector<ServedModel> models, const ServerOptions& options)
      : models_(std::move(models)),
        options_(options),
        admission_(options.max_queue, options.max_client_queue),
        http_(options_, metrics_) {
    add_routes();
    http_.bind();
  }

  int port() const { return http_.port(); }

  void run(const std::function<bool()>& should_stop) {
    http_.run(should_stop,
              [this] { log_info("stopping: {} left to translate", counted(admission_.num_texts(), "text")); });
  }

 private:
  void add_routes() {
    add_information();
    http_.add_post("/v1/translate", [this](auto& request, auto& body, auto& response, auto& in_progress) {
      check_header(request);
      translate(read_translate_call(body.text), response, in_progress);
    });
    http_.add_post("/v1/sentences", [this](auto& request, auto& body, auto& response, auto& /*in_progress*/) {
      check_header(request);
      divide(read_sentences_call(body.text), response);
    });
    http_.add_post("/translate", [this](auto& request, auto& body, auto& response, auto& in_progress) {
      const auto call = read_libretranslate_call(body.text, body.type);
      check_token(options_.tokens, request.get_header_value("Authorization"), call.api_key);
      translate_for_libretranslate(call, response, in_progress->connection());
    });
  }

  /// The routes that tell about the server, and its page.
  void add_information() {
    http_.add_get("/", [](auto& /*request*/, auto& response) {
      response.set_content(std::string(kTranslateHtml), "text/html; charset=utf-8");
    });
    http_.add_get("/healthz", [this](auto& /*request*/, auto& response) {
      if (http_.is_stopping()) throw Refusal(503, "the server is stopping");
      set_json(response, {{"status", "ok"}});
    });
    http_.add_get("/metrics", [this](auto& request, auto& response) {
      check_header(request);
      response.set_content(metrics_.text(admission_.num_texts()), "text/plain; version=0.0.4");
    });
    http_.add_get("/openapi.json", [this](auto& /*request*/, auto& response) {
      set_json(response, api_description(models_.names(), kBuildInfo.version));
    });
    http_.add_get("/v1/models", [this](auto& request, auto& response) {
      check_header(request);
      set_json(response, {{"models", models_.names()}});
    });
    // LibreTranslate's clients send no token here.
    http_.add_get("/languages", [this](auto& /*request*/, auto& response) {
      set_json(response, language_list(models_.language_pairs()));
    });
  }

  /// Throws Refusal if the request's header has no token of the server.
  void check_header(const httplib::Request& request) const {
    check_token(options_.tokens, request.get_header_value("Authorization"), /*api_key=*/"");
  }

  TranslationContext context() { return {options_, admission_, metrics_}; }

  /// The translations of all texts, in their order; `connection` is that of the request.
  std::vector<TranslatedLine> translate_all(const ServedModel& model, const std::vector<RequestedText>& texts,
                                            const RequestOptions& options, const ConnectionEnds& connection) {
    return AdmittedTranslation(model, texts, options, connection.remote_address, context()).all([&] {
      return other_side_has_closed(connection);
    });
  }

  void translate(const TranslateCall& call, httplib::Response& response,
                 const std::shared_ptr<RequestInProgress>& in_progress) {
    const ServedModel& model = models_.named(call.model);
    const ConnectionEnds& connection = in_progress->connection();
    if (call.stream) {
      return stream(
          std::make_shared<AdmittedTranslation>(model, call.texts, call.options, connection.remote_address, context()),
          call.options, response, in_progress);
    }
    Json answer = {{"model", model.name}, {"translations", Json::array()}};
    for (const TranslatedLine& line : translate_all(model, call.texts, call.options, connection)) {
      answer["translations"].push_back(answer_of(line, call.options));
    }
    set_json(response, answer);
  }

  /// Answers with a line for each text, as soon as it is done; `in_progress` lasts as long as the answer.
  static void stream(const std::shared_ptr<AdmittedTranslation>& translation, const RequestOptions& options,
                     httplib::Response& response, const std::shared_ptr<RequestInProgress>& in_progress) {
    const auto write_next = [translation, options](size_t /*offset*/, httplib::DataSink& sink) {
      if (translation->num_left() == 0) {
        sink.done();
        return true;
      }
      Json line;
      try {
        const FinishedText text = translation->next([&] { return !sink.is_writable(); });
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
      if (!is_written) in_progress->set_status(kClientClosedRequest);
    });
  }

  /// Answers with the sentences of each text.
  void divide(const SentencesCall& call, httplib::Response& response) const {
    const TranslationService& service = *models_.named(call.model).service;
    const SentenceSplitter splitter(call.parts.split_language);
    Json sentences = Json::array();
    for (const std::string& text : call.texts) sentences.push_back(service.sentences_of(text, splitter));
    set_json(response, {{"sentences", sentences}});
  }

  /// `connection` is that of the request.
  void translate_for_libretranslate(const LibreTranslateCall& call, httplib::Response& response,
                                    const ConnectionEnds& connection) {
    const ServedModel& model = models_.between(call.source, call.target);
    if (call.num_alternatives >= options_.max_beam_size) {
      throw ParameterError("'alternatives' may be {} at most on this server, got {}", options_.max_beam_size - 1,
                           call.num_alternatives);
    }
    const auto options =
        libretranslate_options(call, source_language(model, call.source), model.service->config().decoding.beam_size);
    // With its tags, which take time, too; of other text, each line is checked.
    for (size_t i = 0; call.is_html && i < call.texts.size(); ++i) check_length(call.texts[i], i + 1, options_);
    const LibreTranslateLines texts(call);
    set_json(response, texts.answer(translate_all(model, texts.lines(), options, connection)));
  }

  const ServedModels models_;
  const ServerOptions options_;
  AdmissionControl admission_;
  ServerMetrics metrics_;
  HttpServer http_;
};

TranslationServer::TranslationServer(std::vector<ServedModel> models, const ServerOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(models), options)) {}

TranslationServer::~TranslationServer() = default;

int TranslationServer::port() const { return implementation_->port(); }

void TranslationServer::run(const std::function<bool()>& should_stop) { implementation_->run(should_stop); }

}  // namespace transformer
