#include <fmt/core.h>

#include "base/error.h"
#include "export/module_names.h"
#include "import/checkpoint.h"
#include "import/foreign_tensors.h"
#include "import/formats.h"
#include "import/vocabulary.h"

namespace transformer {
namespace {

using NodeId = TorchFile::NodeId;

Activation opennmt_activation(const ForeignCheckpointOptions& options) {
  const std::string name = options.text("pos_ffn_activation_fn", "relu");
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  options.refuse("pos_ffn_activation_fn", fmt::format("{} is neither relu nor gelu", name));
}

ModelConfig opennmt_model_config(const ForeignCheckpointOptions& options) {
  for (const char* key : {"encoder_type", "decoder_type"}) {
    const std::string type = options.text(key, "transformer");
    options.refuse_if(type != "transformer", key, fmt::format("{} is not transformer", type));
  }
  const std::string attention = options.text("self_attn_type", "scaled-dot");
  options.refuse_if(attention != "scaled-dot" && attention != "scaled-dot-flash", "self_attn_type",
                    "it is not scaled-dot");
  const std::string positions = options.text("position_encoding_type", "SinusoidalInterleaved");
  options.refuse_if(positions != "SinusoidalInterleaved" && positions != "SinusoidalConcat", "position_encoding_type",
                    "it is neither SinusoidalInterleaved nor SinusoidalConcat");
  options.refuse_if(options.text("layer_norm", "standard") != "standard", "layer_norm", "it is not standard");
  for (const char* key : {"parallel_residual", "shared_layer_norm"}) {
    options.refuse_if(options.flag(key), key, "it is not supported");
  }
  for (const char* key : {"num_kv", "sliding_window", "rotary_dim", "relative_positions_buckets", "num_experts"}) {
    options.refuse_if(options.number(key).value_or(0) != 0, key, "it is not supported");
  }
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
  if (positions == "SinusoidalConcat") model.sinusoids = Sinusoids::tensor2tensor;
  model.layer_norm_epsilon = options.number("norm_eps").value_or(1e-6);
  model.activation = opennmt_activation(options);
  check_ranges("model", model, options.path());
  return model;
}

/// The modules of a layer, whose names begin with `ours` and `theirs`.
void add_layer(const std::string& ours, const std::string& theirs, bool is_decoder, std::vector<ModuleName>& modules) {
  const auto add_attention = [&](const std::string& our_name, const std::string& their_name) {
    for (const auto& [our_part, their_part] : {std::pair{".w_q", ".linear_query"},
                                               {".w_k", ".linear_keys"},
                                               {".w_v", ".linear_values"},
                                               {".w_o", ".final_linear"}}) {
      modules.push_back({ours + our_name + our_part, theirs + their_name + their_part});
    }
  };
  add_attention("self_attention", "self_attn");
  modules.push_back({ours + "self_attention_sublayer.norm", theirs + (is_decoder ? "layer_norm_1" : "layer_norm")});
  if (is_decoder) {
    add_attention("memory_attention", "context_attn");
    modules.push_back({ours + "memory_attention_sublayer.norm", theirs + "layer_norm_2"});
  }
  for (const std::string name : {"feed_forward.w_1", "feed_forward.w_2"})
    modules.push_back({ours + name, theirs + name});
  modules.push_back({ours + "feed_forward_sublayer.norm", theirs + "feed_forward.layer_norm"});
}

void copy_opennmt_network(ForeignTensors& from, ForeignModel& model) {
  ModelConfig& config = model.config.model;
  config.attention_bias = from.has("encoder.transformer.0.self_attn.linear_keys.bias");
  const char* const kTable = ".embeddings.make_embedding.emb_luts.0.weight";
  const std::string output = from.has("generator.0.weight") ? "generator.0" : "generator";
  add_embeddings({.source = from.take(std::string("encoder") + kTable),
                  .target = from.take(std::string("decoder") + kTable),
                  .output = from.take(output + ".weight"),
                  .bias = from.take_if_any(output + ".bias")},
                 model);
  config.d_model = model.parameters.at("embedding.weight").size(1);
  std::vector<ModuleName> modules;
  for (int64_t n = 0; n < config.N; ++n) {
    add_layer(fmt::format("encoder.layers.{}.", n), fmt::format("encoder.transformer.{}.", n), false, modules);
  }
  for (int64_t n = 0; n < config.num_decoder_layers(); ++n) {
    add_layer(fmt::format("decoder.layers.{}.", n), fmt::format("decoder.transformer_layers.{}.", n), true, modules);
  }
  for (const std::string stack : {"encoder", "decoder"}) modules.push_back({stack + ".norm", stack + ".layer_norm"});
  for (const ModuleName& module : modules) {  // add_ffnbias
    if (module.ours.find("feed_forward.w_") == std::string::npos || from.has(module.theirs + ".bias")) continue;
    from.add(module.theirs + ".bias", torch::zeros({from.peek(module.theirs + ".weight").size(0)}));
  }
  copy_modules(from, modules, model);
  from.drop([](const std::string& name) { return name.ends_with(".pe.pe"); });  // the paper's sinusoids
}

/// The name of a tensor in newer versions: older ones had a LayerNorm of their own.
std::string newer_name(std::string name) {
  for (const auto& [old, replacement] : {std::pair{".a_2", ".weight"}, std::pair{".b_2", ".bias"}}) {
    if (name.ends_with(old)) name.replace(name.size() - 4, 4, replacement);
  }
  return name;
}

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
  return divide_beside(std::move(list), package, side, checkpoint.path());
}

/// Version 3, whose vocabularies are lists, divides scores by lengths unless it is told otherwise.
LengthPenaltyForm length_penalty_of(ForeignCheckpoint& checkpoint) {
  TorchFile& file = checkpoint.file();
  const auto pieces = file.find(checkpoint.find("vocab").value(), "tgt");
  const bool is_version_3 = pieces && !file.find(*pieces, "fields");
  return is_version_3 ? LengthPenaltyForm::average : LengthPenaltyForm::none;
}

SourceProgram program_of(const Package& package, const std::string& model, const DecodingConfig& decoding) {
  const auto source = find_sentencepiece(package, "source"), target = find_sentencepiece(package, "target");
  std::string transforms;  // without SentencePiece, texts and translations are divided already
  if (source && target) {
    transforms = fmt::format(
        ",\n             \"-transforms\", \"sentencepiece\", \"-src_subword_model\", {}, \"-tgt_subword_model\", {}",
        python_text(package.path_of(*source)), python_text(package.path_of(*target)));
  }
  return {.package = "onmt",
          .script = fmt::format(
              "import os\n"
              "os.environ[\"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD\"] = \"1\"  # of newer versions of PyTorch\n"
              "from onmt.inference_engine import InferenceEnginePY\n"
              "from onmt.opts import translate_opts\n"
              "from onmt.utils.parse import ArgumentParser\n"
              "parser = ArgumentParser()\n"
              "translate_opts(parser)\n"
              "arguments = [\"-model\", {}, \"-src\", \"-\", \"-beam_size\", \"{}\", \"-max_length_ratio\", \"0\",\n"
              "             \"-batch_size\", \"1\"{}]\n"
              "options = parser.parse_args(arguments)\n"
              "ArgumentParser.validate_translate_opts(options)\n"
              "ArgumentParser._get_all_transform_translate(options)\n"
              "ArgumentParser._validate_transforms_opts(options)\n"
              "ArgumentParser.validate_translate_opts_dynamic(options)\n"
              "def translate(lines):\n"
              "    _, found = InferenceEnginePY(options).infer_list(lines)\n"
              "    return [best[0] for best in found]\n",
              python_text(model), decoding.beam_size, transforms)};
}

}  // namespace

DecodingConfig opennmt_decoding(LengthPenaltyForm length_penalty) {
  DecodingConfig decoding;
  decoding.beam_size = 5;
  decoding.alpha = 1;
  decoding.length_penalty = length_penalty;
  decoding.stopping = Stopping::topmost;
  decoding.max_extra_tokens = 250;
  decoding.forbidden_pieces.emplace();
  return decoding;
}

bool is_opennmt(Package& package) {
  const auto name = ForeignCheckpoint::find(package);
  if (!name) return false;
  ForeignCheckpoint checkpoint(package, *name);
  return checkpoint.find("model") && checkpoint.find("opt") && checkpoint.find("vocab");
}

ForeignModel import_opennmt(Package& package) {
  ForeignCheckpoint checkpoint(package, ForeignCheckpoint::find(package).value());
  const ForeignCheckpointOptions options(checkpoint, checkpoint.file(), checkpoint.find("opt").value());
  ForeignModel model{
      .config = {.model = opennmt_model_config(options), .decoding = opennmt_decoding(length_penalty_of(checkpoint))},
      .path = checkpoint.path(),
      .vocabulary_path = checkpoint.path()};
  model.vocabularies = join_vocabularies(read_vocabulary(package, checkpoint, "src", "source"),
                                         read_vocabulary(package, checkpoint, "tgt", "target"));
  NamedTensors all;
  for (const auto& entry : checkpoint.tensors(checkpoint.find("model").value())) {
    all.insert(newer_name(entry.key()), entry.value());
  }
  if (const auto generator = checkpoint.find("generator")) {
    for (const auto& entry : checkpoint.tensors(*generator)) all.insert("generator." + entry.key(), entry.value());
  }
  ForeignTensors tensors(all, checkpoint.path());
  copy_opennmt_network(tensors, model);
  tensors.check_all_are_taken();
  model.program = program_of(package, checkpoint.path(), model.config.decoding);
  return model;
}

}  // namespace transformer
