#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "data/tokenizer.h"
#include "model/transformer.h"

namespace transformer {

/// A model file, ready to run: its resolved config, its vocabulary and its network.
struct LoadedModel {
  Config config;
  Tokenizer tokenizer;
  Transformer network;
};

/// Throws Error where the file is missing, damaged, or does not fit together.
LoadedModel load_for_inference(const std::string& path, torch::Device device);

}  // namespace transformer
