#pragma once

#include <string>
#include <vector>

#include "model/model_config.h"

namespace transformer {

/// A linear layer or a LayerNorm in this program and in another one, under whose name its weight and its bias are.
struct ModuleName {
  std::string ours, theirs;
};

/// Whether the module has a bias, which the projections of attentions have only with `model.attention_bias`.
bool has_bias(const ModuleName& module, const ModelConfig& config);

/// The modules of both stacks in MarianMT and fairseq; theirs begin with `prefix`.
std::vector<ModuleName> marianmt_modules(const ModelConfig& config, const std::string& prefix);

/// A module in this program, and its two arrays in Marian.
struct MarianModule {
  std::string ours, weight, bias;
};

/// The modules of both stacks in Marian, whose matrices are [inputs, outputs] and whose vectors are [1, units].
std::vector<MarianModule> marian_modules(const ModelConfig& config);

}  // namespace transformer
