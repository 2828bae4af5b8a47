#include "run/loaded_model.h"

#include "platform/malloc_policy.h"

namespace transformer {

LoadedModel assemble(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                     torch::Device device) {
  Config config = parse_config(file.config, path);
  Tokenizer tokenizer(file.vocabulary, vocabulary_path);
  Transformer network(config.model, tokenizer.size());
  adopt_parameters(*network, file.parameters, path);
  network->to(device);
  network->eval();
  return {std::move(config), std::move(tokenizer), std::move(network)};
}

LoadedModel load_for_inference(const std::string& path, torch::Device device) {
  return assemble(load_model(path), path, path, device);
}

LoadedModel load_for_search(const std::string& path, torch::Device device) {
  give_back_large_blocks();
  return load_for_inference(path, device);
}

void pack_for_search(Transformer& network, WeightType type) {
  network->pack(type);
  give_back_freed_memory();
  keep_freed_memory();
}

}  // namespace transformer
