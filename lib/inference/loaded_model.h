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

/// Loads the model file or checkpoint that find_model finds. From then on, no GPU rounds this process's products to
/// TF32 (allow_tf32). Throws Error if find_model finds no file, or if the file is damaged or its parts do not fit
/// together.
LoadedModel load_for_inference(const std::string& path, torch::Device device);

/// The models of an ensemble. Config and tokenizers are those of the first one.
struct LoadedEnsemble {
  InferenceConfig config;
  Tokenizers tokenizers;
  std::vector<Transformer> networks;
};

/// Loads the models that `pack_for_search` then packs; one model is an ensemble of one. Throws Error as
/// load_for_inference does, and if the models have different vocabularies.
LoadedEnsemble load_for_search(const std::vector<std::string>& paths, torch::Device device);

/// Packs the networks' matrices in this data type; the networks only search from then on.
void pack_for_search(LoadedEnsemble& ensemble, WeightType type);

}  // namespace transformer
