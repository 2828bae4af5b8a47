#include "export/marianmt.h"

#include <fmt/core.h>

#include <string_view>

#include "base/atomic_file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "decoding/forbidden_tokens.h"
#include "export/module_names.h"
#include "model/decoder_start.h"
#include "model/embedding_matrices.h"
#include "serialization/safetensors.h"
#include "text/bpe_codes.h"
#include "text/piece_list.h"

namespace transformer {
namespace {

constexpr const char* kProgram = "MarianMT";

std::string activation_name(Activation activation) {
  if (activation == Activation::gelu_sigmoid) return "quick_gelu";
  return name_of(activation);
}

/// The pieces in the order of their ids.
std::vector<std::string> pieces_of(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (TokenId id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

void check_network(const ExportedModel& exported, const EmbeddingMatrices& embeddings, const std::string& directory) {
  const ModelConfig& m = exported.model;
  Rules rules;
  rules.require(m.position == Position::sinusoidal, {"model.position"}, "is learned, not sinusoidal");
  rules.require(m.sinusoids == Sinusoids::halves, {"model.sinusoids"}, "is {}, not halves", name_of(m.sinusoids));
  rules.require(m.first_position == 0, {"model.first_position"}, "is {}, not 0", m.first_position);
  rules.require(m.layer_norm == NormOrder::post, {"model.layer_norm"}, "is pre, not post");
  rules.require(!m.has_final_norm(), {"model.final_layer_norm"}, "is true, not false");
  rules.require(m.layer_norm_epsilon == 1e-5, {"model.layer_norm_epsilon"}, "is {:g}, not 1e-05", m.layer_norm_epsilon);
  rules.require(!m.embedding_layer_norm, {"model.embedding_layer_norm"}, "is true, not false");
  rules.require(m.attention_bias, {"model.attention_bias"}, "is false, not true");
  rules.require(m.output_bias, {"model.output_bias"}, "is false, not true");
  rules.require(m.key_size() * m.h == m.d_model, {"model.d_k"}, "is {}, not d_model / h", m.key_size());
  rules.require(m.value_size() * m.h == m.d_model, {"model.d_v"}, "is {}, not d_model / h", m.value_size());
  rules.require(!m.r, {"model.r"}, "is {}, not null", m.r.value_or(0));
  rules.require(m.decoder_start == DecoderStart::pad || m.decoder_start == DecoderStart::end, {"model.decoder_start"},
                "is {}, not pad or end", name_of(m.decoder_start));
  const Tokenizer &source = exported.tokenizers.source(), &target = exported.tokenizers.target();
  const bool have_one_list = exported.tokenizers.are_shared() || pieces_of(source) == pieces_of(target);
  rules.require(have_one_list || !embeddings.source_is_target, {"model.tied_embeddings"},
                "shares the matrix of source and target, whose vocabularies differ");
  rules.require(!exported.decoding.trees, {"decoding.trees"}, "is true, not false");
  check_is_held(rules, directory, kProgram);
}

/// The symbols' ids, which both vocabularies must share.
SpecialTokens symbols_of(const ExportedModel& exported, const std::string& directory) {
  const auto symbols = special_tokens_of(exported.model, exported.tokenizers);
  const SpecialTokens &source = symbols.source(), &target = symbols.target();
  Rules rules;
  const bool has_codes = bpe_codes_of(exported.tokenizers.source().model_bytes()).has_value();
  const bool takes_divided = exported.tokenizers.source().takes_divided_texts();
  rules.require(!has_codes, {"its vocabulary"}, "divides text by BPE codes of subword-nmt");
  rules.require(!takes_divided, {"its vocabulary"}, "is for texts that are divided into pieces already");
  rules.require(source.source_has_end, {"its vocabulary"}, "says that a source has no end symbol");
  rules.require(target.pad >= 0, {"its vocabulary"}, "has no padding symbol");
  rules.require(source.pad == target.pad && source.end == target.end, {"its vocabularies"},
                "have the padding or the end symbol in different places");
  check_is_held(rules, directory, kProgram);
  return target;
}

Json config_json(const ExportedModel& exported, const EmbeddingMatrices& embeddings, const SpecialTokens& symbols) {
  static constexpr int64_t kPositions = 2048;  // for the longest source of `translate` (D11) and longer outputs
  const ModelConfig& m = exported.model;
  return {{"architectures", {"MarianMTModel"}},
          {"model_type", "marian"},
          {"is_encoder_decoder", true},
          {"encoder_layers", m.N},
          {"decoder_layers", m.num_decoder_layers()},
          {"num_hidden_layers", m.N},
          {"d_model", m.d_model},
          {"encoder_ffn_dim", m.d_ff},
          {"decoder_ffn_dim", m.d_ff},
          {"encoder_attention_heads", m.h},
          {"decoder_attention_heads", m.h},
          {"activation_function", activation_name(m.activation)},
          {"dropout", m.P_drop},
          {"attention_dropout", m.attention_dropout},
          {"activation_dropout", m.relu_dropout},
          {"scale_embedding", m.scale_embedding},
          {"static_position_embeddings", true},
          {"max_position_embeddings", kPositions},
          {"share_encoder_decoder_embeddings", embeddings.source_is_target},
          {"tie_word_embeddings", embeddings.output_is_target},
          {"vocab_size", exported.tokenizers.source().size()},
          {"decoder_vocab_size", exported.tokenizers.target().size()},
          {"pad_token_id", symbols.pad},
          {"eos_token_id", symbols.end},
          {"forced_eos_token_id", symbols.end},
          {"decoder_start_token_id", symbols.decoder_start},
          {"bos_token_id", nullptr},
          {"dtype", "float32"}};
}

Json generation_json(const DecodingConfig& decoding, const std::vector<TokenId>& forbidden,
                     const SpecialTokens& symbols) {
  Rules rules;
  rules.require(decoding.length_penalty != LengthPenaltyForm::gnmt || decoding.beam_size == 1,
                {"decoding.length_penalty"}, "is gnmt");
  const bool has_rule = decoding.stopping != Stopping::shrinking && decoding.stopping != Stopping::topmost;
  rules.require(has_rule || decoding.beam_size == 1, {"decoding.stopping"}, "is {}", name_of(decoding.stopping));
  warn_of_other_search(rules, kProgram);
  static constexpr int64_t kUsualLength = 512;  // of MarianMT models
  if (decoding.max_extra_tokens < kUsualLength) {
    log_warning(
        "decoding.max_extra_tokens is {0}, and MarianMT's max_length, which it becomes, does not grow with the source, "
        "so that translations are cut at {0} tokens; raise it in generation_config.json",
        decoding.max_extra_tokens);
  }
  Json bad_words = Json::array();
  for (const TokenId id : forbidden) bad_words.push_back({id});
  Json early_stopping = decoding.stopping == Stopping::full;
  if (decoding.stopping == Stopping::exact) early_stopping = "never";
  Json settings = {{"num_beams", decoding.beam_size},
                   {"length_penalty", decoding.length_penalty == LengthPenaltyForm::none ? 0 : decoding.alpha},
                   {"early_stopping", early_stopping},
                   {"max_length", decoding.max_extra_tokens},
                   {"pad_token_id", symbols.pad},
                   {"eos_token_id", symbols.end},
                   {"forced_eos_token_id", symbols.end},
                   {"decoder_start_token_id", symbols.decoder_start}};
  if (!forbidden.empty()) settings["bad_words_ids"] = bad_words;
  if (decoding.renormalize) settings["renormalize_logits"] = true;
  return settings;
}

Json vocabulary_json(const Tokenizer& tokenizer) {
  Json ids = Json::object();
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    const std::string piece = tokenizer.piece(id);
    if (!piece.empty()) ids[piece] = id;
  }
  return ids;
}

Json tokenizer_json(const Tokenizer& target, bool are_separate) {
  const SpecialTokens& symbols = target.special_tokens();
  return {{"tokenizer_class", "MarianTokenizer"},
          {"separate_vocabs", are_separate},
          {"source_lang", nullptr},
          {"target_lang", nullptr},
          {"unk_token", target.piece(symbols.unknown)},
          {"eos_token", target.piece(symbols.end)},
          {"pad_token", target.piece(symbols.pad)},
          {"model_max_length", 1024}};
}

/// The parameters under MarianMT's names.
NamedTensors renamed(const ExportedModel& exported, const EmbeddingMatrices& embeddings) {
  const NamedTensors& from = exported.parameters;
  NamedTensors to;
  if (embeddings.source_is_target) {
    to.insert("model.shared.weight", from.at("embedding.weight"));
  } else {
    to.insert("model.encoder.embed_tokens.weight", from.at("source_embedding.weight"));
    to.insert("model.decoder.embed_tokens.weight", from.at("embedding.weight"));
  }
  const bool has_output = !embeddings.output_is_target;
  if (has_output && embeddings.source_is_target) {
    // transformers 5 unties these, too, if tie_word_embeddings is false.
    for (const char* stack : {"encoder", "decoder"}) {
      to.insert(fmt::format("model.{}.embed_tokens.weight", stack), from.at("embedding.weight"));
    }
  }
  if (has_output) to.insert("lm_head.weight", from.at("output_projection.weight"));
  to.insert("final_logits_bias", from.at(has_output ? "output_projection.bias" : "embedding.bias").unsqueeze(0));
  for (const auto& [ours, theirs] : marianmt_modules(exported.model, "model.")) {
    for (const char* part : {".weight", ".bias"}) to.insert(theirs + part, from.at(ours + part));
  }
  return to;
}

}  // namespace

std::vector<std::string> export_marianmt(const ExportedModel& exported, const std::string& directory) {
  const Tokenizer &source = exported.tokenizers.source(), &target = exported.tokenizers.target();
  const EmbeddingMatrices embeddings(exported.model, exported.tokenizers.sizes());
  check_network(exported, embeddings, directory);
  const SpecialTokens symbols = symbols_of(exported, directory);
  const std::vector<TokenId> forbidden = forbidden_tokens(exported.decoding, target);
  check_is_empty(directory);
  make_directory(directory);
  std::vector<std::string> written;
  const auto write = [&](const std::string& name, std::string_view content) {
    written.push_back(fmt::format("{}/{}", directory, name));
    write_file_atomically(written.back(), content);
  };
  const auto write_json = [&](const std::string& name, const Json& value) { write(name, json_text(value, 2) + "\n"); };
  const bool are_separate = pieces_of(source) != pieces_of(target);
  write("source.spm", plain_sentencepiece(source.model_bytes()));
  write("target.spm", plain_sentencepiece(target.model_bytes()));
  write_json("vocab.json", vocabulary_json(source));
  if (are_separate) write_json("target_vocab.json", vocabulary_json(target));
  write_json("tokenizer_config.json", tokenizer_json(target, are_separate));
  write_json("generation_config.json", generation_json(exported.decoding, forbidden, symbols));
  write_json("config.json", config_json(exported, embeddings, symbols));
  written.push_back(directory + "/model.safetensors");
  save_safetensors(written.back(), {.metadata = {{"format", "pt"}}, .tensors = renamed(exported, embeddings)});
  return written;
}

}  // namespace transformer
