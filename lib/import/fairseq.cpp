#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "export/module_names.h"
#include "import/checkpoint.h"
#include "import/foreign_tensors.h"
#include "import/formats.h"
#include "import/vocabulary.h"

namespace transformer {
namespace {

using NodeId = TorchFile::NodeId;

/// The options of the model: `args` of older checkpoints, `cfg.model` of newer ones.
std::optional<NodeId> find_options(ForeignCheckpoint& checkpoint) {
  if (const auto args = checkpoint.find("args")) return args;
  const auto config = checkpoint.find("cfg");
  return config ? checkpoint.file().find(*config, "model") : std::nullopt;
}

Activation fairseq_activation(const ForeignCheckpointOptions& options) {
  const std::string name = options.text("activation_fn", "relu");
  if (name == "relu") return Activation::relu;
  if (name == "swish") return Activation::swish;
  if (name == "gelu") return Activation::gelu;
  options.refuse("activation_fn", fmt::format("{} is none of relu, swish and gelu", name));
}

int64_t same_in_both(const ForeignCheckpointOptions& options, const std::string& key) {
  const int64_t encoder = options.integer(("encoder_" + key).c_str()),
                decoder = options.integer(("decoder_" + key).c_str());
  if (encoder != decoder) options.refuse(("decoder_" + key).c_str(), "encoder and decoder differ in it");
  return encoder;
}

void check_architecture(const ForeignCheckpointOptions& options) {
  const std::string architecture = options.text("arch", options.text("_name", "transformer"));
  if (!architecture.starts_with("transformer") || architecture.starts_with("transformer_lm")) {
    options.refuse("arch", fmt::format("{} is no transformer with encoder and decoder", architecture));
  }
  for (const char* key : {"no_token_positional_embeddings", "no_cross_attention", "cross_self_attention",
                          "lang_tok_replacing_bos_eos", "no_decoder_final_norm", "char_inputs"}) {
    options.refuse_if(options.flag(key), key, "it is not supported");
  }
  for (const char* key : {"adaptive_softmax_cutoff", "encoder_layers_to_keep", "decoder_layers_to_keep"}) {
    options.refuse_if(!options.text(key, "").empty(), key, "it is not supported");
  }
  options.refuse_if(options.flag("encoder_normalize_before") != options.flag("decoder_normalize_before"),
                    "decoder_normalize_before", "encoder and decoder differ in it");
  options.refuse_if(options.flag("encoder_learned_pos") != options.flag("decoder_learned_pos"), "decoder_learned_pos",
                    "encoder and decoder differ in it");
}

ModelConfig fairseq_model_config(const ForeignCheckpointOptions& options) {
  check_architecture(options);
  ModelConfig model;
  model.N = options.integer("encoder_layers");
  const int64_t decoder_layers = options.integer("decoder_layers");
  if (decoder_layers != model.N) model.decoder_layers = decoder_layers;
  model.d_model = same_in_both(options, "embed_dim");
  model.d_ff = same_in_both(options, "ffn_embed_dim");
  model.h = same_in_both(options, "attention_heads");
  model.P_drop = options.number("dropout").value_or(0.1);
  model.attention_dropout = options.number("attention_dropout").value_or(0);
  model.relu_dropout = options.number("activation_dropout").value_or(0);
  model.layer_norm = options.flag("encoder_normalize_before") ? NormOrder::pre : NormOrder::post;
  model.activation = fairseq_activation(options);
  model.attention_bias = true;
  model.scale_embedding = !options.flag("no_scale_embedding");
  model.embedding_layer_norm = options.flag("layernorm_embedding");
  model.layer_norm_epsilon = 1e-5;
  model.decoder_start = DecoderStart::end;
  check_ranges("model", model, options.path());
  return model;
}

/// Gives the parameters of a layer the names of newer versions: older ones joined projections of an attention, and
/// numbered the LayerNorms.
void update_names(ForeignTensors& tensors, const std::string& layer, bool is_decoder) {
  for (const char* attention : {"self_attn", "encoder_attn"}) {
    for (const char* part : {"weight", "bias"}) {
      const auto joined = tensors.take_if_any(fmt::format("{}{}.in_proj_{}", layer, attention, part));
      if (!joined) continue;
      const auto parts = joined->chunk(3);
      static constexpr std::array kProjections = {"q", "k", "v"};
      for (size_t i = 0; i < parts.size(); ++i) {
        tensors.add(fmt::format("{}{}.{}_proj.{}", layer, attention, kProjections.at(i), part), parts[i].clone());
      }
    }
  }
  std::vector<const char*> norms = {"self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"};
  if (!is_decoder) norms.erase(norms.begin() + 1);
  for (size_t i = 0; i < norms.size(); ++i) {
    for (const char* part : {"weight", "bias"}) {
      const auto old = tensors.take_if_any(fmt::format("{}layer_norms.{}.{}", layer, i, part));
      if (old) tensors.add(fmt::format("{}{}.{}", layer, norms[i], part), *old);
    }
  }
}

void copy_embeddings(ForeignTensors& from, ForeignModel& model) {
  const auto output = from.take_if_any("decoder.output_projection.weight");
  add_embeddings({.source = from.take("encoder.embed_tokens.weight"),
                  .target = from.take("decoder.embed_tokens.weight"),
                  .output = output ? output : from.take_if_any("decoder.embed_out"),
                  .bias = {}},
                 model);
}

void copy_positions(ForeignTensors& from, bool are_learned, ForeignModel& model) {
  static constexpr int64_t kFirstPosition = 2;  // the padding symbol's id and one
  ModelConfig& config = model.config.model;
  if (!are_learned) {
    config.sinusoids = Sinusoids::tensor2tensor;
    config.first_position = kFirstPosition;
    return;
  }
  const torch::Tensor source = from.take("encoder.embed_positions.weight"),
                      target = from.take("decoder.embed_positions.weight");
  // Source and target have as many positions as this program's models.
  const int64_t count = std::min(source.size(0), target.size(0)) - kFirstPosition;
  if (count < 1) throw Error("{}: 'embed_positions.weight' has {} rows", from.path(), count + kFirstPosition);
  config.position = Position::learned;
  config.max_positions = count;
  model.parameters.insert("source_positions.weight", source.narrow(0, kFirstPosition, count).clone());
  model.parameters.insert("target_positions.weight", target.narrow(0, kFirstPosition, count).clone());
}

void copy_fairseq_network(ForeignTensors& from, const ForeignCheckpointOptions& options, ForeignModel& model) {
  const ModelConfig& config = model.config.model;
  for (int64_t n = 0; n < config.N; ++n) update_names(from, fmt::format("encoder.layers.{}.", n), false);
  for (int64_t n = 0; n < config.num_decoder_layers(); ++n) {
    update_names(from, fmt::format("decoder.layers.{}.", n), true);
  }
  copy_embeddings(from, model);
  copy_positions(from, options.flag("encoder_learned_pos"), model);
  std::vector<ModuleName> modules = marianmt_modules(config, "");
  if (config.embedding_layer_norm) {
    modules.push_back({"source_embedding_norm", "encoder.layernorm_embedding"});
    modules.push_back({"target_embedding_norm", "decoder.layernorm_embedding"});
  }
  copy_modules(from, modules, model);
  from.drop([](const std::string& name) {
    return name.ends_with(".version") || name.ends_with("._float_tensor") || name.ends_with(".embed_positions.weights");
  });
}

/// The pieces of `dict.LANGUAGE.txt`, "PIECE COUNT" in each line, behind fairseq's symbols.
PieceList read_dictionary(std::string_view text, const std::string& path) {
  PieceList list{.pieces = {"<s>", "<pad>", "</s>", "<unk>"}, .unknown = 3, .end = 2, .pad = 1, .begin = 0};
  int64_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    static constexpr std::string_view kOverwrite = " #fairseq:overwrite";
    if (line.ends_with(kOverwrite)) line.remove_suffix(kOverwrite.size());
    const size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space == 0) {
      throw Error("{}:{}: expected a piece and a number; use the dictionary of the model", path, number);
    }
    list.pieces.emplace_back(line.substr(0, space));
  }
  return list;
}

std::string dictionary_name(Package& package, const std::string& language) {
  const std::string name = fmt::format("dict.{}.txt", language);
  if (package.has(name)) return name;
  const auto names = package.names_with_suffix(".txt");
  std::vector<std::string> dictionaries;
  std::copy_if(names.begin(), names.end(), std::back_inserter(dictionaries),
               [](const std::string& file) { return file.starts_with("dict.") || file == "dict.txt"; });
  if (dictionaries.size() == 1) return dictionaries[0];
  package.bytes(name);  // throws
  return name;
}

/// The dictionary of a language with the SentencePiece model beside it, if there is one.
ForeignVocabulary read_vocabulary(Package& package, const std::string& language) {
  const std::string name = dictionary_name(package, language), path = package.path_of(name);
  PieceList list = read_dictionary(package.bytes(name), path);
  for (const std::string& file :
       {fmt::format("sentencepiece.{}.model", language), std::string("sentencepiece.bpe.model"),
        std::string("sentencepiece.model"), std::string("spm.model")}) {
    if (package.has(file)) return {std::move(list), read_sentencepiece(package, file)};
  }
  return divide_at_spaces(std::move(list), path);
}

/// What `fairseq-generate` does unless it is told otherwise.
DecodingConfig fairseq_decoding() {
  DecodingConfig decoding;
  decoding.beam_size = 5;
  decoding.length_penalty = LengthPenaltyForm::average;
  decoding.alpha = 1;
  decoding.stopping = Stopping::full;
  decoding.max_extra_tokens = 200;
  decoding.forbidden_pieces = {"<pad>"};
  return decoding;
}

}  // namespace

bool is_fairseq(Package& package) {
  const auto name = ForeignCheckpoint::find(package);
  if (!name) return false;
  ForeignCheckpoint checkpoint(package, *name);
  return checkpoint.find("model") && (checkpoint.find("args") || checkpoint.find("cfg"));
}

ForeignModel import_fairseq(Package& package) {
  ForeignCheckpoint checkpoint(package, ForeignCheckpoint::find(package).value());
  const auto found = find_options(checkpoint);
  if (!found) throw Error("{}: has no options of a model in 'cfg'; it belongs to another program", checkpoint.path());
  const ForeignCheckpointOptions options(checkpoint, checkpoint.file(), *found);
  ForeignModel model{.config = {.model = fairseq_model_config(options), .decoding = fairseq_decoding()},
                     .path = checkpoint.path(),
                     .vocabulary_path = package.path()};
  // The task has the languages in newer checkpoints.
  std::string source = options.text("source_lang", ""), target = options.text("target_lang", "");
  if (const auto config = checkpoint.find("cfg"); config && source.empty()) {
    if (const auto task = checkpoint.file().find(*config, "task")) {
      const ForeignCheckpointOptions task_options(checkpoint, checkpoint.file(), *task);
      source = task_options.text("source_lang", "");
      target = task_options.text("target_lang", "");
    }
  }
  model.vocabularies = join_vocabularies(read_vocabulary(package, source), read_vocabulary(package, target));
  ForeignTensors tensors(checkpoint.tensors(checkpoint.find("model").value()), checkpoint.path());
  copy_fairseq_network(tensors, options, model);
  tensors.check_all_are_taken();
  return model;
}

}  // namespace transformer
