#include "export/module_names.h"

#include <fmt/core.h>

#include <array>

namespace transformer {
namespace {

constexpr std::array kProjections = {"q", "k", "v", "o"};

int64_t num_layers(const ModelConfig& config, const std::string& stack) {
  return stack == "encoder" ? config.N : config.num_decoder_layers();
}

}  // namespace

bool has_bias(const ModuleName& module, const ModelConfig& config) {
  return config.attention_bias || module.ours.find("attention.w_") == std::string::npos;
}

std::vector<ModuleName> marianmt_modules(const ModelConfig& config, const std::string& prefix) {
  std::vector<ModuleName> modules;
  for (const std::string stack : {"encoder", "decoder"}) {
    for (int64_t n = 0; n < num_layers(config, stack); ++n) {
      const std::string ours = fmt::format("{}.layers.{}.", stack, n), theirs = prefix + ours;
      const auto add_attention = [&](const char* our_name, const char* their_name) {
        for (const std::string part : kProjections) {
          modules.push_back({fmt::format("{}{}.w_{}", ours, our_name, part),
                             fmt::format("{}{}.{}_proj", theirs, their_name, part == "o" ? "out" : part)});
        }
        modules.push_back(
            {fmt::format("{}{}_sublayer.norm", ours, our_name), fmt::format("{}{}_layer_norm", theirs, their_name)});
      };
      add_attention("self_attention", "self_attn");
      if (stack == "decoder") add_attention("memory_attention", "encoder_attn");
      modules.push_back({ours + "feed_forward.w_1", theirs + "fc1"});
      modules.push_back({ours + "feed_forward.w_2", theirs + "fc2"});
      modules.push_back({ours + "feed_forward_sublayer.norm", theirs + "final_layer_norm"});
    }
    if (config.has_final_norm()) modules.push_back({stack + ".norm", prefix + stack + ".layer_norm"});
  }
  return modules;
}

std::vector<MarianModule> marian_modules(const ModelConfig& config) {
  std::vector<MarianModule> modules;
  const std::string suffix = config.layer_norm == NormOrder::pre ? "_pre" : "";
  const auto add_norm = [&](const std::string& ours, const std::string& theirs, const std::string& ending) {
    modules.push_back({ours, theirs + "_scale" + ending, theirs + "_bias" + ending});
  };
  for (const std::string stack : {"encoder", "decoder"}) {
    for (int64_t n = 0; n < num_layers(config, stack); ++n) {
      const std::string ours = fmt::format("{}.layers.{}.", stack, n), theirs = fmt::format("{}_l{}_", stack, n + 1);
      const auto add_linear = [&](const std::string& our_name, const std::string& their_name, const char* part) {
        modules.push_back({ours + our_name, fmt::format("{}{}_W{}", theirs, their_name, part),
                           fmt::format("{}{}_b{}", theirs, their_name, part)});
      };
      const auto add_attention = [&](const std::string& our_name, const std::string& their_name) {
        for (const char* part : kProjections) add_linear(fmt::format("{}.w_{}", our_name, part), their_name, part);
        add_norm(fmt::format("{}{}_sublayer.norm", ours, our_name), theirs + their_name + "_Wo_ln", suffix);
      };
      add_attention("self_attention", "self");
      if (stack == "decoder") add_attention("memory_attention", "context");
      add_linear("feed_forward.w_1", "ffn", "1");
      add_linear("feed_forward.w_2", "ffn", "2");
      add_norm(ours + "feed_forward_sublayer.norm", theirs + "ffn_ffn_ln", suffix);
    }
    if (config.has_final_norm()) add_norm(stack + ".norm", stack + "_top_ln", "");
  }
  if (config.embedding_layer_norm) {
    add_norm("source_embedding_norm", "encoder_emb_ln", "_pre");
    add_norm("target_embedding_norm", "decoder_emb_ln", "_pre");
  }
  return modules;
}

}  // namespace transformer
