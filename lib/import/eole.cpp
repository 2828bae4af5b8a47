#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "export/module_names.h"
#include "import/foreign_tensors.h"
#include "import/formats.h"
#include "import/json_settings.h"
#include "import/other_settings.h"
#include "import/vocabulary.h"
#include "serialization/safetensors.h"

namespace transformer {
namespace {

constexpr const char* kVocabulary = "vocab.json";

/// The settings of one section, whose file contains only those that differ from their defaults.
JsonSettings section_of(const JsonSettings& settings, const std::string& key) {
  const Json* section = settings.find(key);
  return {section == nullptr ? "{}" : json_text(*section), fmt::format("{}: '{}'", settings.path(), key)};
}

/// The model's settings in the encoder or decoder: its own, or else those of the whole model.
JsonSettings stack_settings(const JsonSettings& model, const char* stack) {
  const Json* own = model.find(stack);
  if (own == nullptr)
    throw Error("{}: has no '{}', and this program imports encoder-decoder models", model.path(), stack);
  Json merged = model.object();
  const JsonSettings given = section_of(model, stack);
  for (const auto& [key, value] : given.object().items()) {
    if (!value.is_null()) merged[key] = value;
  }
  return {json_text(merged), fmt::format("{}: '{}'", model.path(), stack)};
}

[[noreturn]] void refuse(const JsonSettings& settings, const std::string& key) {
  const Json* value = settings.find(key);
  throw Error("{}: '{}' is {}, which this program does not support", settings.path(), key,
              value == nullptr ? "missing" : json_text(*value));
}

/// Throws Error unless the settings with which this program has no network are missing, null, false, 0 or empty.
void require_off(const JsonSettings& settings, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const Json* value = settings.find(key);
    if (value == nullptr || value->empty() || *value == Json(false) || *value == Json(0)) continue;
    refuse(settings, key);
  }
}

void require(const JsonSettings& settings, const std::string& key, const std::vector<std::string>& allowed) {
  const std::string value = settings.text(key).value_or(allowed.front());
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) refuse(settings, key);
}

void check_architecture(const JsonSettings& model, const JsonSettings& embeddings,
                        const std::vector<JsonSettings>& stacks) {
  require(model, "generator_function", {"softmax"});
  require_off(model, {"add_estimator"});
  require(embeddings, "embedding_type", {"standard"});
  require_off(embeddings, {"normalize", "position_shift", "embedding_layer_norm", "token_type_vocab_size"});
  require(stacks[0], "encoder_type", {"transformer"});
  require(stacks[0], "encoder_layer_style", {"standard"});
  if (!stacks[0].flag("final_encoder_layer_norm").value_or(true)) refuse(stacks[0], "final_encoder_layer_norm");
  require(stacks[1], "decoder_type", {"transformer"});
  for (const JsonSettings& stack : stacks) {
    require(stack, "layer_norm", {"standard", "standardFP32"});
    require_off(stack, {"parallel_residual", "shared_layer_norm", "ffn_layernorm", "query_norm", "key_norm",
                        "value_norm", "heads_kv", "attn_scaling", "num_experts", "q_gating", "sliding_window",
                        "layer_types", "num_mtp_heads", "aan_useffn"});
  }
}

Activation eole_activation(const JsonSettings& settings) {
  const std::string name = settings.text("mlp_activation_fn").value_or("relu");
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  if (name == "silu") return Activation::swish;
  if (name == "quick_gelu") return Activation::gelu_sigmoid;
  refuse(settings, "mlp_activation_fn");
}

void set_positions(const JsonSettings& embeddings, ModelConfig& model) {
  const std::string type = embeddings.text("position_encoding_type").value_or("SinusoidalInterleaved");
  if (type == "SinusoidalConcat") model.sinusoids = Sinusoids::tensor2tensor;
  if (type == "Learned") {
    model.position = Position::learned;
    model.scale_embedding = false;  // which eole does where it adds sinusoids
  }
  require(embeddings, "position_encoding_type", {"SinusoidalInterleaved", "SinusoidalConcat", "Learned"});
}

ModelConfig eole_model_config(const JsonSettings& settings) {
  const std::vector<JsonSettings> stacks = {stack_settings(settings, "encoder"), stack_settings(settings, "decoder")};
  const JsonSettings embeddings = section_of(settings, "embeddings");
  check_architecture(settings, embeddings, stacks);
  // Of both stacks, which must be the same there.
  const auto same = [&](const std::string& key, const auto& read) {
    if (read(stacks[0]) != read(stacks[1])) {
      throw Error("{}: '{}' differs between encoder and decoder, which this program does not support", settings.path(),
                  key);
    }
    return read(stacks[0]);
  };
  const auto integer = [&](const std::string& key, int64_t otherwise) {
    return same(key, [&](const JsonSettings& stack) { return stack.integer(key).value_or(otherwise); });
  };
  ModelConfig model;
  model.N = stacks[0].integer("layers").value_or(2);
  const int64_t decoder_layers = stacks[1].integer("layers").value_or(2);
  if (decoder_layers != model.N) model.decoder_layers = decoder_layers;
  model.d_model = integer("hidden_size", 512);
  model.d_ff = integer("transformer_ff", 2048);
  model.h = integer("heads", 8);
  const int64_t width = integer("head_dim", 0);
  if (width != 0 && width * model.h != model.d_model) model.d_k = model.d_v = width;
  model.layer_norm = NormOrder::pre;
  model.layer_norm_epsilon =
      same("norm_eps", [](const JsonSettings& stack) { return stack.number("norm_eps").value_or(1e-5); });
  model.activation = same("mlp_activation_fn", eole_activation);
  set_positions(embeddings, model);
  check_ranges("model", model, settings.path());
  return model;
}

std::vector<ModuleName> modules_of(const ModelConfig& config) {
  std::vector<ModuleName> modules;
  const auto add_stack = [&](const std::string& stack, int64_t num_layers) {
    for (int64_t n = 0; n < num_layers; ++n) {
      const std::string ours = fmt::format("{}.layers.{}.", stack, n),
                        theirs = fmt::format("{}.transformer_layers.{}.", stack, n);
      const auto add_attention = [&](const std::string& our_name, const std::string& their_name,
                                     const std::string& their_norm) {
        for (const auto& [our_part, their_part] : {std::pair{".w_q", ".linear_query"},
                                                   {".w_k", ".linear_keys"},
                                                   {".w_v", ".linear_values"},
                                                   {".w_o", ".final_linear"}}) {
          modules.push_back({ours + our_name + our_part, theirs + their_name + their_part});
        }
        modules.push_back({ours + our_name + "_sublayer.norm", theirs + their_norm});
      };
      add_attention("self_attention", "self_attn", "input_layernorm");
      if (stack == "decoder") add_attention("memory_attention", "context_attn", "precontext_layernorm");
      modules.push_back({ours + "feed_forward.w_1", theirs + "mlp.gate_up_proj"});
      modules.push_back({ours + "feed_forward.w_2", theirs + "mlp.down_proj"});
      modules.push_back({ours + "feed_forward_sublayer.norm", theirs + "post_attention_layernorm"});
    }
    modules.push_back({stack + ".norm", stack + ".layer_norm"});
  };
  add_stack("encoder", config.N);
  add_stack("decoder", config.num_decoder_layers());
  return modules;
}

void copy_eole_network(ForeignTensors& from, ForeignModel& model) {
  ModelConfig& config = model.config.model;
  // A matrix that is used twice has one of its names in the file.
  const std::string source = "src_emb.embeddings.weight", output = "generator.weight";
  std::string target = "tgt_emb.embeddings.weight";
  if (!from.has(target)) target = from.has(output) ? output : source;
  const torch::Tensor source_matrix = from.peek(source), target_matrix = from.peek(target);
  const auto to_fp32 = [](const torch::Tensor& matrix) { return matrix.to(torch::kFloat).contiguous(); };
  add_embeddings({.source = to_fp32(source_matrix),
                  .target = to_fp32(target_matrix),
                  .output = from.has(output) ? std::optional(to_fp32(from.peek(output))) : std::nullopt,
                  .bias = from.take_if_any("generator.bias")},
                 model);
  from.drop([&](const std::string& name) { return name == source || name == target || name == output; });
  if (config.position == Position::learned) {
    const torch::Tensor positions = from.take("src_emb.pe.weight");
    config.max_positions = positions.size(0);
    model.parameters.insert("source_positions.weight", positions);
    model.parameters.insert("target_positions.weight",
                            from.take_if_any("tgt_emb.pe.weight").value_or(positions.clone()));
  }
  const std::vector<ModuleName> modules = modules_of(config);
  const auto is_attention = [](const ModuleName& module) {
    return module.ours.find("attention.w_") != std::string::npos;
  };
  config.attention_bias = std::any_of(modules.begin(), modules.end(), [&](const ModuleName& module) {
    return is_attention(module) && from.has(module.theirs + ".bias");
  });
  for (const ModuleName& module : modules) {  // options such as add_ffnbias and add_key_bias
    const bool may_lack_bias = module.ours.find(".w_") != std::string::npos && has_bias(module, config);
    if (!may_lack_bias || from.has(module.theirs + ".bias")) continue;
    from.add(module.theirs + ".bias", torch::zeros({from.peek(module.theirs + ".weight").size(0)}));
  }
  copy_modules(from, modules, model);
  // Sinusoids, and a factor that encoder-decoder models do not use.
  from.drop([](const std::string& name) { return name.ends_with(".pe.pe") || name.ends_with(".layer_scalar"); });
}

ForeignTensors load_eole_tensors(Package& package) {
  NamedTensors all;
  std::string path;
  for (const std::string& name : package.names_with_suffix(".safetensors")) {
    if (!name.starts_with("model.")) continue;
    path = package.path_of(name);
    for (const auto& entry : view_safetensors(package.bytes(name), path).tensors) {
      if (!all.insert(entry.key(), entry.value()).second)
        throw Error("{}: has a part of '{}', which another file has, too; save the model for one device", path,
                    entry.key());
    }
  }
  if (path.empty()) throw Error("{}: there is no model.00.safetensors in it; copy the whole model", package.path());
  return {std::move(all), path};
}

ForeignVocabulary read_vocabulary(Package& package, const JsonSettings& config, const JsonSettings& vocabulary,
                                  const std::string& key, const std::string& side) {
  const JsonSettings specials = section_of(vocabulary, "specials");
  PieceList list;
  try {
    for (const Json& piece : array_of(member_of(vocabulary.object(), key))) list.pieces.push_back(string_of(piece));
  } catch (const Error& misfit) {
    throw Error("{}: '{}': {}; copy or download it again", vocabulary.path(), key, misfit.what());
  }
  const auto symbol = [&](const char* name, const char* otherwise) { return specials.text(name).value_or(otherwise); };
  list.unknown = id_of_piece(list, symbol("unk_token", "<unk>"), vocabulary.path());
  list.end = id_of_piece(list, symbol("eos_token", "</s>"), vocabulary.path());
  list.begin = find_piece(list, symbol("bos_token", "<s>"));
  list.pad = find_piece(list, symbol("pad_token", "<blank>"));
  list.source_has_end = false;
  // The paths of the transforms are those of the training, from which eole copies the files.
  const JsonSettings transforms = section_of(config, "transforms_configs");
  const auto file_of = [&](const char* transform) {
    const std::string path = section_of(transforms, transform).text(key + "_subword_model").value_or("");
    return std::filesystem::path(path).filename().string();
  };
  if (const std::string codes = file_of("bpe"); !codes.empty()) {
    return divide_by_codes(std::move(list), package, codes);
  }
  if (const std::string model = file_of("sentencepiece"); !model.empty()) {
    return {std::move(list), read_sentencepiece(package, model)};
  }
  return divide_beside(std::move(list), package, side, vocabulary.path());
}

DecoderStart eole_decoder_start(const JsonSettings& vocabulary, const PieceList& target) {
  const TokenId start = find_piece(target, vocabulary.text("decoder_start_token").value_or("<s>"));
  if (start != kNoToken && start == target.begin) return DecoderStart::begin;
  if (start != kNoToken && start == target.end) return DecoderStart::end;
  if (start != kNoToken && start == target.pad) return DecoderStart::pad;
  throw Error("{}: 'decoder_start_token' is none of the begin, end and padding symbols, with which decoders start here",
              vocabulary.path());
}

/// Throws Error if a transform divides text into other pieces, and warns of those that change text before `predict`
/// translates it.
void check_transforms(const JsonSettings& config) {
  const Json* transforms = config.find("transforms");
  if (transforms == nullptr) return;
  std::vector<std::string> names;
  try {
    for (const Json& name : array_of(*transforms)) names.push_back(string_of(name));
  } catch (const Error& misfit) {
    throw Error("{}: 'transforms': {}; copy or download it again", config.path(), misfit.what());
  }
  // Those of the pieces, which are imported, and those that only a training uses.
  static const std::vector<std::string> kKnown = {"sentencepiece", "bpe",  "filtertoolong", "filtertooshort",
                                                  "switchout",     "bart", "tokendrop",     "tokenmask"};
  const JsonSettings all_settings = section_of(config, "transforms_configs");
  const auto given = [&](const std::string& name) {
    const Json* settings = all_settings.find(name);
    return settings == nullptr || settings->empty() ? "" : fmt::format(" ({})", shown_value(json_text(*settings)));
  };
  for (const std::string& name : names) {
    if (name == "onmt_tokenize" || name == "huggingface_tokenize") {
      throw Error(
          "{}: 'transforms' has {}{}, a tokenizer that this program does not have; to import the model for texts that "
          "are divided into pieces already, remove it there, and SentencePiece models from the directory",
          config.path(), name, given(name));
    }
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    log_warning(
        "{}: 'transforms' has {}{}, which changes texts before they are translated, and is not imported; do the same "
        "to texts before",
        config.path(), name, given(name));
  }
}

/// What `eole predict` does with this model, unless it is told otherwise: its section `inference`.
DecodingConfig eole_decoding(const JsonSettings& inference, const std::string& unknown) {
  DecodingConfig decoding = opennmt_decoding(LengthPenaltyForm::average);
  decoding.beam_size = inference.integer("beam_size").value_or(decoding.beam_size);
  decoding.alpha = inference.number("alpha").value_or(decoding.alpha);
  decoding.max_extra_tokens = inference.integer("max_length").value_or(decoding.max_extra_tokens);
  const std::string penalty = inference.text("length_penalty").value_or("avg");
  require(inference, "length_penalty", {"avg", "wu", "none"});
  if (penalty == "wu") decoding.length_penalty = LengthPenaltyForm::gnmt;
  if (penalty == "none") decoding.length_penalty = LengthPenaltyForm::none;
  if (inference.flag("ban_unk_token").value_or(false)) decoding.forbidden_pieces = {unknown};
  check_ranges("decoding", decoding, inference.path());
  const auto number = [&](const char* key, int64_t more = 0) {
    return std::to_string(inference.integer(key).value_or(0) + more);
  };
  warn_of_other_settings(
      inference,
      {{.key = "min_length", .idle = {0}, .instead = "min_length " + number("min_length", 1)},  // with the end symbol
       {.key = "block_ngram_repeat", .idle = {0}, .instead = "no_repeat_ngram " + number("block_ngram_repeat")},
       {.key = "replace_unk", .instead = "replace_unknowns"},
       {.key = "phrase_table"},
       {.key = "top_k", .idle = {0}, .instead = "sample, and its temperature and top_k"},
       {.key = "top_p", .idle = {0}, .instead = "sample, and its temperature and top_p"},
       {.key = "coverage_penalty", .idle = {"none"}},
       {.key = "ratio", .idle = {0}},
       {.key = "max_length_ratio", .idle = {0, 2}},
       {.key = "optional_eos"},
       {.key = "transforms"},
       {.key = "transforms_configs"}});
  return decoding;
}

SourceProgram program_of(Package& package, const DecodingConfig& decoding) {
  const std::string directory = std::filesystem::path(package.path_of(kConfigFile)).parent_path().string();
  return {.package = "eole",
          .script = fmt::format("from eole.config.run import PredictConfig\n"
                                "from eole.inference_engine import InferenceEnginePY\n"
                                "config = PredictConfig(model_path=[{}], src=\"-\", beam_size={}, max_length_ratio=0,\n"
                                "                       gpu_ranks=[], world_size=1, batch_size=1)\n"
                                "def translate(lines):\n"
                                "    _, _, found = InferenceEnginePY(config).infer_list(lines)\n"
                                "    return [best[0] for best in found]\n",
                                python_text(directory.empty() ? "." : directory), decoding.beam_size)};
}

}  // namespace

bool is_eole(Package& package) {
  const auto text = package.bytes_if_any(kConfigFile);
  if (!text || !package.has(kVocabulary)) return false;
  const JsonSettings config(*text, package.path_of(kConfigFile));
  const Json* model = config.find("model");
  return model != nullptr && model->is_object();
}

ForeignModel import_eole(Package& package) {
  const JsonSettings config(package.bytes(kConfigFile), package.path_of(kConfigFile));
  const JsonSettings vocabulary(package.bytes(kVocabulary), package.path_of(kVocabulary));
  check_transforms(config);
  const std::string unknown = section_of(vocabulary, "specials").text("unk_token").value_or("<unk>");
  ForeignTensors tensors = load_eole_tensors(package);
  ForeignModel model{.config = {.model = eole_model_config(section_of(config, "model")),
                                .decoding = eole_decoding(section_of(config, "inference"), unknown)},
                     .path = tensors.path(),
                     .vocabulary_path = vocabulary.path()};
  const ForeignVocabulary source = read_vocabulary(package, config, vocabulary, "src", "source"),
                          target = read_vocabulary(package, config, vocabulary, "tgt", "target");
  model.vocabularies = join_vocabularies(source, target);
  model.config.model.decoder_start = eole_decoder_start(vocabulary, target.list);
  copy_eole_network(tensors, model);
  tensors.check_all_are_taken();
  model.program = program_of(package, model.config.decoding);
  return model;
}

}  // namespace transformer
