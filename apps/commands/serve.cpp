#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/words.h"
#include "commands/commands.h"
#include "evaluation/minimum_bayes_risk.h"
#include "inference/find_model.h"
#include "inference/loaded_model.h"
#include "options.h"
#include "platform/malloc_policy.h"
#include "serving/translation_server.h"

namespace transformer {
namespace {

struct ServeOptions {
  std::vector<std::string> models;  // "NAME=FILE", or "FILE"
  TranslatorOptions translator;
  WeightType precision = WeightType::fp32;
  DeviceOptions device;
  ServerOptions server;
  std::string token_file;
  double timeout = 60;
};

/// The files of each model, in the order of the models' names.
using ModelFiles = std::vector<std::pair<std::string, std::vector<std::string>>>;

ModelFiles files_of_models(const std::vector<std::string>& models) {
  static constexpr const char* kUnnamed = "default";
  ModelFiles files;
  for (const std::string& model : models) {
    const size_t equals = model.find('=');
    const bool is_named = equals != std::string::npos && model.find('/') > equals;
    const std::string name = is_named ? model.substr(0, equals) : kUnnamed;
    const std::string file = is_named ? model.substr(equals + 1) : model;
    if (name.empty() || file.empty()) throw UsageError("--model {}: expected NAME=FILE, or FILE", model);
    auto found = std::find_if(files.begin(), files.end(), [&](const auto& one) { return one.first == name; });
    if (found == files.end()) found = files.insert(files.end(), {name, {}});
    if (!is_named && !found->second.empty()) {
      throw UsageError("--model {}: several models need names; give NAME={}", model, file);
    }
    found->second.push_back(find_and_log_model(file));
  }
  return files;
}

std::vector<std::string> read_tokens(const std::string& file) {
  std::vector<std::string> tokens;
  if (file.empty()) return tokens;
  for (const std::string& line : read_lines(file)) {
    if (!is_blank(line)) tokens.emplace_back(trimmed(line));
  }
  if (tokens.empty()) throw UsageError("--token-file {}: has no token; write one on each line", file);
  return tokens;
}

/// Throws UsageError if a browser never sends one of these as the header Origin, whose form is SCHEME://HOST[:PORT].
void check_origins(const std::vector<std::string>& origins) {
  for (const std::string& origin : origins) {
    const size_t scheme = origin.find("://");
    const std::string host = scheme == std::string::npos ? "" : origin.substr(scheme + 3);
    const bool is_lower = std::none_of(origin.begin(), origin.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (origin == "*" ||
        (is_lower && scheme > 0 && !host.empty() && host.find_first_of("/?#@ ,") == std::string::npos)) {
      continue;
    }
    throw UsageError(
        "--allow-origin {}: is no origin; give one such as https://example.org, without a path and in "
        "lower case, or *",
        origin);
  }
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

void run_serve(const ServeOptions& options) {
  if (options.server.host.empty()) {
    throw UsageError("--host: names no address; give one, or 0.0.0.0 for all of this machine");
  }
  check_origins(options.server.allowed_origins);
  ServerOptions server_options = options.server;
  server_options.tokens = read_tokens(options.token_file);
  server_options.timeout = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
  const auto device = options.device.apply();
  std::vector<ServedModel> models;
  for (const auto& [name, files] : files_of_models(options.models)) {
    const LoadingMallocPolicy policy;
    models.push_back({name, std::make_unique<TranslationService>(load_for_search(files, {device}, options.precision),
                                                                 options.translator, expected_utilities)});
  }
  catch_stop_signals(/*acknowledge=*/false);
  TranslationServer server(std::move(models), server_options);
  const std::string& host = server_options.host;
  if (!is_loopback(host) && server_options.tokens.empty()) {
    log_warning("whoever reaches {}:{} may use this server; --token-file lets it ask for a token", host, server.port());
  }
  log_info("listening on http://{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", server.port());
  server.run(stop_requested);
}

void add_limits(CLI::App& command, ServeOptions& options) {
  ServerOptions& server = options.server;
  const auto add_number = [&](const char* name, auto& number, auto least, auto most, const char* help) {
    command.add_option(name, number, help)->check(CLI::Range(least, most))->capture_default_str()->group("Limits");
  };
  constexpr int64_t kMost = 1'000'000'000;
  add_number("--max-queue", server.max_queue, int64_t{1}, kMost,
             "Texts of all clients that wait or are being translated; others are refused with status 503");
  add_number("--max-client-queue", server.max_client_queue, int64_t{0}, kMost,
             "The same for the texts of one client's address, with status 429; 0: no limit");
  add_number("--max-body", server.max_body_bytes, int64_t{1}, kMost, "Bytes of a request, with status 413");
  add_number("--max-texts", server.max_request_texts, int64_t{1}, kMost, "Texts of a request, with status 413");
  add_number("--max-characters", server.max_text_characters, int64_t{1}, kMost,
             "Characters of a text, with status 413");
  add_number("--max-beam-size", server.max_beam_size, int64_t{1}, int64_t{1024},
             "Largest beam_size, nbest, alternatives and mbr that a request may ask for; others: status 400");
  add_number("--max-connections", server.max_connections, int64_t{1}, int64_t{10'000},
             "Connections that are served at once; others wait");
  add_number("--timeout", options.timeout, 0.001, 86'400.0,
             "Seconds after which the translation of a request is given up, with status 503");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command =
      app.add_subcommand("serve", "Translate for HTTP clients, with an API, LibreTranslate's and a page");
  command
      ->add_option("--model", options->models,
                   "Model file, checkpoint or run directory, also several as NAME=FILE; the first is the default, and "
                   "files of the same name are an ensemble. A name such as en-de gives the languages")
      ->required()
      ->type_name("FILE");
  command->add_option("--host", options->server.host, "Address to listen on; 0.0.0.0: all of this machine")
      ->capture_default_str();
  command->add_option("--port", options->server.port, "Port to listen on; 0: any that is free, which the log names")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--token-file", options->token_file,
                   "File with a token on each line, one of which each request must have (Authorization: Bearer TOKEN)")
      ->type_name("FILE");
  command
      ->add_option("--allow-origin", options->server.allowed_origins,
                   "Origin of other web pages whose scripts may use this server, such as https://example.org; *: any")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  add_limits(*command, *options);
  add_translator_options(*command, options->translator, options->precision);
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer serve --model en-de=runs/sample/averaged.safetensors --port 8080");
  command->callback([options] { run_serve(*options); });
}

}  // namespace transformer
