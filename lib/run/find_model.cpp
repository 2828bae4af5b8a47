#include "run/find_model.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/log.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

std::string model_of_run(const std::string& path) {
  std::string averaged = path + "/averaged.pt";
  if (std::filesystem::is_regular_file(averaged)) return averaged;
  const auto checkpoints = RunDirectory(path).checkpoints();
  if (!checkpoints.empty()) return checkpoints.back();
  throw Error("{}: is a directory with neither averaged.pt nor checkpoints; give a model file or a run directory",
              path);
}

std::string first_bytes(const std::string& path, size_t count) {
  std::string bytes(count, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

/// A list of messages, the pieces, each of which has its text first.
bool is_sentencepiece_model(const std::string& beginning) {
  return beginning.size() > 2 && beginning[0] == '\n' && beginning[2] == '\n';
}

/// The length of the header in 8 bytes, and the header in JSON.
bool is_safetensors(const std::string& beginning, uintmax_t file_size) {
  uint64_t length = 0;
  if (beginning.size() <= sizeof(length) || beginning[sizeof(length)] != '{') return false;
  std::memcpy(&length, beginning.data(), sizeof(length));
  return length < file_size;
}

void check_is_no_other_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".yaml" || ending == ".yml") {
    throw Error("{}: is a config; give a model file or a run directory, which `transformer train` writes", path);
  }
  const std::string beginning = first_bytes(path, 16);
  if (is_sentencepiece_model(beginning)) {
    throw Error("{}: is a vocabulary (a SentencePiece model); give a model file or a run directory", path);
  }
  if (is_safetensors(beginning, std::filesystem::file_size(path))) {
    throw Error("{}: is a safetensors file; turn it into a model file with `transformer import`", path);
  }
}

}  // namespace

std::string find_model(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    const std::string model = model_of_run(path);
    log_info("{}: using {}", path, model);
    return model;
  }
  if (std::filesystem::is_regular_file(path)) check_is_no_other_file(path);
  return path;
}

}  // namespace transformer
