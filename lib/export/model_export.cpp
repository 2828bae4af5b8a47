#include "export/model_export.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/make_directory.h"
#include "base/read_file.h"
#include "export/safetensors.h"

namespace transformer {
namespace {

constexpr const char* kConfig = "config";

}  // namespace

ExportedFiles::ExportedFiles(const std::string& directory)
    : parameters(directory + "/model.safetensors"),
      vocabulary(directory + "/vocabulary.model"),
      source_vocabulary(directory + "/source_vocabulary.model") {}

std::vector<std::string> export_safetensors(const ModelFile& model, const std::string& directory) {
  make_directory(directory);
  const ExportedFiles files(directory);
  std::vector<std::string> written = {files.parameters, files.vocabulary};
  std::filesystem::remove(files.source_vocabulary);  // of another model
  if (!model.source_vocabulary.empty()) {
    write_file_atomically(files.source_vocabulary, model.source_vocabulary);
    written.push_back(files.source_vocabulary);
  }
  write_file_atomically(files.vocabulary, model.vocabulary);
  save_safetensors(files.parameters, {.metadata = {{kConfig, model.config}}, .tensors = model.parameters});
  return written;
}

ModelFile import_safetensors(const std::string& directory) {
  const ExportedFiles files(directory);
  const SafeTensors content = load_safetensors(files.parameters);
  const auto config = content.metadata.find(kConfig);
  if (config == content.metadata.end()) {
    throw Error(
        "{}: has no config in its metadata; only a file that `transformer export` wrote, or a copy with the same "
        "metadata, can be imported",
        files.parameters);
  }
  const bool has_source_vocabulary = std::filesystem::exists(files.source_vocabulary);
  return {.config = config->second,
          .vocabulary = read_file(files.vocabulary),
          .parameters = content.tensors,
          .source_vocabulary = has_source_vocabulary ? read_file(files.source_vocabulary) : ""};
}

}  // namespace transformer
