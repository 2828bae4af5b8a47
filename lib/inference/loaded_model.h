#pragma once

#include <string>
#include <vector>

#include "inference/inference_config.h"
#include "model/model_file.h"
#include "model/transformer.h"
#include "text/tokenizers.h"

namespace transformer {

/// A network in evaluation mode with its config and tokenizers, all from one model file.
struct LoadedModel {
  InferenceConfig config;
  Tokenizers tokenizers;
  Transformer network;
};

/// Builds the network of the model file's config and gives it the file's parameters. `path` and `vocabulary_path` are
/// the files that error messages name. Throws Error if config, vocabulary and parameters do not fit together or a
/// parameter is not finite.
LoadedModel build_model(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                        torch::Device device);

/// Throws as build_model does, without a copy of the parameters.
void check_model(const ModelFile& file, const std::string& path, const std::string& vocabulary_path);

/// Loads the model file or checkpoint that find_model finds. Throws Error if find_model finds no file, or if the file
/// is damaged or its parts do not fit together.
LoadedModel load_for_inference(const std::string& path, torch::Device device);

/// The models of an ensemble, packed for searches on one device or several. Config and tokenizers are those of the
/// first model.
struct LoadedEnsemble {
  InferenceConfig config;
  Tokenizers tokenizers;
  std::vector<std::vector<Transformer>> replicas;  // for each device, the networks of all models
};

/// Loads the models, each file once, and packs their matrices in this data type on each of the devices; one model is an
/// ensemble of one. The networks can only search from then on. Throws Error as load_for_inference does, and if the
/// models have different vocabularies.
LoadedEnsemble load_for_search(const std::vector<std::string>& paths, const std::vector<torch::Device>& devices,
                               WeightType type);

}  // namespace transformer
