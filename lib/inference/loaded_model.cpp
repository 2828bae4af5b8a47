#include "inference/loaded_model.h"

#include <optional>
#include <set>

#include "base/error.h"
#include "config/load_config.h"
#include "inference/find_model.h"
#include "model/model_cost.h"

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

/// A network in evaluation mode with the file's parameters.
Transformer build_network(const ModelFile& file, const ModelConfig& config, VocabularySizes vocabularies,
                          const std::string& path, torch::Device device) {
  Transformer network(config, vocabularies);
  adopt_parameters(*network, file.parameters, path);
  network->to(device);
  network->eval();
  return network;
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
  Transformer network = build_network(file, config.model, tokenizers.sizes(), path, device);
  check_finite(file.parameters, path);
  return {std::move(config), std::move(tokenizers), std::move(network)};
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
    const ModelFile file = load_model(name);
    LoadedModel model = build_model(file, name, name, devices.at(0));
    if (!ensemble) {
      ensemble.emplace(LoadedEnsemble{std::move(model.config), std::move(model.tokenizers), {devices.size(), {}}});
    } else if (file.vocabularies != ensemble->tokenizers.models()) {
      throw Error("{}: has another vocabulary than {}; the models of an ensemble must share one", path, paths[0]);
    }
    const ModelConfig config = model.network->config();
    ensemble->replicas[0].push_back(std::move(model.network));
    for (size_t i = 1; i < devices.size(); ++i) {
      ensemble->replicas[i].push_back(build_network(file, config, ensemble->tokenizers.sizes(), name, devices[i]));
    }
  }
  // After the files' own tensors are freed, so that a matrix and its packed form are never both in memory for long.
  for (auto& replica : ensemble.value().replicas) {
    for (auto& network : replica) network->pack(type);
  }
  return std::move(*ensemble);
}

}  // namespace transformer
