#include "export/marian.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/atomic_file.h"
#include "base/format.h"
#include "base/json.h"
#include "base/make_directory.h"
#include "export/module_names.h"
#include "model/embedding_matrices.h"
#include "serialization/npz.h"
#include "text/bpe_codes.h"
#include "text/piece_list.h"

namespace transformer {
namespace {

constexpr const char* kProgram = "Marian";

void check_network(const ExportedModel& exported, const std::string& directory) {
  const ModelConfig& m = exported.model;
  Rules rules;
  rules.require(m.position == Position::sinusoidal, {"model.position"}, "is learned, not sinusoidal");
  rules.require(m.sinusoids == Sinusoids::tensor2tensor, {"model.sinusoids"}, "is {}, not tensor2tensor",
                name_of(m.sinusoids));
  rules.require(m.first_position == 0, {"model.first_position"}, "is {}, not 0", m.first_position);
  rules.require(m.scale_embedding, {"model.scale_embedding"}, "is false, not true");
  rules.require(m.layer_norm_epsilon == 1e-6, {"model.layer_norm_epsilon"}, "is {:g}, not 1e-06", m.layer_norm_epsilon);
  rules.require(m.activation != Activation::gelu_sigmoid, {"model.activation"},
                "is gelu_sigmoid, not relu, swish or gelu");
  rules.require(m.attention_bias, {"model.attention_bias"}, "is false, not true");
  rules.require(m.output_bias, {"model.output_bias"}, "is false, not true");
  rules.require(m.key_size() * m.h == m.d_model, {"model.d_k"}, "is {}, not d_model / h", m.key_size());
  rules.require(m.value_size() * m.h == m.d_model, {"model.d_v"}, "is {}, not d_model / h", m.value_size());
  rules.require(!m.r, {"model.r"}, "is {}, not null", m.r.value_or(0));
  rules.require(m.decoder_start == DecoderStart::zeros, {"model.decoder_start"}, "is {}, not zeros",
                name_of(m.decoder_start));
  rules.require(!exported.decoding.trees, {"decoding.trees"}, "is true, not false");
  rules.require(exported.tokenizers.source().special_tokens().source_has_end, {"its vocabulary"},
                "says that a source has no end symbol");
  check_is_held(rules, directory, kProgram);
}

/// The options of the network, as Marian writes them into its models, and those of dropout, which it ignores there.
std::string model_options(const ExportedModel& exported, const EmbeddingMatrices& embeddings) {
  const ModelConfig& m = exported.model;
  const bool is_pre = m.layer_norm == NormOrder::pre;
  const bool source = embeddings.source_is_target, output = embeddings.output_is_target;
  return fmt::format(
      "type: transformer\n"
      "dim-emb: {}\n"
      "dim-vocabs:\n  - {}\n  - {}\n"
      "enc-depth: {}\n"
      "dec-depth: {}\n"
      "input-types:\n  []\n"
      "tied-embeddings: {}\n"
      "tied-embeddings-all: {}\n"
      "tied-embeddings-src: {}\n"
      "transformer-heads: {}\n"
      "transformer-dim-ffn: {}\n"
      "transformer-ffn-depth: 2\n"
      "transformer-ffn-activation: {}\n"
      "transformer-decoder-autoreg: self-attention\n"
      "transformer-preprocess: \"{}\"\n"
      "transformer-postprocess: {}\n"
      "transformer-postprocess-top: \"{}\"\n"
      "transformer-postprocess-emb: {}\n"
      "transformer-tied-layers:\n  []\n"
      "transformer-dropout: {}\n"
      "transformer-dropout-attention: {}\n"
      "transformer-dropout-ffn: {}\n",
      m.d_model, exported.tokenizers.source().size(), exported.tokenizers.target().size(), m.N, m.num_decoder_layers(),
      output && !source, source && output, source && !output, m.h, m.d_ff, name_of(m.activation), is_pre ? "n" : "",
      is_pre ? "da" : "dan", m.has_final_norm() ? "n" : "", m.embedding_layer_norm ? "nd" : "d", number_text(m.P_drop),
      number_text(m.attention_dropout), number_text(m.relu_dropout));
}

/// The options as bytes, with a NUL at their end and filled up to a multiple of 256, as Marian stores them.
torch::Tensor as_array(std::string text) {
  static constexpr size_t kMultiple = 256;
  text.resize((text.size() / kMultiple + 1) * kMultiple);
  return torch::from_blob(text.data(), {static_cast<int64_t>(text.size())}, torch::kChar).clone();
}

NamedTensors renamed(const ExportedModel& exported, const EmbeddingMatrices& embeddings) {
  const NamedTensors& from = exported.parameters;
  NamedTensors to;
  const auto transposed = [&](const std::string& name) { return from.at(name).t().contiguous(); };
  const auto row = [&](const std::string& name) { return from.at(name).unsqueeze(0); };
  to.insert(embeddings.source_is_target ? "Wemb" : "decoder_Wemb", from.at("embedding.weight"));
  if (!embeddings.source_is_target) to.insert("encoder_Wemb", from.at("source_embedding.weight"));
  if (!embeddings.output_is_target) to.insert("decoder_ff_logit_out_Wt", from.at("output_projection.weight"));
  to.insert("decoder_ff_logit_out_b", row(embeddings.output_is_target ? "embedding.bias" : "output_projection.bias"));
  for (const auto& [ours, weight, bias] : marian_modules(exported.model)) {
    to.insert(weight, ours.ends_with("norm") ? row(ours + ".weight") : transposed(ours + ".weight"));
    to.insert(bias, row(ours + ".bias"));
  }
  to.insert("special:model.yml", as_array(model_options(exported, embeddings)));
  return to;
}

/// A vocabulary's name in `decoder.yml`, and the files that it takes.
struct VocabularyFile {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  // names and contents
};

/// The pieces of a tokenizer in the order of their ids, without ids at the end that have none.
std::vector<std::string> pieces_of(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (TokenId id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

std::string yaml_of(const std::vector<std::string>& pieces, bool are_marked) {
  std::string yaml;
  for (size_t id = 0; id < pieces.size(); ++id) {
    std::string_view piece = pieces[id];
    if (are_marked && piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
    if (!piece.empty()) yaml += fmt::format("{}: {}\n", json_text(Json(std::string(piece))), id);
  }
  return yaml;
}

/// `side` is "source" or "target".
VocabularyFile vocabulary_file(const ExportedModel& exported, const std::string& side) {
  const Tokenizers& tokenizers = exported.tokenizers;
  const Tokenizer& tokenizer = side == "source" ? tokenizers.source() : tokenizers.target();
  const std::string sentencepiece = plain_sentencepiece(tokenizer.model_bytes());
  const std::vector<std::string> pieces = pieces_of(tokenizer);
  const bool have_one_list = pieces_of(tokenizers.source()) == pieces_of(tokenizers.target());
  if (own_pieces(sentencepiece).pieces == pieces) {
    const std::string name = tokenizers.are_shared() ? "vocab.spm" : side + ".spm";
    return {name, {{name, sentencepiece}}};
  }
  const auto codes = bpe_codes_of(tokenizer.model_bytes());
  const std::string name = have_one_list ? "vocab.yml" : side + ".vocab.yml";
  if (tokenizer.takes_divided_texts()) return {name, {{name, yaml_of(pieces, tokenizer.marks_every_piece())}}};
  return {name,
          {{name, yaml_of(pieces, tokenizer.marks_every_piece())},
           {side + (codes ? ".bpe" : ".spm"), codes ? *codes : sentencepiece}}};
}

std::string decoder_options(const DecodingConfig& decoding, const std::string& source, const std::string& target) {
  const bool is_beam = decoding.beam_size > 1;
  Rules rules;
  rules.require(!is_beam || decoding.length_penalty != LengthPenaltyForm::gnmt, {"decoding.length_penalty"}, "is gnmt");
  rules.require(!is_beam || decoding.stopping == Stopping::shrinking, {"decoding.stopping"}, "is {}",
                name_of(decoding.stopping));
  rules.require(decoding.max_extra_tokens == DecodingConfig().max_extra_tokens, {"decoding.max_extra_tokens"}, "is {}",
                decoding.max_extra_tokens);
  rules.require(!decoding.forbidden_pieces || decoding.forbidden_pieces->empty(), {"decoding.forbidden_pieces"},
                "is a list of pieces");
  rules.require(!decoding.renormalize, {"decoding.renormalize"}, "is true");
  warn_of_other_search(rules, kProgram);
  const bool allows_unknown = decoding.forbidden_pieces && decoding.forbidden_pieces->empty();
  return fmt::format(
      "relative-paths: true\n"
      "models:\n  - model.npz\n"
      "vocabs:\n  - {}\n  - {}\n"
      "beam-size: {}\n"
      "normalize: {}\n"
      "word-penalty: 0\n"
      "allow-unk: {}\n",
      source, target, decoding.beam_size,
      decoding.length_penalty == LengthPenaltyForm::none ? "0" : number_text(decoding.alpha), allows_unknown);
}

}  // namespace

std::vector<std::string> export_marian(const ExportedModel& exported, const std::string& directory) {
  check_network(exported, directory);
  const EmbeddingMatrices embeddings(exported.model, exported.tokenizers.sizes());
  const VocabularyFile source = vocabulary_file(exported, "source"), target = vocabulary_file(exported, "target");
  check_is_empty(directory);
  make_directory(directory);
  std::vector<std::string> written;
  const auto write = [&](const std::string& name, std::string_view content) {
    const std::string path = fmt::format("{}/{}", directory, name);
    if (std::find(written.begin(), written.end(), path) != written.end()) return;
    written.push_back(path);
    write_file_atomically(path, content);
  };
  for (const VocabularyFile& vocabulary : {source, target}) {
    for (const auto& [name, content] : vocabulary.files) write(name, content);
  }
  write("decoder.yml", decoder_options(exported.decoding, source.name, target.name));
  written.push_back(directory + "/model.npz");
  save_npz(written.back(), renamed(exported, embeddings));
  return written;
}

}  // namespace transformer
