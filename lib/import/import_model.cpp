#include "import/import_model.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "export/safetensors_export.h"
#include "import/formats.h"
#include "inference/find_model.h"
#include "inference/loaded_model.h"
#include "model/model_output.h"
#include "model/stored_type.h"
#include "settings/yaml.h"
#include "text/piece_list.h"

namespace transformer {
namespace {

/// The program of a model: its name, how it is recognized and read.
struct Format {
  const char* program;
  bool (*is_this)(Package& package);
  ForeignModel (*import)(Package& package);
};

constexpr std::array kFormats = {Format{"Hugging Face MarianMT", is_hugging_face, import_hugging_face},
                                 Format{"eole", is_eole, import_eole},
                                 Format{"CTranslate2", is_ctranslate2, import_ctranslate2},
                                 Format{"Marian", is_marian, import_marian},
                                 Format{"fairseq", is_fairseq, import_fairseq},
                                 Format{"OpenNMT", is_opennmt, import_opennmt}};

/// The directory that `export` wrote, if the path is one or its `model.safetensors`.
std::optional<std::string> find_own_export(const std::string& path) {
  std::string directory = path;
  if (std::filesystem::is_regular_file(path)) directory = std::filesystem::path(path).parent_path().string();
  if (directory.empty()) directory = ".";
  const SafetensorsFiles files(directory);
  const bool is_other_file = directory != path && std::filesystem::path(path).filename() != "model.safetensors";
  if (is_other_file || !std::filesystem::is_regular_file(files.parameters) || !is_export(files)) return std::nullopt;
  return directory;
}

/// Whether the path is a model file or a run directory of this program.
bool is_own_model(const std::string& path) {
  try {
    load_model_without_parameters(find_model(path));
    return true;
  } catch (const Error&) {
    return false;
  }
}

ForeignModel read_foreign(Package& package) {
  for (const Format& format : kFormats) {
    if (!format.is_this(package)) continue;
    log_info("{}: a model of {}", package.path(), format.program);
    ForeignModel model = format.import(package);
    model.provenance = fmt::format("{}: {}", format.program, package.path());
    return model;
  }
  throw Error(
      "{}: holds no model that can be imported; give a directory that `transformer export` wrote, or a model of "
      "Marian, MarianMT, CTranslate2, fairseq, OpenNMT-py or eole with its vocabularies",
      package.path());
}

/// All keys of the sections that a model needs.
std::string config_text(InferenceConfig config) {
  std::vector<KeyValue> values;
  for (const auto& fields : {fields_of("model", config.model), fields_of("decoding", config.decoding)}) {
    for (KeyValue& value : values_of(fields)) values.push_back(std::move(value));
  }
  return write_yaml(values, {});
}

/// Throws Error if the vocabulary lacks the symbol that the decoder starts with.
void check_decoder_start(const ForeignModel& foreign) {
  const DecoderStart start = foreign.config.model.decoder_start;
  const PieceList pieces = piece_list_of(foreign.vocabularies.target()).value();
  const bool lacks_begin = start == DecoderStart::begin && pieces.begin == kNoToken;
  if (!lacks_begin && !(start == DecoderStart::pad && pieces.pad == kNoToken)) return;
  throw Error("{}: has no {} symbol, with which the decoder of the model starts; use the vocabulary of the model",
              foreign.vocabulary_path, lacks_begin ? "begin" : "padding");
}

/// Throws Error if the vocabulary of a side has another number of pieces than its matrix has rows.
void check_rows(const ForeignModel& foreign, const char* side, const std::string& vocabulary,
                const torch::Tensor& matrix) {
  const int64_t num_pieces = std::ssize(piece_list_of(vocabulary).value().pieces);
  if (matrix.dim() != 2 || matrix.size(0) == num_pieces) return;
  throw Error("{}: has {} of the {}, but the matrix in {} has {} rows; use the vocabulary of the model",
              foreign.vocabulary_path, counted(num_pieces, "piece"), side, foreign.path, matrix.size(0));
}

void check_rows(const ForeignModel& foreign) {
  const torch::Tensor target = foreign.parameters.at("embedding.weight");
  const auto own = foreign.parameters.find("source_embedding.weight");
  check_rows(foreign, "target", foreign.vocabularies.target(), target);
  check_rows(foreign, "source", foreign.vocabularies.source(), own == foreign.parameters.end() ? target : own->value());
}

ModelFile to_model_file(ForeignModel foreign) {
  check_decoder_start(foreign);
  check_rows(foreign);
  ModelFile model{.config = config_text(foreign.config),
                  .vocabularies = std::move(foreign.vocabularies),
                  .parameters = to_stored_type(foreign.parameters, StoredType::fp32),
                  .provenance = std::move(foreign.provenance)};
  check_model(model, foreign.path, foreign.vocabulary_path);
  return model;
}

ModelFile import_own_export(const std::string& directory) {
  const SafetensorsFiles files(directory);
  ModelFile model = import_safetensors(directory);
  // Building the model converts parameters of other types to fp32, too.
  model.parameters =
      copy_parameters(*build_model(model, files.parameters, files.vocabulary_models.target, torch::kCPU).network);
  return model;
}

}  // namespace

std::string import_model(const std::string& path, const std::string& output,
                         const std::optional<std::string>& check_text) {
  if (!std::filesystem::exists(path)) throw Error("{}: there is no such file or directory; check the path", path);
  const auto own = find_own_export(path);
  if (own) {
    if (check_text)
      throw UsageError("--check: {} is a model of this program, with which nothing can be compared", path);
    const SafetensorsFiles files(*own);
    check_model_output(output, {files.parameters, files.vocabulary_models.source, files.vocabulary_models.target});
    save_model(output, import_own_export(*own));
    log_info("wrote {}", output);
    return "";
  }
  if (is_own_model(path)) {
    throw Error(
        "{}: is a model of this program, which needs no import; give it to the other commands as it is (`transformer "
        "export` turns a file of an older version into a new one)",
        path);
  }
  Package package(path);
  check_model_output(output, {path});
  const std::vector<std::string> lines = check_text ? read_lines(*check_text) : std::vector<std::string>();
  ForeignModel foreign = read_foreign(package);
  const auto program = package.is_archive() ? std::nullopt : foreign.program;
  if (check_text && !program) {
    throw UsageError(
        "--check: {} is of a program of which it is not known how it is asked, or is an archive; give a directory with "
        "a model of Marian, MarianMT, CTranslate2, OpenNMT-py or eole",
        path);
  }
  const ModelFile model = to_model_file(std::move(foreign));
  check_model_output(output, package.paths_read());
  save_model(output, model);
  log_info("wrote {}", output);
  return check_text ? compare_with(*program, output, lines) : "";
}

}  // namespace transformer
