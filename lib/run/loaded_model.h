#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "data/tokenizer.h"
#include "model/model_file.h"
#include "model/transformer.h"

namespace transformer {

/// A model file, ready to run: its resolved config, its vocabulary and its network.
struct LoadedModel {
  Config config;
  Tokenizer tokenizer;
  Transformer network;
};

/// Throws Error where the parts do not fit together; `path` is the file in its message, and `vocabulary_path` the one
/// that the vocabulary comes from.
LoadedModel assemble(const ModelFile& file, const std::string& path, const std::string& vocabulary_path,
                     torch::Device device);
/// The same from a file. Throws Error where it is missing, damaged, or does not fit together.
LoadedModel load_for_inference(const std::string& path, torch::Device device);

/// The same for pack_for_search, which lays matrix after matrix out anew; what it frees is given back at once.
LoadedModel load_for_search(const std::string& path, torch::Device device);

/// Packs the network, which from here on only searches, and keeps for the search's steps no more memory than they take.
void pack_for_search(Transformer& network, WeightType type);

}  // namespace transformer
