#include "inference/loaded_model.h"

#include "base/error.h"
#include "inference/find_model.h"
#include "inference/find_model.h"
#include "model/model_cost.h"
#include "ops/precision.h"
#include "platform/malloc_policy.h"

namespace transformer {
namespace {

/// Checks that the file has as many parameters as the config's network, before memory is allocated for the network.
void check_num_parameters(const ModelFile& file, const ModelConfig& config, VocabularySizes vocabularies,
                          const std::string& path) {
  int64_t num_given = 0, num_matrices = 0;
  for (const auto& entry : file.parameters) num_given += entry.value().numel();
  for (const LinearLayer& layer : linear_layers(config)) num_matrices += layer.count;
  if (num_given >= num_parameters(config, vocabularies) &&
      static_cast<int64_t>(file.parameters.size()) >= num_matrices) {
    return;
  }
  throw DamagedFile("{}: has fewer parameters than the network of its config; it belongs to another architecture",
                    path);
}

}  // namespace

LoadedModel build_model(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                        torch::Device device) {
  InferenceConfig config = read_inference_config(file.config, path);
  Tokenizers tokenizers(file.vocabularies, vocabulary_path);
  check_num_parameters(file, config.model, tokenizers.sizes(), path);
  Transformer network(config.model, tokenizers.sizes());
  adopt_parameters(*network, file.parameters, path);
  check_finite(file.parameters, path);
  network->to(device);
  network->eval();
  return {std::move(config), std::move(tokenizers), std::move(network)};
}

LoadedModel load_for_inference(const std::string& path, torch::Device device) {
  allow_tf32(false);  // which is the default, but LibTorch lets an environment variable change it
  const std::string file = find_and_log_model(path);
  return build_model(load_model(file), file, file, device);
}

LoadedEnsemble load_for_search(const std::vector<std::string>& paths, torch::Device device) {
  // Packing replaces each matrix by one of another layout; the old ones must not stay in the heap.
  set_malloc_policy(MallocPolicy::return_large_blocks);
  LoadedModel first = load_for_inference(paths.at(0), device);
  LoadedEnsemble ensemble{std::move(first.config), std::move(first.tokenizers), {first.network}};
  for (size_t i = 1; i < paths.size(); ++i) {
    const LoadedModel other = load_for_inference(paths[i], device);
    if (other.tokenizers.models() != ensemble.tokenizers.models()) {
      throw Error("{}: has another vocabulary than {}; the models of an ensemble must share one", paths[i], paths[0]);
    }
    ensemble.networks.push_back(other.network);
  }
  return ensemble;
}

void pack_for_search(LoadedEnsemble& ensemble, WeightType type) {
  for (auto& network : ensemble.networks) network->pack(type);
  return_freed_memory();
  set_malloc_policy(MallocPolicy::keep_freed_memory);
}

}  // namespace transformer
