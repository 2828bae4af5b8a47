#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "import/foreign_tensors.h"
#include "import/formats.h"
#include "import/json_settings.h"
#include "import/vocabulary.h"
#include "kernels/attention_scale.h"
#include "model/positional_encoding.h"
#include "serialization/model_bin.h"
#include "text/bpe_codes.h"

namespace transformer {
namespace {

constexpr const char* kModel = "model.bin";

/// The settings and weights of a model file, under the names of the specification's latest revision.
class Variables {
 public:
  Variables(ModelBin model, std::string path) : tensors_(NamedTensors(), std::move(path)) {
    NamedTensors renamed;
    for (const auto& entry : model.variables) {
      renamed.insert(model.revision == 1 ? name_of_first_revision(entry.key()) : entry.key(), entry.value());
    }
    tensors_ = ForeignTensors(std::move(renamed), tensors_.path());
  }

  ForeignTensors& tensors() { return tensors_; }
  const std::string& path() const { return tensors_.path(); }
  bool has(const std::string& name) const { return tensors_.has(name); }

  /// A setting of both stacks, which revisions before the fifth have once for both.
  std::optional<double> setting(const std::string& name) {
    std::optional<double> value;
    for (const char* scope : {"", "encoder/", "decoder/"}) {
      const std::string scoped = scope + name;
      if (!has(scoped)) continue;
      const torch::Tensor tensor = tensors_.peek(scoped);
      if (tensor.numel() != 1) throw Error("{}: '{}' has {} values, expected one", path(), scoped, tensor.numel());
      const double found = tensor.item<double>();
      if (value && *value != found) {
        throw Error("{}: '{}' differs between encoder and decoder, which this program does not support", path(), name);
      }
      value = found;
      tensors_.drop([&](const std::string& known) { return known == scoped; });
    }
    return value;
  }

  /// A setting that is a text, such as `unk_token`: files of revisions before 6 contain its bytes as a tensor.
  std::optional<std::string> text(const std::string& name) {
    if (!has(name)) return std::nullopt;
    const torch::Tensor bytes = tensors_.peek(name);
    if (bytes.scalar_type() != torch::kChar) throw Error("{}: '{}' is no text", path(), name);
    tensors_.drop([&](const std::string& known) { return known == name; });
    return std::string(static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes());
  }

  /// A weight [rows, columns], divided by its scales if it is quantized.
  torch::Tensor take_weight(const std::string& scope) {
    const std::string name = scope + "/weight";
    const torch::Tensor weight = tensors_.peek(name);
    if (weight.is_floating_point()) return tensors_.take(name);
    static constexpr double kOldScale = 1000;  // of 16 bits, before files contained scales
    const auto scale = tensors_.take_if_any(name + "_scale");
    if (!scale && weight.scalar_type() != torch::kShort) {
      throw Error("{}: has no '{}_scale', which a weight in 8 bits needs; copy or download the model again", path(),
                  name);
    }
    tensors_.drop([&](const std::string& known) { return known == name; });
    const torch::Tensor divisor = scale ? *scale : torch::scalar_tensor(kOldScale);
    if (divisor.numel() != 1 && divisor.numel() != weight.size(0)) {
      throw Error("{}: '{}_scale' has {} values for {} rows", path(), name, divisor.numel(), weight.size(0));
    }
    return weight.to(torch::kFloat) / (divisor.numel() == 1 ? divisor.reshape({}) : divisor.reshape({-1, 1}));
  }

 private:
  /// The first revision used the names of OpenNMT-tf.
  static std::string name_of_first_revision(std::string name) {
    const auto replace = [&](std::string_view from, std::string_view to) {
      const size_t position = name.find(from);
      if (position != std::string::npos) name.replace(position, from.size(), to);
    };
    replace("transformer/", "");
    replace(":0", "");
    replace("w_embs", "embeddings/weight");
    replace("kernel", "weight");
    replace("LayerNorm", "layer_norm");
    replace("dense", "projection");
    replace("conv1d_", "linear_");
    replace("conv1d", "linear_0");
    const bool is_decoder = name.find("encoder") == std::string::npos;
    if (is_decoder) replace("masked_multi_head", "self_attention");
    replace("multi_head", is_decoder ? "attention" : "self_attention");
    return name;
  }

  ForeignTensors tensors_;
};

Activation ctranslate2_activation(Variables& variables) {
  switch (static_cast<int>(variables.setting("activation").value_or(0))) {
    case 0:
      return Activation::relu;
    case 1:
      throw Error(
          "{}: its 'activation' is 1, the approximation of GELU by tanh, as for every GELU before version 3.5 of "
          "CTranslate2, and this program computes the exact one; convert the model with a newer version",
          variables.path());
    case 2:
      return Activation::swish;
    case 3:
      return Activation::gelu;
    case 4:
      return Activation::gelu_sigmoid;
    default:
      throw Error("{}: its 'activation' is none of ReLU, Swish and GELU, which this program computes",
                  variables.path());
  }
}

std::string layer_scope(const std::string& stack, int64_t n) { return fmt::format("{}/layer_{}", stack, n); }

/// Sets a key that is the same in both stacks.
bool scales_embedding(Variables& variables, int64_t d_model) {
  std::optional<bool> scales;
  for (const char* stack : {"encoder", "decoder"}) {
    const std::string scope(stack);
    bool here = true, is_first = true;
    // Versions 2.12 to 2.19 write both, and the newer of these settings counts.
    for (const std::string& name : {scope + "/scale_embeddings", scope + "/embeddings/multiply_by_sqrt_depth",
                                    scope + "/embeddings_0/multiply_by_sqrt_depth"}) {
      if (!variables.has(name)) continue;
      const torch::Tensor value = variables.tensors().peek(name);
      variables.tensors().drop([&](const std::string& known) { return known == name; });
      if (!std::exchange(is_first, false)) continue;
      const double scale = value.numel() == 1 ? value.item<double>() : 0;
      // A flag, or the factor itself.
      const bool is_flag = value.scalar_type() == torch::kChar;
      here = is_flag ? scale != 0 : scale != 1;
      if (!is_flag && scale != 1 && std::abs(scale - std::sqrt(static_cast<double>(d_model))) > 1e-2) {
        throw Error("{}: '{}' is {:g}, where this program needs 1 or sqrt(d_model)", variables.path(), name, scale);
      }
    }
    if (scales && *scales != here) {
      throw Error("{}: only one of encoder and decoder scales its embeddings, which this program does not support",
                  variables.path());
    }
    scales = here;
  }
  return *scales;
}

/// Puts the sinusoids into the config if the tables are such, or else the tables into the parameters.
void import_positions(Variables& variables, ModelConfig& config, NamedTensors& to) {
  std::vector<torch::Tensor> tables;
  for (const char* stack : {"encoder", "decoder"}) {
    auto table = variables.tensors().take_if_any(fmt::format("{}/position_encodings/encodings", stack));
    if (table) tables.push_back(table->reshape({-1, config.d_model}));
  }
  if (tables.empty()) {  // what CTranslate2 computes without a table
    config.sinusoids = Sinusoids::tensor2tensor;
    config.first_position = 1;
    return;
  }
  if (tables.size() == 1) throw Error("{}: only one of encoder and decoder has positions", variables.path());
  // Tables of other programs are computed in fp32 or in double, with angles that are a little off far from the start.
  static constexpr double kTolerance = 1e-6;
  static constexpr int64_t kChecked = 128;
  static constexpr int64_t kLastFirstPosition = 2;  // fairseq's
  for (int64_t first = 0; first <= kLastFirstPosition && config.d_model % 2 == 0; ++first) {
    for (const Sinusoids sinusoids : {Sinusoids::interleaved, Sinusoids::halves, Sinusoids::tensor2tensor}) {
      config.first_position = first;
      config.sinusoids = sinusoids;
      const auto is_this = [&](const torch::Tensor& table) {
        const int64_t count = std::min(table.size(0), kChecked);
        const auto expected = positional_encoding_table(count, config).to(torch::kFloat);
        return torch::allclose(table.narrow(0, 0, count), expected, /*rtol=*/0, kTolerance);
      };
      if (is_this(tables[0]) && is_this(tables[1])) return;
    }
  }
  config.first_position = ModelConfig().first_position;
  config.sinusoids = ModelConfig().sinusoids;
  config.position = Position::learned;
  const int64_t count = std::min(tables[0].size(0), tables[1].size(0));
  config.max_positions = count;
  to.insert("source_positions.weight", tables[0].narrow(0, 0, count).contiguous());
  to.insert("target_positions.weight", tables[1].narrow(0, 0, count).clone());
}

class VariableCopier {
 public:
  VariableCopier(Variables& from, ForeignModel& model)
      : from_(from), model_(model), config_(model.config.model), to_(model.parameters) {}

  void copy() {
    const bool has_bias = from_.has(layer_scope("encoder", 0) + "/self_attention/linear_0/bias");
    config_.attention_bias = has_bias;
    copy_embeddings();
    copy_stack("encoder", config_.N);
    copy_stack("decoder", config_.num_decoder_layers());
  }

 private:
  void add(const std::string& to, const torch::Tensor& tensor) { to_.insert(to, tensor.contiguous()); }

  void copy_embeddings() {
    const std::string source = from_.has("encoder/embeddings_0/weight") ? "encoder/embeddings_0" : "encoder/embeddings";
    add_embeddings({.source = from_.take_weight(source),
                    .target = from_.take_weight("decoder/embeddings"),
                    .output = from_.take_weight("decoder/projection"),
                    .bias = from_.tensors().take_if_any("decoder/projection/bias")},
                   model_);
    for (const auto& [stack, name] :
         {std::pair{"encoder", "source_embedding_norm"}, std::pair{"decoder", "target_embedding_norm"}}) {
      const std::string scope = fmt::format("{}/layernorm_embedding", stack);
      if (!from_.has(scope + "/gamma")) continue;
      config_.embedding_layer_norm = true;
      copy_norm(scope, name);
    }
  }

  void copy_stack(const std::string& stack, int64_t num_layers) {
    for (int64_t n = 0; n < num_layers; ++n) {
      const std::string from = layer_scope(stack, n), to = fmt::format("{}.layers.{}.", stack, n);
      copy_attention(from + "/self_attention", {{"q", "k", "v"}, {"o"}}, to + "self_attention");
      if (stack == "decoder") copy_attention(from + "/attention", {{"q"}, {"k", "v"}, {"o"}}, to + "memory_attention");
      for (const auto& [theirs, ours] : {std::pair{"/linear_0", ".w_1"}, std::pair{"/linear_1", ".w_2"}}) {
        add(to + "feed_forward" + ours + ".weight", from_.take_weight(from + "/ffn" + theirs));
        add(to + "feed_forward" + ours + ".bias", from_.tensors().take(from + "/ffn" + theirs + "/bias"));
      }
      copy_norm(from + "/ffn/layer_norm", to + "feed_forward_sublayer.norm");
    }
    if (config_.has_final_norm()) copy_norm(stack + "/layer_norm", stack + ".norm");
  }

  /// Each group of projections is one matrix, with their rows one after the other.
  void copy_attention(const std::string& from, const std::vector<std::vector<const char*>>& groups,
                      const std::string& to) {
    for (size_t i = 0; i < groups.size(); ++i) {
      const std::string scope = fmt::format("{}/linear_{}", from, i);
      const auto count = static_cast<int64_t>(groups[i].size());
      torch::Tensor weight = from_.take_weight(scope);
      auto bias = from_.tensors().take_if_any(scope + "/bias");
      if (weight.dim() == 3 && weight.size(0) == 1) weight = weight.squeeze(0);
      if (weight.dim() != 2 || weight.size(0) % count != 0) {
        throw Error("{}: '{}/weight' is {}, which is no matrix of {} parts", from_.path(), scope,
                    c10::str(weight.sizes()), count);
      }
      if (!bias && config_.attention_bias) bias = torch::zeros({weight.size(0)});
      if (bias && !config_.attention_bias) {
        throw Error("{}: only some of its attentions have biases, such as '{}/bias'", from_.path(), scope);
      }
      const auto weights = weight.chunk(count);
      for (size_t part = 0; part < groups[i].size(); ++part) {
        const std::string name = fmt::format("{}.w_{}", to, groups[i][part]);
        add(name + ".weight", weights[part].clone());
        if (bias) add(name + ".bias", bias->chunk(count)[part].clone());
      }
    }
    for (const char* setting : {"/head_dim", "/queries_scale"}) {
      from_.tensors().drop([&](const std::string& name) { return name == from + setting; });
    }
    copy_norm(from + "/layer_norm", to + "_sublayer.norm");
  }

  void copy_norm(const std::string& from, const std::string& to) {
    add(to + ".weight", from_.tensors().take(from + "/gamma"));
    add(to + ".bias", from_.tensors().take(from + "/beta"));
  }

  Variables& from_;
  ForeignModel& model_;
  ModelConfig& config_;
  NamedTensors& to_;
};

/// The width of the heads, and the check that attention scores are scaled by its square root.
void check_heads(Variables& variables, ModelConfig& config) {
  const std::string scope = layer_scope("encoder", 0) + "/self_attention/";
  const auto value = [&](const char* name) -> std::optional<double> {
    if (!variables.has(scope + name)) return std::nullopt;
    return variables.tensors().peek(scope + name).item<double>();
  };
  if (const auto width = value("head_dim")) {
    if (static_cast<int64_t>(*width) * config.h != config.d_model)
      config.d_k = config.d_v = static_cast<int64_t>(*width);
  }
  const auto scale = value("queries_scale");
  if (scale && std::abs(*scale - attention_scale(config.key_size())) > 1e-6) {
    throw Error("{}: '{}queries_scale' is {:g}, and this program scales attention scores by 1 / sqrt({})",
                variables.path(), scope, *scale, config.key_size());
  }
}

void import_network(Variables& variables, int64_t default_heads, ForeignModel& model) {
  ForeignTensors& tensors = variables.tensors();
  ModelConfig& config = model.config.model;
  config.N = tensors.count_layers([](int64_t n) { return layer_scope("encoder", n) + "/ffn/layer_norm/gamma"; });
  const int64_t decoder_layers =
      tensors.count_layers([](int64_t n) { return layer_scope("decoder", n) + "/ffn/layer_norm/gamma"; });
  if (decoder_layers != config.N) config.decoder_layers = decoder_layers;
  const torch::Tensor inner = tensors.peek(layer_scope("encoder", 0) + "/ffn/linear_0/weight");
  if (inner.dim() != 2) throw Error("{}: 'linear_0/weight' is no matrix", variables.path());
  config.d_ff = inner.size(0);
  config.d_model = inner.size(1);
  config.h = static_cast<int64_t>(variables.setting("num_heads").value_or(static_cast<double>(default_heads)));
  if (config.h < 1) throw Error("{}: 'num_heads' is {}", variables.path(), config.h);
  check_heads(variables, config);
  const bool is_pre = variables.setting("pre_norm").value_or(1) != 0;
  config.layer_norm = is_pre ? NormOrder::pre : NormOrder::post;
  const bool has_final_norm = variables.has("encoder/layer_norm/gamma");
  if (has_final_norm != is_pre) config.final_layer_norm = has_final_norm;
  config.activation = ctranslate2_activation(variables);
  config.scale_embedding = scales_embedding(variables, config.d_model);
  check_ranges("model", config, variables.path());
  VariableCopier(variables, model).copy();
  import_positions(variables, config, model.parameters);
  // Which heads show an alignment, and settings that are off.
  for (const char* name : {"alignment_layer", "alignment_heads", "embeddings_merge", "layernorm_embedding"}) {
    variables.setting(name);
  }
  for (const char* name :
       {"with_relative_position", "multi_query_attention", "alibi", "alibi_use_positive_positions", "scale_alibi"}) {
    if (variables.setting(name).value_or(0) == 0) continue;
    throw Error("{}: '{}' is set, which this program does not support", variables.path(), name);
  }
}

/// A vocabulary, and its file for messages.
struct Pieces {
  std::vector<std::string> pieces;
  std::string path;
};

/// The pieces of `NAME.json`, a list, or of `NAME.txt`, one a line.
std::optional<Pieces> read_pieces(Package& package, const std::string& name) {
  if (const auto text = package.bytes_if_any(name + ".txt"))
    return Pieces{lines_of(*text), package.path_of(name + ".txt")};
  const auto text = package.bytes_if_any(name + ".json");
  if (!text) return std::nullopt;
  Pieces found{{}, package.path_of(name + ".json")};
  try {
    const Json list = parse_json(*text);
    for (const Json& piece : array_of(list)) found.pieces.push_back(string_of(piece));
    return found;
  } catch (const Error& misfit) {
    throw Error("{}: {}; copy or download the whole model", found.path, misfit.what());
  }
}

/// The names of the symbols, and what is added to a text; from `config.json` or, in older models, from model.bin.
struct Symbols {
  std::string unknown = "<unk>", begin = "<s>", end = "</s>";
  std::optional<std::string> decoder_start = "<s>";
  bool adds_source_end = false;
  double layer_norm_epsilon = 1e-5;
};

Symbols read_symbols(Package& package, Variables& variables) {
  Symbols symbols;
  symbols.adds_source_end = variables.setting("with_source_eos").value_or(0) != 0;
  symbols.unknown = variables.text("unk_token").value_or(symbols.unknown);
  symbols.begin = variables.text("bos_token").value_or(symbols.begin);
  symbols.end = variables.text("eos_token").value_or(symbols.end);
  symbols.decoder_start = symbols.begin;
  if (variables.setting("with_target_bos").value_or(1) == 0) symbols.decoder_start = symbols.end;
  if (variables.setting("user_decoder_start_tokens").value_or(0) != 0) symbols.decoder_start.reset();
  if (variables.setting("with_source_bos").value_or(0) != 0) {
    throw Error("{}: 'with_source_bos' is set, which this program does not support", variables.path());
  }
  if (!package.has(kConfigFile)) return symbols;
  const JsonSettings config(package.bytes(kConfigFile), package.path_of(kConfigFile));
  symbols.unknown = config.text("unk_token").value_or(symbols.unknown);
  symbols.begin = config.text("bos_token").value_or(symbols.begin);
  symbols.end = config.text("eos_token").value_or(symbols.end);
  symbols.decoder_start = config.text("decoder_start_token");
  symbols.adds_source_end = config.flag("add_source_eos").value_or(symbols.adds_source_end);
  symbols.layer_norm_epsilon = config.number("layer_norm_epsilon").value_or(symbols.layer_norm_epsilon);
  if (config.flag("add_source_bos").value_or(false)) {
    throw Error("{}: 'add_source_bos' is true, which this program does not support", config.path());
  }
  return symbols;
}

/// `side` is "source" or "target".
PieceList list_of(const Pieces& given, const Symbols& symbols, const std::string& side) {
  PieceList list{.pieces = given.pieces};
  // OpenNMT-py's models have no end symbol in the source. Those that transformers' converter makes have one, which
  // CTranslate2 leaves to its caller.
  list.source_has_end = symbols.adds_source_end || symbols.decoder_start != symbols.begin;
  list.unknown = id_of_piece(list, symbols.unknown, given.path);
  list.begin = symbols.begin == symbols.end ? kNoToken : find_piece(list, symbols.begin);
  for (const char* pad : {"<blank>", "<pad>"}) {
    if (list.pad == kNoToken) list.pad = find_piece(list, pad);
  }
  // A source without an end symbol needs none in its vocabulary, in which older versions of OpenNMT-py have none.
  list.end = find_piece(list, symbols.end);
  if (list.end == kNoToken && side == "source" && !list.source_has_end) list.end = list.pad;
  if (list.end == kNoToken) list.end = id_of_piece(list, symbols.end, given.path);  // throws
  return list;
}

/// The name of the SentencePiece model of a side, one of those that converters and argos-translate give it.
std::string sentencepiece_name(Package& package, const std::string& side) {
  for (const std::string& name :
       {side + ".spm", side + ".model", side + "_vocabulary.model", std::string("sentencepiece.model"),
        std::string("vocabulary.model"), std::string("sentencepiece.bpe.model"), std::string("spm.model")}) {
    if (package.has(name)) return name;
  }
  for (const char* suffix : {".spm", ".model"}) {
    const auto names = package.names_with_suffix(suffix);
    const auto is_of_one_side = [&] { return names[0].starts_with("source") || names[0].starts_with("target"); };
    if (names.size() == 1 && !is_of_one_side()) return names[0];
  }
  throw Error(
      "{}: there is no SentencePiece model in it, which divides text into the pieces of the vocabulary; put it there "
      "as sentencepiece.model, or as source.spm and target.spm",
      package.path());
}

/// What argos-translate says about a package of its own.
std::optional<JsonSettings> argos_metadata(Package& package) {
  static constexpr const char* kMetadata = "metadata.json";
  const auto text = package.bytes_if_any(kMetadata);
  if (!text) return std::nullopt;
  JsonSettings metadata(*text, package.path_of(kMetadata));
  const bool is_argos = metadata.find("from_code") != nullptr || metadata.find("argos_version") != nullptr;
  return is_argos ? std::optional(std::move(metadata)) : std::nullopt;
}

/// `side` is "source" or "target".
ForeignVocabulary read_vocabulary(Package& package, const Pieces& pieces, const Symbols& symbols,
                                  const std::string& side) {
  PieceList list = list_of(pieces, symbols, side);
  if (package.has(side + ".bpe")) return divide_by_codes(std::move(list), package, side + ".bpe");
  static constexpr const char* kArgosCodes = "bpe.model";  // which may be a SentencePiece model in other packages
  if (package.has(kArgosCodes) && !package.has("sentencepiece.model") && argos_metadata(package)) {
    return divide_by_codes(std::move(list), package, kArgosCodes);
  }
  const std::string name = sentencepiece_name(package, side);
  std::string sentencepiece = read_sentencepiece(package, name);
  const auto exported = piece_list_of(package.bytes(name));  // of a model that `export` wrote
  if (exported && exported->are_divided_texts) return divide_at_spaces(std::move(list), pieces.path);
  return {std::move(list), std::move(sentencepiece)};
}

VocabularyModels read_vocabularies(Package& package, const Symbols& symbols) {
  const auto shared = read_pieces(package, "shared_vocabulary");
  const auto source = shared ? shared : read_pieces(package, "source_vocabulary");
  const auto target = shared ? shared : read_pieces(package, "target_vocabulary");
  if (!source || !target) {
    throw Error("{}: there is no shared_vocabulary.json (or .txt) in it, nor source_vocabulary and target_vocabulary",
                package.path());
  }
  return join_vocabularies(read_vocabulary(package, *source, symbols, "source"),
                           read_vocabulary(package, *target, symbols, "target"));
}

DecoderStart ctranslate2_decoder_start(Variables& variables, const Symbols& symbols, Package& package,
                                       const PieceList& target) {
  if (variables.setting("start_from_zero_embedding").value_or(0) != 0) return DecoderStart::zeros;
  const std::string start = symbols.decoder_start.value_or("none");
  if (start == symbols.end) return DecoderStart::end;
  if (start == symbols.begin) return DecoderStart::begin;
  if (target.pad != kNoToken && start == target.pieces[static_cast<size_t>(target.pad)]) return DecoderStart::pad;
  throw Error(
      "{}: 'decoder_start_token' is {}, which is none of the begin, end and padding symbols; such models need "
      "another beginning for each output",
      package.has(kConfigFile) ? package.path_of(kConfigFile) : variables.path(), start);
}

/// CTranslate2 for texts that SentencePiece divides.
std::optional<SourceProgram> program_of(Package& package, const Symbols& symbols, const VocabularyModels& vocabularies,
                                        const DecodingConfig& decoding) {
  const PieceList sources = piece_list_of(vocabularies.source()).value();
  if (sources.are_divided_texts || bpe_codes_of(vocabularies.source())) return std::nullopt;
  const std::string directory = std::filesystem::path(package.path_of(kModel)).parent_path().string();
  const auto path = [&](const char* side) { return python_text(package.path_of(sentencepiece_name(package, side))); };
  const bool has_languages = std::any_of(sources.pieces.begin(), sources.pieces.end(), [](const std::string& piece) {
    return piece.starts_with(">>") && piece.ends_with("<<");
  });
  const bool must_add_end = sources.source_has_end && !symbols.adds_source_end;
  return SourceProgram{
      .package = "ctranslate2",
      .script =
          fmt::format("import re, ctranslate2, sentencepiece\n"
                      "translator = ctranslate2.Translator({}, compute_type=\"float32\")\n"
                      "source = sentencepiece.SentencePieceProcessor(model_file={})\n"
                      "target = sentencepiece.SentencePieceProcessor(model_file={})\n"
                      "def translate(lines):\n"
                      "    for line in lines:\n"
                      "        {}\n"
                      "        pieces = {}source.encode(text, out_type=str){}\n"
                      "        found = translator.translate_batch([pieces], beam_size={}, length_penalty={})\n"
                      "        yield target.decode(found[0].hypotheses[0])\n",
                      python_text(directory.empty() ? "." : directory), path("source"), path("target"),
                      has_languages ? "language, text = re.match(\"(>>.*?<<)?(.*)\", line).groups()" : "text = line",
                      has_languages ? "[language] * bool(language) + " : "",
                      must_add_end ? " + [" + python_text(symbols.end) + "]" : "", decoding.beam_size,
                      number_text(decoding.alpha))};
}

/// What `Translator.translate_batch` does unless it is told otherwise; for a package of argos-translate, what that asks
/// for.
DecodingConfig ctranslate2_decoding(bool is_argos) {
  DecodingConfig decoding;
  decoding.beam_size = is_argos ? 4 : 2;
  decoding.length_penalty = LengthPenaltyForm::average;
  decoding.alpha = is_argos ? 0.2 : 1;
  decoding.stopping = Stopping::full;
  decoding.max_extra_tokens = 256;
  decoding.forbidden_pieces.emplace();
  return decoding;
}

}  // namespace

bool is_ctranslate2(Package& package) {
  if (!package.main_file().empty() && package.main_file() != kModel) return false;
  return package.has(kModel) && is_model_bin(package.bytes(kModel));
}

ForeignModel import_ctranslate2(Package& package) {
  const std::string path = package.path_of(kModel);
  ModelBin content;
  try {
    content = read_model_bin(package.bytes(kModel));
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: not a model of CTranslate2, or a damaged one ({}); copy or download it again", path,
                      misfit.what());
  }
  static constexpr uint32_t kMaxRevision = 7;
  const std::string spec = content.spec;
  const bool is_known =
      spec.empty() || spec == "TransformerSpec" || spec == "TransformerBase" || spec == "TransformerBig";
  if (!is_known || content.revision > kMaxRevision) {
    throw Error("{}: is a '{}' of revision {}, and this program imports a TransformerSpec up to revision {}", path,
                spec, content.revision, kMaxRevision);
  }
  Variables variables(std::move(content), path);
  const Symbols symbols = read_symbols(package, variables);
  const auto argos = argos_metadata(package);
  ForeignModel model{.config = {.model = {}, .decoding = ctranslate2_decoding(argos.has_value())},
                     .vocabularies = read_vocabularies(package, symbols),
                     .path = path,
                     .vocabulary_path = package.path()};
  const int64_t default_heads = spec == "TransformerBig" ? 16 : 8;  // before files contained the number
  import_network(variables, default_heads, model);
  ModelConfig& config = model.config.model;
  config.layer_norm_epsilon = symbols.layer_norm_epsilon;
  const std::string prefix = argos ? argos->text("target_prefix").value_or("") : "";
  if (!prefix.empty()) {
    log_warning(
        "{}: 'target_prefix' is \"{}\", with which argos-translate begins every translation, and which it removes "
        "again; give it as the prefix of each translation",
        argos->path(), shown_value(prefix));
  }
  model.program = program_of(package, symbols, model.vocabularies, model.config.decoding);
  config.decoder_start =
      ctranslate2_decoder_start(variables, symbols, package, piece_list_of(model.vocabularies.target()).value());
  variables.tensors().check_all_are_taken();
  return model;
}

}  // namespace transformer
