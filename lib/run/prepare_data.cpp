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

/// The vocabularies of a file. `key` named it.
GivenVocabularies read_vocabularies(const char* key, const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) throw Error("{}: {}: there is no such file; check the path", key, path);
  const std::string bytes = read_file(path);
  if (!is_model_file(bytes)) return {{bytes, path}, {bytes, path}};
  const ModelFile model = load_model(path);
  const std::string& source = model.source_vocabulary.empty() ? model.vocabulary : model.source_vocabulary;
  return {{source, path}, {model.vocabulary, path}};
}

std::optional<GivenVocabularies> given_vocabularies(const Config& config) {
  if (config.data.vocabulary.target) {
    return GivenVocabularies{read_vocabularies("data.vocabulary.source", *config.data.vocabulary.source).source,
                             read_vocabularies("data.vocabulary.target", *config.data.vocabulary.target).target};
  }
  if (config.training.init_from) return read_vocabularies("training.init_from", *config.training.init_from);
  return std::nullopt;
}

}  // namespace

DirectoryLock prepare_data(const Config& config, int num_threads, const std::string& config_file) {
  return prepare(config.data, num_threads, given_vocabularies(config), config_file);
}

}  // namespace transformer
