#include "inference/loaded_model.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "inference/find_model.h"
#include "model/adopt_stored_parameters.h"
#include "model/model_cost.h"
#include "model/stored_type.h"

namespace transformer {
namespace {

/// Checks, before memory is allocated for the network, that it needs at most twice as many parameters as the file has;
/// if they differ by less, the network that is built shows which parameter has another shape.
void check_num_parameters(const ModelFile& file, const ModelConfig& config, VocabularySizes vocabularies,
                          const std::string& path) {
  int64_t num_given = 0, num_matrices = 0, num_expected = 0;
  try {
    num_expected = num_parameters(config, vocabularies);
  } catch (const Error& misfit) {
    throw Error("{} (config): {}", path, misfit.what());
  }
  for (const auto& entry : file.parameters) num_given += entry.value().numel();
  for (const LinearLayer& layer : linear_layers(config)) num_matrices += layer.count;
  if (num_given >= num_expected / 2 && static_cast<int64_t>(file.parameters.size()) >= num_matrices) {
    return;
  }
  throw DamagedFile("{}: has fewer parameters than the network of its config; it belongs to another architecture",
                    path);
}

/// Checks that the models of an ensemble start their decoders alike, since a search has one token for all of them.
void check_same_start(const ModelConfig& first, const ModelConfig& other, const std::string& path) {
  if (other.decoder_start == first.decoder_start) return;
  throw Error("{}: has model.decoder_start {}, and the first model of the ensemble {}; the models must start alike",
              path, name_of(other.decoder_start), name_of(first.decoder_start));
}

/// adopt_parameters or adopt_stored_parameters.
using Adopt = void(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path);

/// A network in evaluation mode with the file's parameters.
Transformer build_network(const ModelFile& file, const ModelConfig& config, VocabularySizes vocabularies,
                          const std::string& path, torch::Device device, Adopt adopt) {
  Transformer network(config, vocabularies);
  adopt(*network, file.parameters, path);
  network->to(device);
  network->eval();
  return network;
}

LoadedModel build(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                  torch::Device device, Adopt adopt) {
  InferenceConfig config = read_inference_config(file.config, path, file.program);
  Tokenizers tokenizers(file.vocabularies, vocabulary_path);
  check_num_parameters(file, config.model, tokenizers.sizes(), path);
  Transformer network = build_network(file, config.model, tokenizers.sizes(), path, device, adopt);
  check_finite(file.parameters, path);
  return {std::move(config), std::move(tokenizers), std::move(network)};
}

}  // namespace

LoadedModel build_model(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                        torch::Device device) {
  return build(file, path, vocabulary_path, device, adopt_parameters);
}

void check_model(const ModelFile& file, const std::string& path, const std::string& vocabulary_path) {
  build(file, path, vocabulary_path, torch::kCPU, adopt_stored_parameters);
}

LoadedModel load_for_inference(const std::string& path, torch::Device device) {
  const std::string file = find_and_log_model(path);
  return build_model(load_model(file), file, file, device);
}

LoadedEnsemble load_for_search(const std::vector<std::string>& paths, const std::vector<torch::Device>& devices,
                               WeightType type) {
  std::optional<LoadedEnsemble> ensemble;
  for (const std::string& path : paths) {
    const std::string name = find_and_log_model(path);
    ModelFile file = load_stored_model(name);
    // Only int8 can begin with matrices in int8.
    if (type != WeightType::int8) file.parameters = restore_parameters(file.parameters, name);
    LoadedModel model = build(file, name, name, devices.at(0), adopt_stored_parameters);
    if (!ensemble) {
      ensemble.emplace(LoadedEnsemble{std::move(model.config), std::move(model.tokenizers),
                                      std::vector<std::vector<Transformer>>(devices.size())});
    } else if (file.vocabularies != ensemble->tokenizers.models()) {
      throw Error("{}: has another vocabulary than {}; the models of an ensemble must share one", path, paths[0]);
    }
    const ModelConfig config = model.network->config();
    check_same_start(ensemble->config.model, config, path);
    ensemble->replicas[0].push_back(std::move(model.network));
    for (size_t i = 1; i < devices.size(); ++i) {
      ensemble->replicas[i].push_back(
          build_network(file, config, ensemble->tokenizers.sizes(), name, devices[i], adopt_stored_parameters));
    }
  }
  // After the files' own tensors are freed, so that a matrix and its packed form are never both in memory for long.
  for (auto& replica : ensemble.value().replicas) {
    for (auto& network : replica) network->pack(type);
  }
  return std::move(*ensemble);
}

}  // namespace transformer
