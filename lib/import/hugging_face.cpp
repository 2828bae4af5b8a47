#include <fmt/core.h>

#include <filesystem>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "export/module_names.h"
#include "import/checkpoint.h"
#include "import/foreign_tensors.h"
#include "import/formats.h"
#include "import/json_settings.h"
#include "import/other_settings.h"
#include "import/vocabulary.h"
#include "serialization/safetensors.h"

namespace transformer {
namespace {

constexpr const char* kGenerationConfig = "generation_config.json";

JsonSettings settings_of(Package& package, const std::string& name) {
  return {package.bytes(name), package.path_of(name)};
}

ForeignTensors load_marianmt_tensors(Package& package) {
  static constexpr const char *kSafetensors = "model.safetensors", *kTorch = "pytorch_model.bin";
  if (const auto bytes = package.bytes_if_any(kSafetensors)) {
    const std::string path = package.path_of(kSafetensors);
    return {view_safetensors(*bytes, path).tensors, path};
  }
  if (package.has(kTorch)) {
    ForeignCheckpoint checkpoint(package, kTorch);
    return {checkpoint.tensors(checkpoint.file().root()), checkpoint.path()};
  }
  throw Error("{}: there is neither model.safetensors nor pytorch_model.bin in it; copy or download the whole model",
              package.path());
}

Activation marianmt_activation(const JsonSettings& config) {
  const std::string name = config.text("activation_function").value_or("gelu");
  if (name == "relu") return Activation::relu;
  if (name == "swish" || name == "silu") return Activation::swish;
  if (name == "gelu" || name == "gelu_python") return Activation::gelu;
  if (name == "quick_gelu") return Activation::gelu_sigmoid;
  throw Error(
      "{}: 'activation_function' {} is none of relu, swish, silu, gelu and quick_gelu, which this program computes",
      config.path(), name);
}

int64_t same_in_both(const JsonSettings& config, const char* encoder_key, const char* decoder_key) {
  const int64_t encoder = config.required_integer(encoder_key), decoder = config.required_integer(decoder_key);
  if (encoder == decoder) return encoder;
  throw Error("{}: '{}' {} and '{}' {} differ, which this program does not support", config.path(), encoder_key,
              encoder, decoder_key, decoder);
}

void check_is_marian(const JsonSettings& config) {
  const std::string type = config.text("model_type").value_or("none");
  if (type != "marian") {
    throw Error("{}: 'model_type' is {}, and of Hugging Face's models only marian (MarianMT) can be imported",
                config.path(), type);
  }
  const auto refuse_if = [&](bool is_given, const char* key) {
    if (is_given) throw Error("{}: '{}' is set, which MarianMT does not support", config.path(), key);
  };
  refuse_if(config.flag("normalize_before").value_or(false), "normalize_before");
  refuse_if(config.flag("normalize_embedding").value_or(false), "normalize_embedding");
  refuse_if(config.flag("add_final_layer_norm").value_or(false), "add_final_layer_norm");
  refuse_if(!config.flag("static_position_embeddings").value_or(true), "static_position_embeddings: false");
}

ModelConfig marianmt_model_config(const JsonSettings& config) {
  ModelConfig model;
  model.N = config.required_integer("encoder_layers");
  const int64_t decoder_layers = config.required_integer("decoder_layers");
  if (decoder_layers != model.N) model.decoder_layers = decoder_layers;
  model.d_model = config.required_integer("d_model");
  model.d_ff = same_in_both(config, "encoder_ffn_dim", "decoder_ffn_dim");
  model.h = same_in_both(config, "encoder_attention_heads", "decoder_attention_heads");
  model.P_drop = config.number("dropout").value_or(0.1);
  model.attention_dropout = config.number("attention_dropout").value_or(0);
  model.relu_dropout = config.number("activation_dropout").value_or(0);
  model.activation = marianmt_activation(config);
  model.attention_bias = true;
  model.sinusoids = Sinusoids::halves;
  model.scale_embedding = config.flag("scale_embedding").value_or(false);
  model.layer_norm_epsilon = 1e-5;
  check_ranges("model", model, config.path());
  return model;
}

void copy_embeddings(ForeignTensors& from, const JsonSettings& settings, ForeignModel& model) {
  // Files of transformers 4 have the shared matrix under one name or several; those of 5 have three different matrices
  // if tie_word_embeddings is false, although share_encoder_decoder_embeddings is true.
  const bool is_shared = settings.flag("share_encoder_decoder_embeddings").value_or(true);
  const auto shared = from.take_if_any("model.shared.weight");
  auto source = from.take_if_any("model.encoder.embed_tokens.weight");
  auto target = from.take_if_any("model.decoder.embed_tokens.weight");
  if (is_shared) {
    const auto any = shared ? shared : (target ? target : source);
    if (!source) source = any;
    if (!target) target = any;
  }
  if (!source || !target) from.take(is_shared ? "model.shared.weight" : "model.encoder.embed_tokens.weight");  // throws
  ForeignEmbeddings embeddings{.source = source.value(),
                               .target = target.value(),
                               .output = from.take_if_any("lm_head.weight"),
                               .bias = from.take_if_any("final_logits_bias")};
  if (!embeddings.bias) {
    log_warning(
        "{}: has no 'final_logits_bias', for which transformers takes zeros, and so does this import; every MarianMT "
        "model that transformers wrote has it, so copy or download the model again if it should",
        from.path());
    embeddings.bias = torch::zeros({embeddings.target.size(0)});
  }
  add_embeddings(embeddings, model);
  const EmbeddingTies ties = model.config.model.tied_embeddings.value();
  const bool is_output_tied = ties == EmbeddingTies::all || ties == EmbeddingTies::target_and_output;
  if (!is_output_tied && settings.flag("tie_word_embeddings").value_or(true)) {
    log_warning(
        "{}: 'lm_head.weight' differs from the embedding, so that it is imported as an output projection of its own, "
        "as transformers 5 uses it; if translations are nonsense, remove it from the file",
        from.path());
  }
}

/// The pieces of a JSON object from pieces to ids, for `size` ids.
PieceList read_pieces(Package& package, const std::string& name, int64_t size, const JsonSettings& config) {
  const std::string path = package.path_of(name);
  const std::string_view text = package.bytes(name);
  PieceList list;
  try {
    const Json vocabulary = parse_json(text);
    // A few ids may have no piece, but a size that is wrong needs memory for all below it.
    if (size < 1 || size > 2 * std::ssize(object_of(vocabulary))) {
      throw Error("it has {}, and the size of the vocabulary in {} is {}", counted(std::ssize(vocabulary), "piece"),
                  config.path(), size);
    }
    list.pieces.resize(static_cast<size_t>(size));
    for (const auto& [piece, id_value] : object_of(vocabulary)) {
      const int64_t id = integer_of(id_value);
      if (id < 0 || id >= size)
        throw Error("the id {} of '{}' is not below the {} rows of the matrix", id, piece, size);
      std::string& given = list.pieces[static_cast<size_t>(id)];
      if (!given.empty()) throw Error("'{}' and '{}' have the same id {}", shown_value(given), shown_value(piece), id);
      given = piece;
    }
  } catch (const Error& misfit) {
    throw Error("{}: {}; copy or download the whole model", path, misfit.what());
  }
  const auto symbol = [&](const char* key, TokenId otherwise) {
    const int64_t id = config.integer(key).value_or(otherwise);
    if (id < 0 || id >= size) throw Error("{}: '{}' {} is not one of the {} ids", config.path(), key, id, size);
    return static_cast<TokenId>(id);
  };
  list.end = symbol("eos_token_id", 0);
  list.pad = symbol("pad_token_id", static_cast<TokenId>(size - 1));
  if (list.pieces[static_cast<size_t>(list.pad)].empty()) {
    list.pieces[static_cast<size_t>(list.pad)] = "<pad>";
  }
  list.unknown = id_of_piece(list, "<unk>", path);
  return list;
}

VocabularyModels read_vocabularies(Package& package, const JsonSettings& config) {
  const int64_t source_size = config.required_integer("vocab_size");
  const int64_t target_size = config.integer("decoder_vocab_size").value_or(source_size);
  const bool has_two_lists = package.has("target_vocab.json") && source_size > 0 &&
                             !config.flag("share_encoder_decoder_embeddings").value_or(true);
  const PieceList source = read_pieces(package, "vocab.json", source_size, config);
  const PieceList target = has_two_lists ? read_pieces(package, "target_vocab.json", target_size, config) : source;
  return join_vocabularies({source, read_sentencepiece(package, "source.spm")},
                           {target, read_sentencepiece(package, "target.spm")});
}

/// The rule of `early_stopping`, which is true, false or "never".
Stopping stopping_of(const JsonSettings& generation) {
  const Json* early = generation.find("early_stopping");
  if (early != nullptr && early->is_string()) return Stopping::exact;
  return generation.flag("early_stopping").value_or(false) ? Stopping::full : Stopping::outscored;
}

void warn_of_other_search(const JsonSettings& generation) {
  const auto number = [&](const char* key, double more = 0) {
    return number_text(generation.number(key).value_or(0) + more);
  };
  // Lengths here count the end symbol; in transformers `min_length` counts the symbol that the decoder starts with.
  warn_of_other_settings(
      generation,
      {{.key = "no_repeat_ngram_size", .idle = {0}, .instead = "no_repeat_ngram " + number("no_repeat_ngram_size")},
       {.key = "repetition_penalty", .idle = {1}, .instead = "repetition_penalty " + number("repetition_penalty")},
       {.key = "min_length", .idle = {0, 1}, .instead = "min_length " + number("min_length")},
       {.key = "min_new_tokens", .idle = {0}, .instead = "min_length " + number("min_new_tokens", 1)},
       {.key = "forced_bos_token_id", .instead = "its piece as the prefix"},
       {.key = "do_sample", .instead = "sample, and its temperature, top_k and top_p"},
       {.key = "begin_suppress_tokens"},
       {.key = "encoder_no_repeat_ngram_size", .idle = {0}},
       {.key = "encoder_repetition_penalty", .idle = {1}},
       {.key = "num_beam_groups", .idle = {1}},
       {.key = "diversity_penalty", .idle = {0}},
       {.key = "penalty_alpha", .idle = {0}},
       {.key = "guidance_scale", .idle = {1}},
       {.key = "exponential_decay_length_penalty"},
       {.key = "sequence_bias"},
       {.key = "force_words_ids"},
       {.key = "forced_decoder_ids"},
       {.key = "constraints"},
       {.key = "stop_strings"},
       {.key = "max_time"},
       {.key = "dola_layers"},
       {.key = "watermarking_config"}});
}

/// What `generate` of transformers does with this model.
DecodingConfig marianmt_decoding(const JsonSettings& config, const JsonSettings& generation,
                                 const VocabularyModels& models) {
  static constexpr const char *kForbidden = "bad_words_ids", *kSuppressed = "suppress_tokens";
  DecodingConfig decoding;
  decoding.beam_size = generation.integer("num_beams").value_or(1);
  decoding.length_penalty = LengthPenaltyForm::average;  // by the number of tokens with the end symbol
  decoding.alpha = generation.number("length_penalty").value_or(1);
  decoding.stopping = stopping_of(generation);
  decoding.max_extra_tokens =
      generation.integer("max_new_tokens").value_or(generation.integer("max_length").value_or(512));
  decoding.forbidden_pieces.emplace();
  check_ranges("decoding", decoding, generation.path());
  warn_of_other_search(generation);
  const PieceList pieces = piece_list_of(models.target()).value();
  const auto forbid = [&](const JsonSettings& settings, const char* key, const auto& id_in) {
    if (settings.find(key) == nullptr) return;
    try {
      for (const Json& entry : array_of(*settings.find(key))) {
        const std::optional<int64_t> id = id_in(entry);
        if (!id || *id == pieces.end) continue;  // without the end symbol no translation would be one
        if (*id < 0 || *id >= std::ssize(pieces.pieces)) throw Error("there is no id {}", *id);
        decoding.forbidden_pieces->push_back(pieces.pieces[static_cast<size_t>(*id)]);
      }
    } catch (const Error& misfit) {
      throw Error("{}: '{}': {}", settings.path(), key, misfit.what());
    }
  };
  const JsonSettings& having = generation.find(kForbidden) != nullptr ? generation : config;
  forbid(having, kForbidden, [&](const Json& word) -> std::optional<int64_t> {
    if (const auto& ids = array_of(word); ids.size() == 1) return integer_of(ids[0]);
    log_warning("{}: a list of several ids in '{}' is not imported", having.path(), kForbidden);
    return std::nullopt;
  });
  forbid(generation, kSuppressed, [](const Json& id) -> std::optional<int64_t> { return integer_of(id); });
  const bool renormalizes = generation.flag("renormalize_logits").value_or(false);
  decoding.renormalize = renormalizes && !decoding.forbidden_pieces->empty();
  return decoding;
}

DecoderStart marianmt_decoder_start(const JsonSettings& config, const PieceList& target) {
  const int64_t start = config.integer("decoder_start_token_id").value_or(target.pad);
  if (start == target.pad) return DecoderStart::pad;
  if (start == target.end) return DecoderStart::end;
  throw Error("{}: 'decoder_start_token_id' {} is neither the padding nor the end symbol", config.path(), start);
}

SourceProgram program_of(Package& package) {
  const std::string directory = std::filesystem::path(package.path_of(kConfigFile)).parent_path().string();
  return {.package = "transformers",
          .script = fmt::format("import torch\n"
                                "from transformers import MarianMTModel, MarianTokenizer\n"
                                "path = {}\n"
                                "model = MarianMTModel.from_pretrained(path, dtype=torch.float32)\n"
                                "tokenizer = MarianTokenizer.from_pretrained(path)\n"
                                "def translate(lines):\n"
                                "    for line in lines:\n"
                                "        ids = model.generate(**tokenizer(line, return_tensors=\"pt\"))\n"
                                "        yield tokenizer.decode(ids[0], skip_special_tokens=True)\n",
                                python_text(directory.empty() ? "." : directory))};
}

}  // namespace

bool is_hugging_face(Package& package) {
  return package.has(kConfigFile) && settings_of(package, kConfigFile).find("model_type") != nullptr;
}

ForeignModel import_hugging_face(Package& package) {
  const JsonSettings config = settings_of(package, kConfigFile);
  check_is_marian(config);
  const JsonSettings generation =
      settings_of(package, package.has(kGenerationConfig) ? kGenerationConfig : kConfigFile);
  const VocabularyModels vocabularies = read_vocabularies(package, config);
  ForeignTensors tensors = load_marianmt_tensors(package);
  ForeignModel model{.config = {.model = marianmt_model_config(config),
                                .decoding = marianmt_decoding(config, generation, vocabularies)},
                     .vocabularies = vocabularies,
                     .path = tensors.path(),
                     .vocabulary_path = package.path_of("vocab.json"),
                     .program = program_of(package)};
  ModelConfig& network = model.config.model;
  network.decoder_start = marianmt_decoder_start(config, piece_list_of(vocabularies.target()).value());
  copy_embeddings(tensors, config, model);
  copy_modules(tensors, marianmt_modules(network, "model."), model);
  // Older versions stored the sinusoids, which are always the same.
  tensors.drop([](const std::string& name) { return name.ends_with(".embed_positions.weight"); });
  tensors.check_all_are_taken();
  return model;
}

}  // namespace transformer
