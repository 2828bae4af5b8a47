#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "serving/served_models.h"
#include "serving/server_options.h"

namespace transformer {

/// Translates for HTTP clients: `/v1/translate`, LibreTranslate's `/translate` and `/languages`, a page at `/`, and
/// what those who run a server need: `/healthz`, `/metrics` and `/openapi.json`.
class TranslationServer {
 public:
  /// Binds the port. The first of the models is the one of requests without a name. Throws Error if it cannot listen.
  TranslationServer(std::vector<ServedModel> models, const ServerOptions& options);
  ~TranslationServer();
  TranslationServer(const TranslationServer&) = delete;
  TranslationServer& operator=(const TranslationServer&) = delete;

  /// The port that it listens on.
  int port() const;

  /// Answers requests until `should_stop` returns true, which is asked several times a second; then refuses further
  /// requests, and returns when those that run are answered.
  void run(const std::function<bool()>& should_stop);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace transformer
