#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "serialization/archive.h"
#include "text/source_and_target.h"

namespace transformer {

/// A model file: all that `translate` needs.
struct ModelFile {
  std::string config;  // the resolved config, as YAML
  VocabularyModels vocabularies;
  NamedTensors parameters;      // of load_model and in most other places in fp32 and by their names alone
  std::string provenance = {};  // where an imported model comes from, for people
  std::string program = {};     // that wrote the file, with its version; empty for files of version 0.1
};

/// The names of the entries that `to_archive` makes or that older model files have, for reading a checkpoint without
/// the optimizer's moments, which are twice as large as the parameters.
const std::set<std::string>& model_entries();
Archive to_archive(const ModelFile& model);
/// Throws Error where entries are missing, DamagedFile where they are of another type; `path` is the file in its
/// message.
ModelFile model_from_archive(const Archive& archive, const std::string& path);

/// Writes atomically. The parameters may be those of to_stored_type. Throws Error if the file cannot be written.
void save_model(const std::string& path, const ModelFile& model);
/// Of a checkpoint with a moving average of the parameters (`training.ema_decay`), loads that average as the
/// parameters, and logs it: it is the model that was validated. Throws Error if the file is missing, is of another
/// version of this program or lacks an entry; DamagedFile if it is damaged or not an archive (see load_archive), or if
/// an entry is of another type.
ModelFile load_model(const std::string& path);
/// The same with the parameters as they are stored (to_stored_type), for a search.
ModelFile load_stored_model(const std::string& path);
/// Loads a model file without its parameters, which may even be missing in the file. Throws as `load_model` does.
ModelFile load_model_without_parameters(const std::string& path);

/// Throws Error if a parameter has a value that is NaN or infinite; `path` is the file in its message.
void check_finite(const NamedTensors& parameters, const std::string& path);

/// A copy of every parameter, by its registered name, on the CPU.
NamedTensors copy_parameters(const torch::nn::Module& module);
/// Calls assign(own, given) for every parameter. Throws Error where names or shapes differ; `path` is the file in its
/// message.
void for_each_parameter(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path,
                        const std::function<void(torch::Tensor& own, const torch::Tensor& given)>& assign);
/// Sets every parameter. Throws as for_each_parameter does.
void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);
/// Sets every parameter without a copy, if it has the type of the module's: the module takes over the tensors. Throws
/// as for_each_parameter does.
void adopt_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);

}  // namespace transformer
