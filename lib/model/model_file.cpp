#include "model/model_file.h"

#include <cmath>

#include "base/base64.h"
#include "base/build_info.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "model/stored_type.h"

namespace transformer {
namespace {

constexpr const char* kFormat = "transformer-2";
constexpr const char* kZipFormat = "transformer-1";  // of version 0.1 (serialization/zip_archive.h)
constexpr const char* kProgram = "program";

/// This program, as it stands in the files that it writes.
std::string this_program() { return fmt::format("transformer {} ({})", kBuildInfo.version, kBuildInfo.commit); }

std::string program_of(const Archive& archive, const std::string& path) {
  return archive.contains(kProgram) ? archive_entry<std::string>(archive, kProgram, path) : "";
}

/// The bytes of a vocabulary: as base64, or in older files as a tensor.
std::string vocabulary_of(const Archive& archive, const char* name, const std::string& path) {
  const auto found = archive.find(name);
  if (found != archive.end() && std::holds_alternative<torch::Tensor>(found->second)) {
    const auto& tensor = std::get<torch::Tensor>(found->second);
    if (tensor.scalar_type() == torch::kByte) {
      return {static_cast<const char*>(tensor.data_ptr()), static_cast<size_t>(tensor.numel())};
    }
    throw DamagedFile("{}: its entry '{}' does not consist of bytes; use another file", path, name);
  }
  if (auto bytes = bytes_of_base64(archive_entry<std::string>(archive, name, path))) return *std::move(bytes);
  throw DamagedFile("{}: its entry '{}' is not base64; use another file", path, name);
}

}  // namespace

const std::set<std::string>& model_entries() {
  static const std::set<std::string> names = {
      "format", kProgram, "provenance", "config", "vocabulary", "source_vocabulary", kParameters};
  return names;
}

Archive to_archive(const ModelFile& model) {
  Archive archive;
  archive.emplace("format", std::string(kFormat));
  archive.emplace(kProgram, this_program());
  if (!model.provenance.empty()) archive.emplace("provenance", model.provenance);
  archive.emplace("config", model.config);
  const VocabularyModels& vocabularies = model.vocabularies;
  archive.emplace("vocabulary", base64_of(vocabularies.target()));
  if (!vocabularies.are_shared()) archive.emplace("source_vocabulary", base64_of(vocabularies.source()));
  archive.emplace(kParameters, model.parameters);
  return archive;
}

ModelFile model_from_archive(const Archive& archive, const std::string& path) {
  const auto& format = archive_entry<std::string>(archive, "format", path);
  if (format != kFormat && format != kZipFormat) {
    const std::string program = program_of(archive, path);
    throw Error("{}: has the format {}{}, of a newer version of this program; {} reads {} and {}, so use that version",
                path, shown_value(format), program.empty() ? "" : ", written by " + shown_value(program),
                this_program(), kFormat, kZipFormat);
  }
  const auto vocabularies = [&]() -> VocabularyModels {
    const std::string target = vocabulary_of(archive, "vocabulary", path);
    if (!archive.contains("source_vocabulary")) return target;
    return VocabularyModels::separate(vocabulary_of(archive, "source_vocabulary", path), target);
  };
  const bool has_provenance = archive.contains("provenance");
  return {.config = archive_entry<std::string>(archive, "config", path),
          .vocabularies = vocabularies(),
          .parameters = archive_entry<NamedTensors>(archive, kParameters, path),
          .provenance = has_provenance ? archive_entry<std::string>(archive, "provenance", path) : "",
          .program = program_of(archive, path)};
}

void save_model(const std::string& path, const ModelFile& model) { save_archive(path, to_archive(model)); }

ModelFile load_model(const std::string& path) {
  ModelFile model = load_stored_model(path);
  model.parameters = restore_parameters(model.parameters, path);
  return model;
}

ModelFile load_stored_model(const std::string& path) {
  static const std::string kAverage = "moving_average";
  std::set<std::string> names = model_entries();
  names.insert(kAverage);
  const Archive archive = load_archive(path, names);
  ModelFile model = model_from_archive(archive, path);
  if (!archive.contains(kAverage)) return model;
  log_info("{}: using the moving average of its parameters, as validation does (training.ema_decay)", path);
  model.parameters = archive_entry<NamedTensors>(archive, kAverage, path);
  return model;
}

ModelFile load_model_without_parameters(const std::string& path) {
  auto names = model_entries();
  names.erase(kParameters);
  Archive archive = load_archive(path, names);
  archive.emplace(kParameters, NamedTensors());
  return model_from_archive(archive, path);
}

void check_finite(const NamedTensors& parameters, const std::string& path) {
  for (const auto& entry : parameters) {
    if (entry.value().numel() == 0 || !entry.value().is_floating_point()) continue;
    const auto [least, largest] = torch::aminmax(entry.value());  // both are NaN if any value is
    if (std::isfinite(least.item<double>()) && std::isfinite(largest.item<double>())) continue;
    throw Error(
        "{}: the parameter '{}' has values that are NaN or infinite, so the model cannot be used; use a checkpoint "
        "from before its training diverged",
        path, entry.key());
  }
}

NamedTensors copy_parameters(const torch::nn::Module& module) {
  NamedTensors copies;
  for (const auto& named : module.named_parameters()) {
    copies.insert(named.key(), named.value().detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
  return copies;
}

void for_each_parameter(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path,
                        const std::function<void(torch::Tensor& own, const torch::Tensor& given)>& assign) {
  torch::NoGradGuard no_grad;
  auto own = module.named_parameters();
  for (auto& named : own) {
    assign(named.value(), find_tensor(parameters, "parameter", named.key(), named.value().sizes(), path));
  }
  if (parameters.size() != own.size()) {
    throw Error("{}: has {} parameters, expected {}; it belongs to another architecture", path, parameters.size(),
                own.size());
  }
}

void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  for_each_parameter(module, parameters, path,
                     [](torch::Tensor& own, const torch::Tensor& given) { own.copy_(given); });
}

void adopt_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  for_each_parameter(module, parameters, path,
                     [](torch::Tensor& own, const torch::Tensor& given) { own.set_data(given.to(own.scalar_type())); });
}

}  // namespace transformer
