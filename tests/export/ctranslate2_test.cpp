#include "export/ctranslate2.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "export/safetensors_export.h"
#include "model/decoder_start.h"
#include "tensors.h"
#include "tiny_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

constexpr int64_t kPieces = 50;

Tokenizers small_tokenizers() {
  return Tokenizers(
      tokenizer_of("the cat sat on the mat\nthe \"dog\" sat on \\ the cat\nein Hund saß auf der Matte\n", kPieces));
}

/// model.bin, read as CTranslate2 reads it.
class ModelBin {
 public:
  explicit ModelBin(const std::string& path) : bytes_(read_file(path)) {
    version = take<uint32_t>();
    layout = take_name();
    revision = take<uint32_t>();
    for (auto left = take<uint32_t>(); left > 0; --left) {
      const std::string name = take_name();
      variables[name] = take_tensor();
    }
    for (auto left = take<uint32_t>(); left > 0; --left) {
      const std::string alias = take_name();
      aliases[alias] = take_name();
    }
    REQUIRE(position_ == bytes_.size());
  }

  uint32_t version, revision;
  std::string layout;
  std::map<std::string, torch::Tensor> variables;
  std::map<std::string, std::string> aliases;

 private:
  std::string_view take_bytes(size_t size) {
    REQUIRE(size <= bytes_.size() - position_);
    position_ += size;
    return std::string_view(bytes_).substr(position_ - size, size);
  }
  template <class Number>
  Number take() {
    Number number;
    std::memcpy(&number, take_bytes(sizeof(number)).data(), sizeof(number));
    return number;
  }
  std::string take_name() {
    const std::string_view bytes = take_bytes(take<uint16_t>());
    REQUIRE(bytes.find('\0') == bytes.size() - 1);
    return std::string(bytes.substr(0, bytes.size() - 1));
  }
  torch::Tensor take_tensor() {
    std::vector<int64_t> sizes(take<uint8_t>());
    for (int64_t& size : sizes) size = take<uint32_t>();
    const std::vector types = {torch::kFloat, torch::kChar, torch::kShort, torch::kInt};
    torch::Tensor tensor = torch::empty(sizes, types.at(take<uint8_t>()));
    const std::string_view data = take_bytes(take<uint32_t>());
    REQUIRE(data.size() == tensor.nbytes());
    std::memcpy(tensor.mutable_data_ptr(), data.data(), data.size());
    return tensor;
  }

  std::string bytes_;
  size_t position_ = 0;
};

/// The computation that CTranslate2 does with model.bin, for one sentence.
class ServedNetwork {
 public:
  explicit ServedNetwork(const ModelBin& model, double epsilon = 1e-6) : model_(model), epsilon_(epsilon) {}

  /// Returns logits [T, vocab].
  torch::Tensor logits(const std::vector<int64_t>& source, const std::vector<int64_t>& target_in) const {
    auto x = embed("encoder", "encoder/embeddings_0", source);
    for (int n = 0; has(fmt::format("encoder/layer_{}/ffn/linear_0/weight", n)); ++n) {
      const std::string layer = fmt::format("encoder/layer_{}", n);
      x = feed_forward(layer + "/ffn", "encoder", attention(layer + "/self_attention", "encoder", x, {}));
    }
    if (has("encoder/layer_norm/gamma")) x = norm("encoder/layer_norm", x);
    auto y = embed("decoder", "decoder/embeddings", target_in);
    for (int n = 0; has(fmt::format("decoder/layer_{}/ffn/linear_0/weight", n)); ++n) {
      const std::string layer = fmt::format("decoder/layer_{}", n);
      y = attention(layer + "/self_attention", "decoder", y, {});
      y = feed_forward(layer + "/ffn", "decoder", attention(layer + "/attention", "decoder", y, x));
    }
    if (has("decoder/layer_norm/gamma")) y = norm("decoder/layer_norm", y);
    return linear("decoder/projection", y);
  }

  /// A dequantized weight: [rows, columns].
  torch::Tensor matrix(const std::string& scope) const {
    const auto weight = get(scope + "/weight");
    const std::string scale = named(scope + "/weight") + "_scale";
    return weight.scalar_type() == torch::kChar ? weight / get(scale).unsqueeze(1) : weight;
  }

 private:
  std::string named(const std::string& name) const {
    const auto alias = model_.aliases.find(name);
    return alias == model_.aliases.end() ? name : alias->second;
  }
  bool has(const std::string& name) const { return model_.variables.contains(named(name)); }
  const torch::Tensor& get(const std::string& name) const {
    INFO(name);
    REQUIRE(has(name));
    return model_.variables.at(named(name));
  }

  torch::Tensor linear(const std::string& scope, const torch::Tensor& x) const {
    return torch::linear(x, matrix(scope), has(scope + "/bias") ? get(scope + "/bias") : torch::Tensor());
  }

  torch::Tensor embed(const std::string& stack, const std::string& scope, const std::vector<int64_t>& tokens) const {
    auto rows = matrix(scope).index_select(0, torch::tensor(tokens));
    if (is_set(stack + "/scale_embeddings")) rows = rows * std::sqrt(static_cast<double>(rows.size(1)));
    if (is_set(stack + "/start_from_zero_embedding")) rows[0].zero_();
    rows = rows + get(stack + "/position_encodings/encodings").slice(0, 0, rows.size(0));
    const std::string scope_of_norm = stack + "/layernorm_embedding";
    return has(scope_of_norm + "/gamma") ? norm(scope_of_norm, rows) : rows;
  }

  bool is_set(const std::string& flag) const { return has(flag) && get(flag).item<int>() == 1; }

  torch::Tensor norm(const std::string& scope, const torch::Tensor& x) const {
    return torch::layer_norm(x, {x.size(1)}, get(scope + "/gamma"), get(scope + "/beta"), epsilon_);
  }

  /// A sub-layer with its residual connection.
  template <class Function>
  torch::Tensor sublayer(const std::string& scope, const std::string& stack, const torch::Tensor& x,
                         const Function& function) const {
    if (is_set(stack + "/pre_norm")) return x + function(norm(scope + "/layer_norm", x));
    return norm(scope + "/layer_norm", x + function(x));
  }

  /// x [T, d_model] attends to y [S, d_model], undefined for itself.
  torch::Tensor attention(const std::string& scope, const std::string& stack, const torch::Tensor& x,
                          const torch::Tensor& y) const {
    return sublayer(scope, stack, x, [&](const torch::Tensor& input) {
      return attention_of(scope, stack, input, y.defined() ? y : input);
    });
  }

  /// Without the residual connection; the decoder's self-attention is causal.
  torch::Tensor attention_of(const std::string& scope, const std::string& stack, const torch::Tensor& x,
                             const torch::Tensor& y) const {
    const bool is_self_attention = x.is_same(y);
    const auto h = get(stack + "/num_heads").item<int64_t>(), width = get(scope + "/head_dim").item<int64_t>();
    const auto projected =
        is_self_attention ? linear(scope + "/linear_0", x) : linear(scope + "/linear_1", y);  // [S, parts * h * width]
    auto parts = projected.unflatten(1, {-1, h, width}).permute({1, 2, 0, 3}).unbind(0);      // each [h, S, width]
    if (!is_self_attention) {
      parts.insert(parts.begin(), linear(scope + "/linear_0", x).unflatten(1, {h, width}).transpose(0, 1));
    }
    auto scores = parts[0].matmul(parts[1].transpose(1, 2)) * get(scope + "/queries_scale");  // [h, T, S]
    if (is_self_attention && stack == "decoder") {
      scores = scores.masked_fill(torch::ones_like(scores, torch::kBool).triu(1), -INFINITY);
    }
    const auto heads = torch::softmax(scores, 2).matmul(parts[2]).transpose(0, 1).flatten(1);  // [T, h * width]
    return linear(scope + (is_self_attention ? "/linear_1" : "/linear_2"), heads);
  }

  torch::Tensor feed_forward(const std::string& scope, const std::string& stack, const torch::Tensor& x) const {
    return sublayer(scope, stack, x, [&](const torch::Tensor& input) {
      return linear(scope + "/linear_1", activated(get(stack + "/activation").item<int>(),  //
                                                   linear(scope + "/linear_0", input)));
    });
  }

  /// With the numbers of CTranslate2's ActivationType.
  static torch::Tensor activated(int activation, const torch::Tensor& x) {
    if (activation == 0) return torch::relu(x);
    if (activation == 2) return x * torch::sigmoid(x);
    if (activation == 3) return x * (1 + torch::erf(x / std::sqrt(2.0))) / 2;
    REQUIRE(activation == 4);
    return x * torch::sigmoid(1.702 * x);
  }

  const ModelBin& model_;
  double epsilon_;
};

ModelConfig with_widths(int64_t d_k, int64_t d_v) {
  ModelConfig config = tiny_config();
  config.d_k = d_k;
  config.d_v = d_v;
  return config;
}

ModelConfig with_learned_positions() {
  ModelConfig config = tiny_config();
  config.position = Position::learned;
  config.max_positions = 10;
  return config;
}

const SpecialTokens kSpecial;
const std::vector<int64_t> kSource = {7, 4, 30, 9, kSpecial.end}, kTargetIn = {kSpecial.begin, 5, 49, 1};

}  // namespace

TEST_CASE("ctranslate2: the content of model.bin computes the same logits, for all kinds of heads and positions") {
  const TemporaryDirectory directory;
  const auto config =
      GENERATE(tiny_config(), with_widths(3, 5), with_widths(5, 3), with_widths(6, 6), with_learned_positions());
  const auto network = tiny_model(config, kPieces);
  export_ctranslate2(network, small_tokenizers(), Quantization::float32, directory / "out");
  torch::NoGradGuard no_grad;
  const auto expected = Transformer(network)->forward(sentences({kSource}), sentences({kTargetIn}));  // [T, vocab]
  const ModelBin model(directory / "out/model.bin");
  CHECK(model.version == 6);
  CHECK(model.layout == "TransformerSpec");
  CHECK(model.revision == 7);
  CHECK(max_difference(ServedNetwork(model).logits(kSource, kTargetIn), expected) < 1e-5);
}

TEST_CASE("ctranslate2: models of other programs compute the same logits") {
  const TemporaryDirectory directory;
  const auto config = family_configs(with_widths(3, 5)).at(static_cast<size_t>(GENERATE(range(0, 5))));
  auto network = tiny_model(config, kPieces);
  randomize_vectors(network);
  const Tokenizers tokenizers = small_tokenizers();
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  const Json json = parse_json(read_file(directory / "out/config.json"));
  CHECK(json.at("layer_norm_epsilon") == config.layer_norm_epsilon);
  const TokenId start = special_tokens_of(config, tokenizers).target().decoder_start;
  CHECK(json.at("decoder_start_token") == tokenizers.target().piece(start));
  torch::NoGradGuard no_grad;
  const std::vector<int64_t> target_in = {start, 5, 49, 1};
  const auto expected = network->forward(sentences({kSource}), sentences({target_in}));  // [T, vocab]
  const ModelBin model(directory / "out/model.bin");
  CHECK(max_difference(ServedNetwork(model, config.layer_norm_epsilon).logits(kSource, target_in), expected) < 1e-5);
}

TEST_CASE("ctranslate2: the embedding and the sinusoids are stored once") {
  const TemporaryDirectory directory;
  export_ctranslate2(tiny_model(tiny_config(), kPieces), small_tokenizers(), Quantization::float32, directory / "out");
  const ModelBin model(directory / "out/model.bin");
  CHECK(model.aliases == std::map<std::string, std::string>{
                             {"decoder/projection/weight", "decoder/embeddings/weight"},
                             {"encoder/embeddings_0/weight", "decoder/embeddings/weight"},
                             {"encoder/position_encodings/encodings", "decoder/position_encodings/encodings"}});
  for (const auto& [alias, name] : model.aliases) {
    CHECK_FALSE(model.variables.contains(alias));
    CHECK(model.variables.contains(name));
  }
  CHECK(model.variables.at("decoder/position_encodings/encodings").size(0) >= 1024 + 50);
}

TEST_CASE("ctranslate2: embeddings and output projection are stored once where the network has one matrix for them") {
  const TemporaryDirectory directory;
  const auto ties = GENERATE(EmbeddingTies::all, EmbeddingTies::source_and_target, EmbeddingTies::target_and_output,
                             EmbeddingTies::none);
  const bool source_is_target = ties == EmbeddingTies::all || ties == EmbeddingTies::source_and_target,
             output_is_target = ties == EmbeddingTies::all || ties == EmbeddingTies::target_and_output;
  ModelConfig config = tiny_config();
  config.tied_embeddings = ties;
  auto network = tiny_model(config, kPieces);
  export_ctranslate2(network, small_tokenizers(), Quantization::float32, directory / "out");
  const ModelBin model(directory / "out/model.bin");
  CHECK(model.aliases.contains("encoder/embeddings_0/weight") == source_is_target);
  CHECK(model.aliases.contains("decoder/projection/weight") == output_is_target);
  CHECK(model.variables.contains("encoder/embeddings_0/weight") != source_is_target);
  CHECK(model.variables.contains("decoder/projection/weight") != output_is_target);
  torch::NoGradGuard no_grad;
  const auto expected = network->forward(sentences({kSource}), sentences({kTargetIn}));  // [T, vocab]
  CHECK(max_difference(ServedNetwork(model).logits(kSource, kTargetIn), expected) < 1e-5);
}

TEST_CASE("ctranslate2: in int8 each row of a matrix has its own scale, and other parameters stay fp32") {
  const TemporaryDirectory directory;
  const auto network = tiny_model(with_widths(3, 5), kPieces);  // the keys are padded with zeros
  torch::NoGradGuard no_grad;
  network->named_parameters()["embedding.weight"][4].zero_();
  network->named_parameters()["embedding.weight"][5].fill_(1e-40);
  for (const auto& [name, quantization] :
       {std::pair{"whole", Quantization::float32}, std::pair{"small", Quantization::int8}}) {
    export_ctranslate2(network, small_tokenizers(), quantization, directory / name);
  }
  const ModelBin whole(directory / "whole/model.bin"), small(directory / "small/model.bin");
  for (const auto& [name, tensor] : whole.variables) {
    INFO(name);
    if (!name.ends_with("/weight")) {
      CHECK(torch::equal(small.variables.at(name), tensor));
      continue;
    }
    const auto& quantized = small.variables.at(name);
    const auto& scale = small.variables.at(name + "_scale");
    CHECK(quantized.scalar_type() == torch::kChar);
    CHECK(scale.sizes() == torch::IntArrayRef({tensor.size(0)}));
    CHECK(torch::isfinite(scale).all().item<bool>());
    const auto largest = std::get<0>(quantized.to(torch::kInt).abs().max(1));
    CHECK(torch::logical_or(largest == 127, largest == 0).all().item<bool>());
    CHECK(((quantized / scale.unsqueeze(1) - tensor).abs() * scale.unsqueeze(1)).max().item<double>() < 0.501);
  }
  CHECK(small.aliases == whole.aliases);
  const auto rough = ServedNetwork(small).logits(kSource, kTargetIn),
             exact = ServedNetwork(whole).logits(kSource, kTargetIn);
  CHECK(max_difference(rough, exact) < 0.05 * exact.abs().max().item<double>());
}

TEST_CASE("ctranslate2: the symbols, the pieces and SentencePiece's model are written as well") {
  const TemporaryDirectory directory;
  const Tokenizers tokenizers = small_tokenizers();
  const Tokenizer& tokenizer = tokenizers.target();
  export_ctranslate2(tiny_model(tiny_config(), kPieces), tokenizers, Quantization::float32, directory / "out");
  CHECK(read_file(directory / "out/config.json") ==
        "{\n  \"add_source_bos\": false,\n  \"add_source_eos\": true,\n  \"bos_token\": \"<s>\",\n"
        "  \"decoder_start_token\": \"<s>\",\n  \"eos_token\": \"</s>\",\n  \"layer_norm_epsilon\": 1e-06,\n"
        "  \"multi_query_attention\": false,\n  \"unk_token\": \"<unk>\"\n}\n");
  const Json vocabulary = parse_json(read_file(directory / "out/shared_vocabulary.json"));
  REQUIRE(std::ssize(vocabulary) == tokenizer.size());
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    CHECK(vocabulary[static_cast<size_t>(id)] == tokenizer.piece(id));
  }
  CHECK(read_file(directory / "out/vocabulary.model") == tokenizer.model_bytes());
  CHECK_FALSE(std::filesystem::exists(directory / "out/source_vocabulary.model"));
}

TEST_CASE("ctranslate2: an export removes safetensors if they belong to another vocabulary") {
  const TemporaryDirectory directory;
  const auto network = tiny_model(tiny_config(), kPieces);
  const Tokenizers tokenizers = small_tokenizers();
  const std::string other_parameters = directory / "out/model.safetensors";
  export_safetensors({"config", tokenizers.models(), NamedTensors()}, directory / "out");
  std::filesystem::remove(directory / "out/vocabulary.model");
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  CHECK(std::filesystem::exists(other_parameters));  // there was no vocabulary
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  CHECK(std::filesystem::exists(other_parameters));
  write_file_atomically(directory / "out/vocabulary.model", "another");
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  CHECK_FALSE(std::filesystem::exists(other_parameters));
}

TEST_CASE("ctranslate2: an export that fails leaves no parameters of an older one") {
  const TemporaryDirectory directory;
  const auto network = tiny_model(tiny_config(), kPieces);
  const Tokenizers tokenizers = small_tokenizers();
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  CHECK(std::filesystem::exists(directory / "out/model.bin"));
  std::filesystem::remove(directory / "out/vocabulary.model");
  std::filesystem::create_directories(directory / "out/vocabulary.model/in_the_way");
  CHECK_THROWS_AS(export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out"), Error);
  CHECK_FALSE(std::filesystem::exists(directory / "out/model.bin"));
}

TEST_CASE("ctranslate2: an export without its vocabulary is replaced") {
  const TemporaryDirectory directory;
  const auto network = tiny_model(tiny_config(), kPieces);
  const Tokenizers tokenizers = small_tokenizers();
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  std::filesystem::remove(directory / "out/vocabulary.model");
  export_ctranslate2(network, tokenizers, Quantization::float32, directory / "out");
  CHECK(std::filesystem::exists(directory / "out/vocabulary.model"));
}

TEST_CASE("ctranslate2: another program's model is not replaced") {
  const TemporaryDirectory directory;
  const std::string out = directory / "out", file = GENERATE("model.bin", "config.json");
  std::filesystem::create_directory(out);
  const std::string text = GENERATE("x", "{}", R"({"layer_norm_epsilon": null, "unk_token": "<unk>"})");
  write_file_atomically(out + "/" + file, text);
  CHECK_THROWS_WITH(
      export_ctranslate2(tiny_model(tiny_config(), kPieces), small_tokenizers(), Quantization::float32, out),
      Catch::Contains(file + ": is damaged or was not written by `transformer export`"));
  CHECK(read_file(out + "/" + file) == text);
}

TEST_CASE("ctranslate2: restricted self-attention is rejected before anything is written") {
  const TemporaryDirectory directory;
  ModelConfig config = tiny_config();
  config.r = 5;
  CHECK_THROWS_WITH(
      export_ctranslate2(tiny_model(config, kPieces), small_tokenizers(), Quantization::int8, directory / "out"),
      Catch::StartsWith(directory / "out" + ": not written") && Catch::Contains("model.r 5") &&
          Catch::Contains("safetensors"));
  CHECK_FALSE(std::filesystem::exists(directory / "out"));
}

}  // namespace transformer
