#include "run/prepare_data.h"

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/read_file.h"
#include "data/prepare.h"
#include "model/model_file.h"

namespace transformer {
namespace {

/// Model files are zip archives; SentencePiece's never begin like one.
bool is_model_file(const std::string& bytes) { return bytes.starts_with("PK"); }

GivenVocabulary read_vocabulary(const char* key, const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) throw Error("{}: {}: there is no such file; check the path", key, path);
  std::string bytes = read_file(path);
  if (is_model_file(bytes)) bytes = load_model(path).vocabulary;
  return {.model_bytes = std::move(bytes), .path = path};
}

std::optional<GivenVocabulary> given_vocabulary(const Config& config) {
  if (config.data.vocabulary) return read_vocabulary("data.vocabulary", *config.data.vocabulary);
  if (config.training.init_from) return read_vocabulary("training.init_from", *config.training.init_from);
  return std::nullopt;
}

}  // namespace

DirectoryLock prepare_data(const Config& config, int num_threads, const std::string& config_file) {
  return prepare(config.data, num_threads, given_vocabulary(config), config_file);
}

}  // namespace transformer
