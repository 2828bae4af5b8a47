#pragma once

#include <torch/nn/module.h>

#include <map>
#include <string>

namespace transformer {

using NamedTensors = c10::Dict<std::string, torch::Tensor>;
using Archive = std::map<std::string, c10::IValue>;

/// A model file: all that `translate` needs. On disk it is a zip archive that Python's `torch.load` reads as a dict,
/// followed by a checksum of it all.
struct ModelFile {
  std::string config;      // the resolved config, as YAML
  std::string vocabulary;  // the SentencePiece model's bytes
  NamedTensors parameters;
};

/// Writes atomically. Throws Error.
void save_archive(const std::string& path, const Archive& archive);
/// Throws Error where the file is missing, DamagedFile where it is cut short or its checksum does not fit.
Archive load_archive(const std::string& path);
/// The entry of this name. Throws Error where there is none; `path` is the file in its message.
const c10::IValue& archive_entry(const Archive& archive, const std::string& name, const std::string& path);

Archive to_archive(const ModelFile& model);
/// Throws Error where entries are missing; `path` is the file in its message.
ModelFile model_from_archive(const Archive& archive, const std::string& path);

void save_model(const std::string& path, const ModelFile& model);
ModelFile load_model(const std::string& path);

/// Throws Error if a parameter has a value that is NaN or infinite; `path` is the file in its message.
void check_finite(const NamedTensors& parameters, const std::string& path);

/// A copy of every parameter, by its registered name, on the CPU.
NamedTensors copy_parameters(const torch::nn::Module& module);
/// Sets every parameter. Throws Error where names or shapes differ; `path` is the file in its message.
void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);
/// The same without a copy: the module takes over the tensors.
void adopt_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);

}  // namespace transformer
