#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <set>
#include <string>

#include "serialization/archive.h"
#include "text/source_and_target.h"

namespace transformer {

/// A model file: all that `translate` needs.
struct ModelFile {
  std::string config;  // the resolved config, as YAML
  VocabularyModels vocabularies;
  NamedTensors parameters;

  /// Bytes of the parameters and the vocabularies, which make up nearly all of the file.
  int64_t bytes() const;
};

/// Bytes of the tensors' elements.
int64_t bytes_of(const NamedTensors& tensors);

/// The names of the entries that `to_archive` makes, for reading a checkpoint without the optimizer's moments, which
/// are twice as large as the parameters.
const std::set<std::string>& model_entries();
Archive to_archive(const ModelFile& model);
/// Throws Error where entries are missing, DamagedFile where they are of another type; `path` is the file in its
/// message.
ModelFile model_from_archive(const Archive& archive, const std::string& path);

/// Writes atomically. Throws Error if the file cannot be written.
void save_model(const std::string& path, const ModelFile& model);
/// Of a checkpoint with a moving average of the parameters (`training.ema_decay`), loads that average as the
/// parameters, and logs it: it is the model that was validated. Throws Error if the file is missing, is of another
/// version of this program or lacks an entry; DamagedFile if it is damaged or not an archive (see load_archive), or if
/// an entry is of another type.
ModelFile load_model(const std::string& path);
/// Loads a model file without its parameters, which may even be missing in the file. Throws as `load_model` does.
ModelFile load_model_without_parameters(const std::string& path);

/// Throws Error if a parameter has a value that is NaN or infinite; `path` is the file in its message.
void check_finite(const NamedTensors& parameters, const std::string& path);

/// A copy of every parameter, by its registered name, on the CPU.
NamedTensors copy_parameters(const torch::nn::Module& module);
/// Sets every parameter. Throws Error where names or shapes differ; `path` is the file in its message.
void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);
/// Sets every parameter without a copy: the module takes over the tensors. Throws as set_parameters does.
void adopt_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);

}  // namespace transformer
