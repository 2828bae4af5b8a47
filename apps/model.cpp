#include "model.h"

#include "model/model_file.h"

namespace transformer {

LoadedModel load_for_inference(const std::string& path, torch::Device device) {
  const ModelFile file = load_model(path);
  Config config = parse_config(file.config, path);
  Tokenizer tokenizer(file.vocabulary, path);
  Transformer network(config.model, tokenizer.size(), kPad);
  set_parameters(*network, file.parameters, path);
  network->to(device);
  network->eval();
  return {std::move(config), std::move(tokenizer), std::move(network)};
}

}  // namespace transformer
