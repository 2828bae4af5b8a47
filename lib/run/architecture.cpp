#include "run/architecture.h"

#include <set>

#include "base/error.h"
#include "inference/inference_config.h"

namespace transformer {
namespace {

/// The keys below `model`, with the values that follow from other keys in place of null.
std::vector<KeyValue> values_without_null(ModelConfig config) {
  config.d_k = config.key_size();
  config.d_v = config.value_size();
  config.decoder_layers = config.num_decoder_layers();
  config.final_layer_norm = config.has_final_norm();
  return values_of(fields_of("model", config));
}

}  // namespace

std::vector<KeyDifference> model_differences(const ModelConfig& there, const ModelConfig& here) {
  return differences_of(values_without_null(there), values_without_null(here),
                        [](const std::string& /*key*/) { return true; });
}

std::vector<KeyDifference> architecture_differences(const ModelConfig& there, const ModelConfig& here) {
  static const std::set<std::string> kOthers = {"model.P_drop", "model.attention_dropout", "model.relu_dropout"};
  const auto follows_from_others = [&](const std::string& key) {
    return (key == "model.d_k" && !there.d_k && !here.d_k) || (key == "model.d_v" && !there.d_v && !here.d_v) ||
           (key == "model.decoder_layers" && !there.decoder_layers && !here.decoder_layers) ||
           (key == "model.final_layer_norm" && !there.final_layer_norm && !here.final_layer_norm);
  };
  auto differences = model_differences(there, here);
  std::erase_if(differences, [&](const KeyDifference& difference) {
    return kOthers.contains(difference.key) || follows_from_others(difference.key);
  });
  return differences;
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
  const auto differences = architecture_differences(read_model_config(file.config, path, file.program), config.model);
  if (differences.empty()) return;
  throw Error("training.init_from: {} is another architecture; set the keys under `model` as they are there: {}", path,
              text_of(differences));
}

}  // namespace transformer
