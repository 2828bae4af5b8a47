#include "import/fairseq.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.h"
#include "import/checkpoint.h"
#include "import/foreign_tensors.h"
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

Activation activation_of(const ForeignCheckpointOptions& options) {
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

ModelConfig model_config_of(const ForeignCheckpointOptions& options) {
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
  model.activation = activation_of(options);
  model.attention_bias = true;
  model.scale_embedding = !options.flag("no_scale_embedding");
  model.embedding_layer_norm = options.flag("layernorm_embedding");
  model.layer_norm_epsilon = 1e-5;
  model.decoder_start = DecoderStart::end;
  return model;
}

/// Copies the parameters, of which older versions of fairseq have some under other names.
class ParameterCopier {
 public:
  ParameterCopier(ForeignTensors& from, ForeignModel& model)
      : from_(from), model_(model), config_(model.config.model), to_(model.parameters) {}

  void copy() {
    copy_embeddings();
    copy_positions();
    if (config_.embedding_layer_norm) {
      copy_pair("encoder.layernorm_embedding", "source_embedding_norm");
      copy_pair("decoder.layernorm_embedding", "target_embedding_norm");
    }
    copy_stack("encoder", config_.N);
    copy_stack("decoder", config_.num_decoder_layers());
    from_.drop([](const std::string& name) {
      return name.ends_with(".version") || name.ends_with("._float_tensor") ||
             name.ends_with(".embed_positions.weights");
    });
  }

 private:
  void add(const std::string& to, const torch::Tensor& tensor) { to_.insert(to, tensor); }

  void copy_embeddings() {
    const auto output = from_.take_if_any("decoder.output_projection.weight");
    add_embeddings({.source = from_.take("encoder.embed_tokens.weight"),
                    .target = from_.take("decoder.embed_tokens.weight"),
                    .output = output ? output : from_.take_if_any("decoder.embed_out"),
                    .bias = {}},
                   model_);
  }

  void copy_positions() {
    static constexpr int64_t kFirstPosition = 2;  // the padding symbol's id and one
    const auto source = from_.take_if_any("encoder.embed_positions.weight"),
               target = from_.take_if_any("decoder.embed_positions.weight");
    if (!source || !target) {
      config_.sinusoids = Sinusoids::tensor2tensor;
      config_.first_position = kFirstPosition;
      return;
    }
    // Source and target have as many positions as this program's models.
    const int64_t count = std::min(source->size(0), target->size(0)) - kFirstPosition;
    if (count < 1) throw Error("{}: 'embed_positions.weight' has {} rows", from_.path(), count + kFirstPosition);
    config_.position = Position::learned;
    config_.max_positions = count;
    add("source_positions.weight", source->narrow(0, kFirstPosition, count).clone());
    add("target_positions.weight", target->narrow(0, kFirstPosition, count).clone());
  }

  void copy_stack(const std::string& stack, int64_t num_layers) {
    for (int64_t n = 0; n < num_layers; ++n) {
      const std::string from = fmt::format("{}.layers.{}.", stack, n);
      const std::string to = from;  // which both programs call the same
      copy_attention(from + "self_attn", to + "self_attention");
      const bool is_decoder = stack == "decoder";
      copy_norm(from, "self_attn_layer_norm", 0, to + "self_attention_sublayer.norm");
      if (is_decoder) {
        copy_attention(from + "encoder_attn", to + "memory_attention");
        copy_norm(from, "encoder_attn_layer_norm", 1, to + "memory_attention_sublayer.norm");
      }
      copy_pair(from + "fc1", to + "feed_forward.w_1");
      copy_pair(from + "fc2", to + "feed_forward.w_2");
      copy_norm(from, "final_layer_norm", is_decoder ? 2 : 1, to + "feed_forward_sublayer.norm");
    }
    if (config_.has_final_norm()) copy_pair(stack + ".layer_norm", stack + ".norm");
  }

  void copy_attention(const std::string& from, const std::string& to) {
    copy_pair(from + ".out_proj", to + ".w_o");
    static constexpr std::array kParts = {"q", "k", "v"};
    if (from_.has(from + ".in_proj_weight")) {
      for (const char* part : {"weight", "bias"}) {
        const auto parts = from_.take(fmt::format("{}.in_proj_{}", from, part)).chunk(3);
        for (size_t i = 0; i < parts.size(); ++i)
          add(fmt::format("{}.w_{}.{}", to, kParts.at(i), part), parts[i].clone());
      }
      return;
    }
    for (const char* part : kParts) copy_pair(fmt::format("{}.{}_proj", from, part), fmt::format("{}.w_{}", to, part));
  }

  /// A LayerNorm, which the oldest versions number within a layer.
  void copy_norm(const std::string& layer, const std::string& name, int number, const std::string& to) {
    const std::string old = fmt::format("{}layer_norms.{}", layer, number);
    copy_pair(from_.has(old + ".weight") ? old : layer + name, to);
  }

  void copy_pair(const std::string& from, const std::string& to) {
    for (const char* part : {".weight", ".bias"}) add(to + part, from_.take(from + part));
  }

  ForeignTensors& from_;
  ForeignModel& model_;
  ModelConfig& config_;
  NamedTensors& to_;
};

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
    if (package.has(file)) return {std::move(list), std::string(package.bytes(file))};
  }
  return divide_at_spaces(std::move(list), path);
}

/// What `fairseq-generate` does unless it is told otherwise.
DecodingConfig default_decoding() {
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
  ForeignModel model{.config = {.model = model_config_of(options), .decoding = default_decoding()},
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
  ParameterCopier(tensors, model).copy();
  tensors.check_all_are_taken();
  return model;
}

}  // namespace transformer
