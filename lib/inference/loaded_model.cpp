#include "inference/loaded_model.h"

#include <set>

#include "base/error.h"
#include "config/load_config.h"
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

Config config_of_model(const ModelFile& file, const std::string& path) {
  return parse_stored_config(file.config, path + " (config)");
}

std::vector<ConfigDifference> architecture_differences(const Config& there, const Config& here) {
  static const std::set<std::string> kOthers = {"model.P_drop", "model.attention_dropout", "model.relu_dropout"};
  const auto follows_from_others = [&](const std::string& key) {
    return (key == "model.d_k" && !there.model.d_k && !here.model.d_k) ||
           (key == "model.d_v" && !there.model.d_v && !here.model.d_v);
  };
  return config_differences(with_head_sizes(there), with_head_sizes(here), [&](const std::string& key) {
    return in_section("model")(key) && !kOthers.contains(key) && !follows_from_others(key);
  });
}

void check_fits_config(const ModelFile& file, const std::string& path, const VocabularyModels& vocabularies,
                       const Config& config) {
  if (file.vocabularies != vocabularies) {
    throw Error(
        "training.init_from: {} has another vocabulary than data.vocabulary ({}); leave data.vocabulary out, so that "
        "the vocabulary of that model is used",
        path, config.data.vocabulary.target.value_or(""));
  }
  // Another number of heads would fit the parameters as well.
  const auto differences = architecture_differences(config_of_model(file, path), config);
  if (differences.empty()) return;
  throw Error("training.init_from: {} is another architecture; set the keys under `model` as they are there: {}", path,
              text_of(differences));
}

LoadedModel build_model(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                        torch::Device device) {
  Config config = config_of_model(file, path);
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
