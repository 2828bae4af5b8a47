#include "inference/find_model.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/read_file.h"
#include "model/run_files.h"
#include "serialization/safetensors.h"
#include "text/sentencepiece_check.h"

namespace transformer {
namespace {

std::string model_in_directory(const std::string& path) {
  const RunFiles run(path);
  if (const auto averaged = run.existing_averaged()) return *averaged;
  const auto checkpoints = run.checkpoints();
  if (!checkpoints.empty()) return checkpoints.back();
  if (const auto best = run.existing_best()) return *best;
  const std::string exported = path + "/model.safetensors";
  if (std::filesystem::is_regular_file(exported)) return exported;
  const auto parent = run_of_checkpoint(path + "/" + checkpoint_name(1));
  if (parent && !RunFiles(*parent).checkpoints().empty()) {
    throw Error("{}: is the directory of a run's checkpoints; give a file in it, or the run directory, {}", path,
                *parent);
  }
  throw Error(
      "{}: is a directory with neither averaged.safetensors nor checkpoints; give a model file or a run directory",
      path);
}

/// Whether this beginning of a file is printable text; a model file begins with binary numbers.
bool looks_like_text(const std::string& beginning) {
  static constexpr size_t kMinimum = 16;
  return beginning.size() >= kMinimum && std::all_of(beginning.begin(), beginning.end(), [](unsigned char c) {
           return c >= ' ' || c == '\n' || c == '\r' || c == '\t';
         });
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

void check_is_no_other_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".yaml" || ending == ".yml") {
    throw Error("{}: is a config; give a model file or a run directory, which `transformer train` writes", path);
  }
  const std::string beginning = read_beginning(path, /*count=*/256);
  if (looks_like_sentencepiece_model(beginning)) {
    throw Error("{}: is a vocabulary (a SentencePiece model); give a model file or a run directory", path);
  }
  if (looks_like_text(beginning)) {
    throw Error("{}: is text; give a model file, a checkpoint or a run directory", path);
  }
  if (is_safetensors(beginning, std::filesystem::file_size(path))) {
    if (begins_as_checked(beginning)) return;  // a model file
    // What is in the metadata of a file that `transformer export` wrote, and another program has perhaps changed.
    if (!load_safetensors_metadata(path).contains("config")) {
      throw Error(
          "{}: is a safetensors file of another program; give a model file, a checkpoint or a run directory, or see "
          "which models `transformer import` turns into one",
          path);
    }
    throw Error(
        "{}: is a safetensors file that is no model file; turn it into one with `transformer import --input {}`", path,
        directory_of(path));
  }
}

}  // namespace

std::string find_model(const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? model_in_directory(path) : path;
  if (std::filesystem::is_regular_file(file)) check_is_no_other_file(file);
  return file;
}

std::string find_and_log_model(const std::string& path) {
  std::string model = find_model(path);
  if (model == path) return model;
  log_info("{}: using {}", path, model);
  const auto checkpoints = RunFiles(path).checkpoints();
  const auto time_of = [](const std::string& file) {
    std::error_code unknown;
    return std::filesystem::last_write_time(file, unknown);
  };
  if (!checkpoints.empty() && time_of(model) < time_of(checkpoints.back())) {
    log_warning("{}: is older than {}; used nevertheless (transformer average-checkpoints makes a new one)", model,
                checkpoints.back());
  }
  return model;
}

}  // namespace transformer
