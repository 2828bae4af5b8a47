#include "model/model_file.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/log.h"

namespace transformer {
namespace {

constexpr const char* kFormat = "transformer-1";

torch::Tensor to_tensor(const std::string& bytes) {
  torch::Tensor tensor = torch::empty({static_cast<int64_t>(bytes.size())}, torch::kByte);
  std::copy(bytes.begin(), bytes.end(), tensor.data_ptr<uint8_t>());
  return tensor;
}

std::string to_bytes(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), static_cast<size_t>(tensor.numel())};
}

}  // namespace

int64_t bytes_of(const NamedTensors& tensors) {
  size_t bytes = 0;
  for (const auto& named : tensors) bytes += named.value().nbytes();
  return static_cast<int64_t>(bytes);
}

int64_t ModelFile::bytes() const {
  const size_t source_bytes = vocabularies.are_shared() ? 0 : vocabularies.source().size();
  return static_cast<int64_t>(vocabularies.target().size() + source_bytes) + bytes_of(parameters);
}

const std::set<std::string>& model_entries() {
  static const std::set<std::string> names = {"format", "config", "vocabulary", "source_vocabulary", "parameters"};
  return names;
}

Archive to_archive(const ModelFile& model) {
  Archive archive;
  archive.emplace("format", std::string(kFormat));
  archive.emplace("config", model.config);
  const VocabularyModels& vocabularies = model.vocabularies;
  archive.emplace("vocabulary", to_tensor(vocabularies.target()));
  if (!vocabularies.are_shared()) archive.emplace("source_vocabulary", to_tensor(vocabularies.source()));
  archive.emplace("parameters", model.parameters);
  return archive;
}

ModelFile model_from_archive(const Archive& archive, const std::string& path) {
  if (archive_entry<std::string>(archive, "format", path) != kFormat) {
    throw Error("{}: a model file of another version of this program; this one reads {}", path, kFormat);
  }
  const auto bytes_of_entry = [&](const char* name) {
    const auto& entry = archive_entry<torch::Tensor>(archive, name, path);
    if (entry.scalar_type() == torch::kByte) return to_bytes(entry);
    throw DamagedFile("{}: its entry '{}' does not consist of bytes; use another file", path, name);
  };
  const auto vocabularies = [&]() -> VocabularyModels {
    const std::string target = bytes_of_entry("vocabulary");
    if (!archive.contains("source_vocabulary")) return target;
    return VocabularyModels::separate(bytes_of_entry("source_vocabulary"), target);
  };
  return {.config = archive_entry<std::string>(archive, "config", path),
          .vocabularies = vocabularies(),
          .parameters = archive_entry<NamedTensors>(archive, "parameters", path)};
}

void save_model(const std::string& path, const ModelFile& model) { save_archive(path, to_archive(model)); }

ModelFile load_model(const std::string& path) {
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
  names.erase("parameters");
  Archive archive = load_archive(path, names);
  archive.emplace("parameters", NamedTensors());
  return model_from_archive(archive, path);
}

void check_finite(const NamedTensors& parameters, const std::string& path) {
  for (const auto& entry : parameters) {
    if (entry.value().numel() == 0) continue;
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

namespace {

/// Calls assign(own, given) for every parameter.
template <class Assign>
void for_each_parameter(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path,
                        const Assign& assign) {
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

}  // namespace

void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  for_each_parameter(module, parameters, path,
                     [](torch::Tensor& own, const torch::Tensor& given) { own.copy_(given); });
}

void adopt_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  for_each_parameter(module, parameters, path,
                     [](torch::Tensor& own, const torch::Tensor& given) { own.set_data(given.to(own.scalar_type())); });
}

}  // namespace transformer
