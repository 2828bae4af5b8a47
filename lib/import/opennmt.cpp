#include "import/opennmt.h"

#include <fmt/core.h>

#include "base/error.h"
#include "import/checkpoint.h"
#include "import/foreign_tensors.h"
#include "import/vocabulary.h"

namespace transformer {
namespace {

using NodeId = TorchFile::NodeId;

Activation activation_of(const ForeignCheckpointOptions& options) {
  const std::string name = options.text("pos_ffn_activation_fn", "relu");
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  options.refuse("pos_ffn_activation_fn", fmt::format("{} is neither relu nor gelu", name));
}

ModelConfig model_config_of(const ForeignCheckpointOptions& options) {
  for (const char* key : {"encoder_type", "decoder_type"}) {
    const std::string type = options.text(key, "transformer");
    options.refuse_if(type != "transformer", key, fmt::format("{} is not transformer", type));
  }
  options.refuse_if(options.text("self_attn_type", "scaled-dot") != "scaled-dot", "self_attn_type",
                    "it is not scaled-dot");
  options.refuse_if(options.number("max_relative_positions").value_or(0) != 0, "max_relative_positions",
                    "relative positions are not supported");
  options.refuse_if(!options.flag("position_encoding"), "position_encoding",
                    "a model without positions is not supported");
  options.refuse_if(options.flag("aan_useffn"), "aan_useffn", "it is not supported");
  options.refuse_if(options.flag("multiquery"), "multiquery", "it is not supported");
  ModelConfig model;
  model.N = options.integer("enc_layers");
  const int64_t decoder_layers = options.integer("dec_layers");
  if (decoder_layers != model.N) model.decoder_layers = decoder_layers;
  model.d_ff = options.integer("transformer_ff");
  model.h = options.integer("heads");
  model.layer_norm = NormOrder::pre;
  model.activation = activation_of(options);
  return model;
}

class ParameterCopier {
 public:
  ParameterCopier(ForeignTensors& from, ForeignModel& model)
      : from_(from), model_(model), config_(model.config.model), to_(model.parameters) {}

  void copy() {
    config_.attention_bias = from_.has("encoder.transformer.0.self_attn.linear_keys.bias");
    copy_embeddings();
    for (int64_t n = 0; n < config_.N; ++n) copy_layer(fmt::format("encoder.transformer.{}.", n), "encoder", n);
    for (int64_t n = 0; n < config_.num_decoder_layers(); ++n) {
      copy_layer(fmt::format("decoder.transformer_layers.{}.", n), "decoder", n);
    }
    for (const std::string stack : {"encoder", "decoder"}) copy_norm(stack + ".layer_norm", stack + ".norm");
    from_.drop([](const std::string& name) { return name.ends_with(".pe.pe"); });  // the paper's sinusoids
  }

 private:
  void add(const std::string& to, const torch::Tensor& tensor) { to_.insert(to, tensor); }

  void copy_embeddings() {
    const char* const kTable = ".embeddings.make_embedding.emb_luts.0.weight";
    const std::string output = from_.has("generator.0.weight") ? "generator.0" : "generator";
    add_embeddings({.source = from_.take(std::string("encoder") + kTable),
                    .target = from_.take(std::string("decoder") + kTable),
                    .output = from_.take(output + ".weight"),
                    .bias = from_.take_if_any(output + ".bias")},
                   model_);
    config_.d_model = to_.at("embedding.weight").size(1);
  }

  void copy_layer(const std::string& from, const std::string& stack, int64_t n) {
    const std::string to = fmt::format("{}.layers.{}.", stack, n);
    const bool is_decoder = stack == "decoder";
    copy_attention(from + "self_attn", to + "self_attention");
    copy_norm(from + (is_decoder ? "layer_norm_1" : "layer_norm"), to + "self_attention_sublayer.norm");
    if (is_decoder) {
      copy_attention(from + "context_attn", to + "memory_attention");
      copy_norm(from + "layer_norm_2", to + "memory_attention_sublayer.norm");
    }
    for (const char* part : {"w_1", "w_2"}) copy_linear(from + "feed_forward." + part, to + "feed_forward." + part);
    copy_norm(from + "feed_forward.layer_norm", to + "feed_forward_sublayer.norm");
  }

  void copy_attention(const std::string& from, const std::string& to) {
    for (const auto& [theirs, ours] : {std::pair{".linear_query", ".w_q"},
                                       {".linear_keys", ".w_k"},
                                       {".linear_values", ".w_v"},
                                       {".final_linear", ".w_o"}}) {
      copy_linear(from + theirs, to + ours);
    }
  }

  void copy_linear(const std::string& from, const std::string& to) {
    add(to + ".weight", from_.take(from + ".weight"));
    if (const auto bias = from_.take_if_any(from + ".bias")) add(to + ".bias", *bias);
  }

  /// Older versions had a LayerNorm of their own.
  void copy_norm(const std::string& from, const std::string& to) {
    const bool is_old = from_.has(from + ".a_2");
    add(to + ".weight", from_.take(from + (is_old ? ".a_2" : ".weight")));
    add(to + ".bias", from_.take(from + (is_old ? ".b_2" : ".bias")));
  }

  ForeignTensors& from_;
  ForeignModel& model_;
  ModelConfig& config_;
  NamedTensors& to_;
};

/// The pieces of one side, in the order of their ids.
std::vector<std::string> read_pieces(ForeignCheckpoint& checkpoint, const char* side) {
  TorchFile& file = checkpoint.file();
  const auto vocabulary = checkpoint.find("vocab");
  auto pieces = vocabulary ? file.find(*vocabulary, side) : std::nullopt;
  // torchtext's fields of version 1 and 2: src.fields[0][1].vocab.itos.
  if (const auto fields = pieces ? file.find(*pieces, "fields") : std::nullopt) {
    const auto& list = file.items(*fields);
    const auto& field = list.empty() ? list : file.items(list[0]);
    const auto vocab = field.size() == 2 ? file.find(field[1], "vocab") : std::nullopt;
    pieces = vocab ? file.find(*vocab, "itos") : std::nullopt;
  }
  if (!pieces)
    throw Error("{}: has no vocabulary '{}'; it belongs to another version of OpenNMT-py", checkpoint.path(), side);
  std::vector<std::string> texts;
  for (const NodeId piece : file.items(*pieces)) texts.push_back(file.text(piece).value_or(""));
  return texts;
}

/// The pieces of a side, "src" or "tgt" in the checkpoint, with the SentencePiece model beside it, if there is one.
ForeignVocabulary read_vocabulary(Package& package, ForeignCheckpoint& checkpoint, const char* key,
                                  const std::string& side) {
  PieceList list{.pieces = read_pieces(checkpoint, key)};
  list.unknown = id_of_piece(list, "<unk>", checkpoint.path());
  list.end = find_piece(list, "</s>");
  list.begin = find_piece(list, "<s>");
  for (const char* pad : {"<blank>", "<pad>"}) {
    if (list.pad == kNoToken) list.pad = find_piece(list, pad);
  }
  list.source_has_end = false;
  if (list.end == kNoToken) list.end = list.pad;  // of a source, whose vocabulary has none in older versions
  if (list.end == kNoToken) throw Error("{}: its vocabulary '{}' has no end symbol", checkpoint.path(), key);
  for (const std::string& name :
       {side + ".spm", side + ".model", std::string("sentencepiece.model"), std::string("spm.model")}) {
    if (package.has(name)) return {std::move(list), read_sentencepiece(package, name)};
  }
  return divide_at_spaces(std::move(list), checkpoint.path());
}

/// What `onmt_translate` does unless it is told otherwise.
DecodingConfig default_decoding() {
  DecodingConfig decoding;
  decoding.beam_size = 5;
  decoding.length_penalty = LengthPenaltyForm::none;
  decoding.max_extra_tokens = 250;
  decoding.forbidden_pieces.emplace();
  return decoding;
}

}  // namespace

bool is_opennmt(Package& package) {
  const auto name = ForeignCheckpoint::find(package);
  if (!name) return false;
  ForeignCheckpoint checkpoint(package, *name);
  return checkpoint.find("model") && checkpoint.find("opt") && checkpoint.find("vocab");
}

ForeignModel import_opennmt(Package& package) {
  ForeignCheckpoint checkpoint(package, ForeignCheckpoint::find(package).value());
  const ForeignCheckpointOptions options(checkpoint, checkpoint.file(), checkpoint.find("opt").value());
  ForeignModel model{.config = {.model = model_config_of(options), .decoding = default_decoding()},
                     .path = checkpoint.path(),
                     .vocabulary_path = checkpoint.path()};
  model.vocabularies = join_vocabularies(read_vocabulary(package, checkpoint, "src", "source"),
                                         read_vocabulary(package, checkpoint, "tgt", "target"));
  NamedTensors all = checkpoint.tensors(checkpoint.find("model").value());
  if (const auto generator = checkpoint.find("generator")) {
    for (const auto& entry : checkpoint.tensors(*generator)) all.insert("generator." + entry.key(), entry.value());
  }
  ForeignTensors tensors(all, checkpoint.path());
  ParameterCopier(tensors, model).copy();
  tensors.check_all_are_taken();
  return model;
}

}  // namespace transformer
