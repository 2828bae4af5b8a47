#include "export/ctranslate2.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/read_file.h"
#include "export/export_directory.h"
#include "kernels/attention_scale.h"
#include "model/decoder_start.h"
#include "model/positional_encoding.h"
#include "ops/quantization.h"
#include "text/bpe_codes.h"

namespace transformer {
namespace {

// The format of model.bin, little-endian: the version of the format (4 bytes); name and revision (4 bytes) of the model
// specification; the number of variables (4 bytes), and for each variable its name, rank (1 byte), sizes (4 bytes
// each), type (1 byte), number of bytes (4 bytes) and bytes; the number of aliases (4 bytes), and for each alias its
// name and the variable's name. A name is written as its length plus one (2 bytes), its bytes and a zero byte.

constexpr uint32_t kFormatVersion = 6;
constexpr const char* kSpecName = "TransformerSpec";
constexpr uint32_t kSpecRevision = 7;
/// The number of a type is its index in this array.
constexpr std::array kTypes = {torch::kFloat, torch::kChar, torch::kShort, torch::kInt, torch::kHalf, torch::kBFloat16};

struct ModelBin {
  std::vector<std::pair<std::string, torch::Tensor>> variables;  // a setting is a variable of rank 0
  std::vector<std::pair<std::string, std::string>> aliases;      // pairs of an alias and the name of the variable
};

template <class Number>
void write_number(AtomicFile& file, Number number) {
  file.write({reinterpret_cast<const char*>(&number), sizeof(number)});
}

void write_name(AtomicFile& file, const std::string& name) {
  const size_t size = name.size() + 1;
  write_number(file, static_cast<uint16_t>(size));
  file.write({name.c_str(), size});
}

void write_tensor(AtomicFile& file, const torch::Tensor& tensor) {
  const auto type = std::find(kTypes.begin(), kTypes.end(), tensor.scalar_type());
  TORCH_CHECK(type != kTypes.end(), "CTranslate2 has no type for ", tensor.scalar_type());
  write_number(file, static_cast<uint8_t>(tensor.dim()));
  for (const int64_t size : tensor.sizes()) write_number(file, static_cast<uint32_t>(size));
  write_number(file, static_cast<uint8_t>(type - kTypes.begin()));
  write_number(file, static_cast<uint32_t>(tensor.nbytes()));
  file.write({static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()});
}

void save_model_bin(const std::string& path, const ModelBin& model) {
  AtomicFile file(path);
  write_number(file, kFormatVersion);
  write_name(file, kSpecName);
  write_number(file, kSpecRevision);
  write_number(file, static_cast<uint32_t>(model.variables.size()));
  for (const auto& [name, tensor] : model.variables) {
    write_name(file, name);
    write_tensor(file, tensor.cpu().contiguous());
  }
  write_number(file, static_cast<uint32_t>(model.aliases.size()));
  for (const auto& [alias, name] : model.aliases) {
    write_name(file, alias);
    write_name(file, name);
  }
  file.commit();
}

/// Pads the rows of each of h heads with zeros, to `width` rows per head: [h * height, ...] -> [h * width, ...].
torch::Tensor pad_heads(const torch::Tensor& rows, int64_t h, int64_t width) {
  const auto heads = rows.unflatten(0, {h, -1});  // [h, height, ...]
  std::vector<int64_t> sizes = heads.sizes().vec();
  sizes[1] = width - heads.size(1);
  return torch::cat({heads, torch::zeros(sizes, rows.options())}, 1).flatten(0, 1);
}

/// The number of CTranslate2's ops::ActivationType.
double activation_number(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return 0;
    case Activation::swish:
      return 2;
    case Activation::gelu:
      return 3;
    case Activation::gelu_sigmoid:
      return 4;
  }
  TORCH_CHECK(false, "unknown activation");
}

/// The network's parameters with the names and shapes that CTranslate2 expects.
class ModelBinBuilder {
 public:
  ModelBinBuilder(const Transformer& network, Quantization quantization)
      : config_(network->config()),
        embeddings_(network->embeddings()),
        parameters_(network->named_parameters()),
        quantization_(quantization) {}

  ModelBin build() {
    add_embeddings();
    add_positions();
    add_stack("encoder", config_.N);
    add_stack("decoder", config_.num_decoder_layers());
    return std::move(model_);
  }

 private:
  const torch::Tensor& parameter(const std::string& name) const { return parameters_[name]; }

  void add(const std::string& name, const torch::Tensor& tensor) { model_.variables.emplace_back(name, tensor); }
  void add_setting(const std::string& name, double value, torch::ScalarType type) {
    add(name, torch::scalar_tensor(value, type));
  }
  void add_alias(const std::string& alias, const std::string& name) { model_.aliases.emplace_back(alias, name); }

  /// weight [rows, columns].
  void add_matrix(const std::string& scope, const torch::Tensor& weight) {
    if (quantization_ == Quantization::float32) return add(scope + "/weight", weight);
    const auto [quantized, inverse_scales] = quantize(weight);
    add(scope + "/weight", quantized);
    add(scope + "/weight_scale", inverse_scales);  // which CTranslate2 calls a scale
  }

  /// The embeddings and the output projection (§3.4). CTranslate2 stores a matrix that they share once as well.
  void add_embeddings() {
    add_matrix("decoder/embeddings", parameter("embedding.weight"));
    if (embeddings_.output_is_target) {
      add_alias("decoder/projection/weight", "decoder/embeddings/weight");
    } else {
      add_matrix("decoder/projection", parameter("output_projection.weight"));
    }
    if (config_.output_bias) {
      add("decoder/projection/bias",
          parameter(embeddings_.output_is_target ? "embedding.bias" : "output_projection.bias"));
    }
    if (embeddings_.source_is_target) {
      add_alias("encoder/embeddings_0/weight", "decoder/embeddings/weight");
    } else {
      add_matrix("encoder/embeddings_0", parameter("source_embedding.weight"));
    }
  }

  /// CTranslate2's own sinusoids are those of `sinusoids: halves`, but it accepts any table. This one has positions for
  /// the longest source of `translate` (D11), 1,024 with the end symbol, and for outputs twice as long.
  void add_positions() {
    static constexpr int64_t kPositions = 2048;
    const std::string source = "encoder/position_encodings/encodings", target = "decoder/position_encodings/encodings";
    if (config_.position == Position::learned) {
      add(source, parameter("source_positions.weight"));
      add(target, parameter("target_positions.weight"));
    } else {
      add(target, positional_encoding_table(kPositions, config_).to(torch::kFloat));
      add_alias(source, target);
    }
  }

  /// The layers of the "encoder" or the "decoder".
  void add_stack(const std::string& stack, int64_t num_layers) {
    const auto add_flag = [&](const char* name, bool value) { add_setting(stack + name, value ? 1 : 0, torch::kChar); };
    add_setting(stack + "/num_heads", static_cast<double>(config_.h), torch::kShort);
    add_flag("/pre_norm", config_.layer_norm == NormOrder::pre);
    add_setting(stack + "/activation", activation_number(config_.activation), torch::kChar);
    add_flag("/scale_embeddings", config_.scale_embedding);  // by sqrt(d_model)
    if (stack == "decoder" && config_.decoder_start == DecoderStart::zeros)
      add_flag("/start_from_zero_embedding", true);
    if (config_.embedding_layer_norm) {
      add_norm(stack == "encoder" ? "source_embedding_norm" : "target_embedding_norm", stack + "/layernorm_embedding");
    }
    for (int64_t n = 0; n < num_layers; ++n) {
      const std::string from = fmt::format("{}.layers.{}.", stack, n), to = fmt::format("{}/layer_{}/", stack, n);
      add_attention(from + "self_attention", to + "self_attention");
      if (stack == "decoder") add_attention(from + "memory_attention", to + "attention");
      add_feed_forward(from + "feed_forward", to + "ffn");
    }
    if (config_.has_final_norm()) add_norm(stack + ".norm", stack + "/layer_norm");
  }

  /// CTranslate2 has one matrix for the queries, keys and values of self-attention, and for attention over the
  /// encoder's output one for the queries and one for keys and values; the last matrix is W^O. Its heads have a single
  /// width, so the smaller of d_k and d_v is padded with zeros, which change neither the attention scores nor the
  /// output. The scores are still scaled by 1 / sqrt(d_k).
  void add_attention(const std::string& from, const std::string& to) {
    const int64_t h = config_.h, width = std::max(config_.key_size(), config_.value_size());
    // Weights [h * width, d_model] or biases [h * width].
    const auto heads = [&](const std::string& name) { return pad_heads(parameter(from + name), h, width); };
    const auto joined = [&](const std::string& kind) {
      const auto q = heads(".w_q" + kind), k = heads(".w_k" + kind), v = heads(".w_v" + kind);
      const bool is_self_attention = from.ends_with("self_attention");
      return is_self_attention ? std::vector{torch::cat({q, k, v})} : std::vector{q, torch::cat({k, v})};
    };
    auto matrices = joined(".weight");
    matrices.push_back(pad_heads(parameter(from + ".w_o.weight").t(), h, width).t());  // [d_model, h * width]
    for (size_t i = 0; i < matrices.size(); ++i) add_matrix(fmt::format("{}/linear_{}", to, i), matrices[i]);
    if (config_.attention_bias) {
      auto biases = joined(".bias");
      biases.push_back(parameter(from + ".w_o.bias"));
      for (size_t i = 0; i < biases.size(); ++i) add(fmt::format("{}/linear_{}/bias", to, i), biases[i]);
    }
    add_setting(to + "/head_dim", static_cast<double>(width), torch::kInt);
    add_setting(to + "/queries_scale", attention_scale(config_.key_size()), torch::kFloat);
    add_norm(from + "_sublayer.norm", to + "/layer_norm");
  }

  void add_feed_forward(const std::string& from, const std::string& to) {
    for (const auto& [ours, theirs] : {std::pair{".w_1", "/linear_0"}, std::pair{".w_2", "/linear_1"}}) {
      add_matrix(to + theirs, parameter(fmt::format("{}{}.weight", from, ours)));
      add(fmt::format("{}{}/bias", to, theirs), parameter(fmt::format("{}{}.bias", from, ours)));
    }
    add_norm(from + "_sublayer.norm", to + "/layer_norm");
  }

  void add_norm(const std::string& from, const std::string& to) {
    add(to + "/gamma", parameter(from + ".weight"));
    add(to + "/beta", parameter(from + ".bias"));
  }

  const ModelConfig& config_;
  const EmbeddingMatrices embeddings_;
  const torch::OrderedDict<std::string, torch::Tensor> parameters_;
  const Quantization quantization_;
  ModelBin model_;
};

constexpr const char* kEpsilonKey = "layer_norm_epsilon";  // null in most of the files that converters write

/// `piece` returns the name of a special symbol.
template <class Piece>
Json config_json(const ModelConfig& config, const SpecialTokens& special, bool source_has_end, const Piece& piece) {
  return {{"add_source_bos", false},           {"add_source_eos", source_has_end},
          {"bos_token", piece(special.begin)}, {"decoder_start_token", piece(special.decoder_start)},
          {"eos_token", piece(special.end)},   {kEpsilonKey, config.layer_norm_epsilon},
          {"multi_query_attention", false},    {"unk_token", piece(special.unknown)}};
}

/// The pieces as a caller of CTranslate2 has them: without a space mark if SentencePiece does not make them.
Json vocabulary_json(const Tokenizer& tokenizer) {
  Json pieces = Json::array();
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    std::string_view piece = tokenizer.piece(id);
    if (tokenizer.marks_every_piece() && piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
    pieces.push_back(std::string(piece));
  }
  return pieces;
}

/// Writes the BPE codes of both sides, if they have any, and warns if SentencePiece does not divide text. Returns the
/// paths of the files.
std::vector<std::string> write_codes(const CTranslate2Files& files, const Tokenizers& tokenizers) {
  if (tokenizers.source().takes_divided_texts()) {
    log_warning("{}: the model takes texts that are divided into pieces already, and so does CTranslate2 with it",
                files.parameters);
  }
  std::vector<std::string> written;
  for (const auto& [tokenizer, path] :
       {std::pair{&tokenizers.source(), files.source_codes}, std::pair{&tokenizers.target(), files.target_codes}}) {
    const auto codes = bpe_codes_of(tokenizer->model_bytes());
    if (!codes) continue;
    write_file_atomically(path, *codes);
    written.push_back(path);
  }
  if (!written.empty()) {
    log_warning(
        "{}: divides texts instead of the SentencePiece model; callers of CTranslate2 must do so by "
        "`subword-nmt apply-bpe -c`, and join translations with `sed 's/@@ //g'`",
        written.front());
  }
  return written;
}

void write_json(const std::string& path, const Json& value) { write_file_atomically(path, json_text(value, 2) + "\n"); }

}  // namespace

CTranslate2Files::CTranslate2Files(const std::string& directory)
    : parameters(directory + "/model.bin"),
      config(directory + "/config.json"),
      shared_vocabulary(directory + "/shared_vocabulary.json"),
      source_vocabulary(directory + "/source_vocabulary.json"),
      target_vocabulary(directory + "/target_vocabulary.json"),
      source_codes(directory + "/source.bpe"),
      target_codes(directory + "/target.bpe") {}

bool is_export(const CTranslate2Files& files) {
  try {
    const nlohmann::json config = parse_json(read_file(files.config)),
                         ours = config_json(ModelConfig(), SpecialTokens(), true, [](TokenId) { return ""; });
    const auto has_key = [&](const auto& entry) { return ours.contains(entry.key()); };
    return config.is_object() && config.size() == ours.size() &&
           std::all_of(config.items().begin(), config.items().end(), has_key) && config.at(kEpsilonKey).is_number();
  } catch (const Error&) {  // missing, or no JSON
    return false;
  }
}

std::vector<std::string> export_ctranslate2(const Transformer& network, const Tokenizers& tokenizers,
                                            Quantization quantization, const std::string& directory) {
  if (network->config().r) {
    throw Error(
        "{}: not written, since CTranslate2 has no restricted self-attention and this model has model.r {}; export it "
        "as safetensors, or train without model.r",
        directory, *network->config().r);
  }
  torch::NoGradGuard no_grad;
  const ModelBin model = ModelBinBuilder(network, quantization).build();
  for (const auto& [name, tensor] : model.variables) {
    if (tensor.nbytes() <= std::numeric_limits<uint32_t>::max()) continue;
    throw Error(
        "{}: not written, since '{}' has more than the 4 GiB that CTranslate2's format allows; export it as "
        "safetensors",
        directory, name);
  }
  const VocabularyModels models = tokenizers.models();
  check_export_directory(directory, models);
  const CTranslate2Files files(directory);
  if (std::filesystem::exists(files.config) && !is_export(files)) throw_not_exported(files.config);
  make_directory(directory);
  // Removes an earlier export first: its parameters, so that they are never beside another vocabulary if a file cannot
  // be written, and its vocabularies, of which CTranslate2 might use one instead of this model's.
  for (const auto& path : {files.parameters, files.shared_vocabulary, files.source_vocabulary, files.target_vocabulary,
                           files.source_codes, files.target_codes}) {
    std::filesystem::remove(path);
  }
  std::vector<std::string> written = replace_vocabulary(directory, models);
  const auto write_vocabulary = [&](const std::string& path, const Tokenizer& tokenizer) {
    write_json(path, vocabulary_json(tokenizer));
    written.push_back(path);
  };
  if (tokenizers.sizes().are_shared()) {
    write_vocabulary(files.shared_vocabulary, tokenizers.target());
  } else {
    write_vocabulary(files.source_vocabulary, tokenizers.source());
    write_vocabulary(files.target_vocabulary, tokenizers.target());
  }
  for (std::string& path : write_codes(files, tokenizers)) written.push_back(std::move(path));
  const SourceAndTarget<SpecialTokens> symbols = special_tokens_of(network->config(), tokenizers);
  // As in the files of converters, the begin symbol has a name even if the vocabulary lacks it.
  const auto piece = [&](TokenId id) { return id < 0 ? "<s>" : tokenizers.target().piece(id); };
  write_json(files.config, config_json(network->config(), symbols.target(), symbols.source().source_has_end, piece));
  save_model_bin(files.parameters, model);
  written.insert(written.begin(), {files.parameters, files.config});
  return written;
}

}  // namespace transformer
