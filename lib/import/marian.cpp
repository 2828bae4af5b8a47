#include "import/marian.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parse_number.h"
#include "export/module_names.h"
#include "import/foreign_tensors.h"
#include "import/vocabulary.h"
#include "import/yaml_vocabulary.h"
#include "serialization/npz.h"
#include "settings/schema.h"
#include "settings/yaml.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

constexpr const char* kOptionsArray = "special:model.yml";
constexpr const char* kModelSuffix = ".npz";

/// Options of Marian: of a model or of `decoder.yml`.
class Options {
 public:
  Options(std::string_view yaml, std::string path) : path_(std::move(path)) {
    Settings settings = read_yaml(std::string(yaml), path_, Schema(std::vector<Field>()));
    throw_faults_of_stored(settings.faults);
    for (auto& [key, setting] : settings.values) values_.emplace(key, std::move(setting.value));
  }

  std::string text(const std::string& key, const std::string& otherwise) const {
    const auto found = values_.find(key);
    return found == values_.end() || found->second.items.size() != 1 ? otherwise : found->second.items[0];
  }
  std::vector<std::string> list(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::vector<std::string>() : found->second.items;
  }
  bool flag(const std::string& key) const { return text(key, "false") == "true"; }
  double number(const std::string& key, double otherwise) const {
    const std::string given = text(key, "");
    if (given.empty()) return otherwise;
    const auto number = parse_number<double>(given);
    if (!number) throw Error("{}: '{}' is {}, expected a number", path_, key, shown_value(given));
    return *number;
  }
  int64_t integer(const std::string& key, int64_t otherwise) const {
    return static_cast<int64_t>(number(key, static_cast<double>(otherwise)));
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& supported) const {
    throw Error("{}: '{}: {}' describes a model that this program has no network for, which needs {}", path_, key,
                shown_value(text(key, "")), supported);
  }
  /// Throws Error unless the option has one of these values, or is missing.
  void require(const std::string& key, const std::vector<std::string>& allowed) const {
    const std::string value = text(key, allowed.front());
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    refuse(key, enumeration(allowed, "or"));
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::map<std::string, Value> values_;
};

/// The options that a model file contains: an array of bytes, filled with NULs up to a multiple of 256.
Options options_of(const NamedTensors& arrays, const std::string& path) {
  const auto found = arrays.find(kOptionsArray);
  if (found == arrays.end()) {
    throw Error("{}: has no array '{}', so it is no model of Marian", path, kOptionsArray);
  }
  const torch::Tensor bytes = found->value();
  std::string text(static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes());
  text.resize(std::min(text.find('\0'), text.size()));
  return {text, fmt::format("{} ({})", path, kOptionsArray)};
}

/// Throws Error, which names the option, for models outside of the family.
void check_architecture(const Options& options) {
  options.require("type", {"transformer"});
  options.require("transformer-decoder-autoreg", {"self-attention"});
  for (const char* key : {"transformer-no-projection", "transformer-no-bias", "transformer-no-affine",
                          "transformer-pool", "transformer-rnn-projection", "transformer-disable-position-embeddings",
                          "right-left", "ulr", "output-omit-bias"}) {
    options.require(key, {"false"});
  }
  options.require("transformer-attention-mask", {"default"});
  options.require("transformer-ffn-depth", {"2"});
  options.require("transformer-decoder-ffn-depth", {"0", "2"});
  options.require("transformer-ffn-activation", {"relu", "swish", "gelu"});
  options.require("factors-dim-emb", {"0"});
  options.require("lemma-dim-emb", {"0"});
  const int64_t width = options.integer("transformer-decoder-dim-ffn", 0);
  if (width != 0 && width != options.integer("transformer-dim-ffn", 0)) {
    options.refuse("transformer-decoder-dim-ffn", "the width of transformer-dim-ffn");
  }
  if (!options.list("transformer-tied-layers").empty()) options.refuse("transformer-tied-layers", "none");
  for (const std::string& input : options.list("input-types")) {
    if (input != "sequence") options.refuse("input-types", "sequence");
  }
}

/// Whether the operations around a sub-layer contain a LayerNorm. 'd' is dropout, 'a' the residual connection.
bool has_norm(const Options& options, const std::string& key, const std::string& otherwise,
              const std::string& allowed) {
  const std::string operations = options.text(key, otherwise);
  if (operations.find_first_not_of(allowed) != std::string::npos) {
    options.refuse(key, fmt::format("operations of '{}'", allowed));
  }
  return operations.find('n') != std::string::npos;
}

Activation activation_of(const Options& options) {
  const std::string name = options.text("transformer-ffn-activation", "swish");
  // Its gelu is the exact one, although CTranslate2's converter takes x * sigmoid(1.702 x) for it.
  return name == "relu" ? Activation::relu : name == "swish" ? Activation::swish : Activation::gelu;
}

EmbeddingTies ties_of(const Options& options) {
  if (options.flag("tied-embeddings-all")) return EmbeddingTies::all;
  const bool source = options.flag("tied-embeddings-src"), output = options.flag("tied-embeddings");
  if (source && output) return EmbeddingTies::all;
  return source ? EmbeddingTies::source_and_target : output ? EmbeddingTies::target_and_output : EmbeddingTies::none;
}

ModelConfig model_config_of(const Options& options, const ForeignTensors& arrays) {
  check_architecture(options);
  ModelConfig model;
  model.N = options.integer("enc-depth", 6);
  const int64_t decoder_layers = options.integer("dec-depth", 6);
  if (decoder_layers != model.N) model.decoder_layers = decoder_layers;
  model.d_model = options.integer("dim-emb", 512);
  model.d_ff = options.integer("transformer-dim-ffn", 2048);
  model.h = options.integer("transformer-heads", 8);
  const bool is_pre = has_norm(options, "transformer-preprocess", "", "dn");
  const bool is_post = has_norm(options, "transformer-postprocess", "dan", "dan");
  if (is_pre == is_post) options.refuse("transformer-preprocess", "one LayerNorm, before or after each sub-layer");
  if (options.text("transformer-postprocess", "dan").find('a') == std::string::npos) {
    options.refuse("transformer-postprocess", "a residual connection, 'a'");
  }
  model.layer_norm = is_pre ? NormOrder::pre : NormOrder::post;
  const bool has_final_norm = has_norm(options, "transformer-postprocess-top", "", "dn");
  if (has_final_norm != is_pre) model.final_layer_norm = has_final_norm;
  model.embedding_layer_norm = has_norm(options, "transformer-postprocess-emb", "d", "dn");
  // Training options, which only models that `export` wrote have.
  model.P_drop = options.number("transformer-dropout", model.P_drop);
  model.attention_dropout = options.number("transformer-dropout-attention", model.attention_dropout);
  model.relu_dropout = options.number("transformer-dropout-ffn", model.relu_dropout);
  model.activation = activation_of(options);
  model.attention_bias = true;
  model.output_bias = true;
  model.decoder_start = DecoderStart::zeros;
  model.tied_embeddings = ties_of(options);
  if (arrays.has("Wpos")) {
    model.position = Position::learned;
    model.max_positions = arrays.peek("Wpos").size(0);
  } else {
    model.sinusoids = Sinusoids::tensor2tensor;
  }
  return model;
}

void copy_embeddings(ForeignTensors& from, const ModelConfig& config, NamedTensors& to) {
  const EmbeddingTies ties = config.tied_embeddings.value();
  const bool is_one = ties == EmbeddingTies::all || ties == EmbeddingTies::source_and_target;
  to.insert("embedding.weight", from.take(is_one && from.has("Wemb") ? "Wemb" : "decoder_Wemb"));
  if (!is_one) to.insert("source_embedding.weight", from.take("encoder_Wemb"));
  const bool has_output = ties == EmbeddingTies::source_and_target || ties == EmbeddingTies::none;
  if (has_output) {
    const auto transposed = from.take_if_any("decoder_ff_logit_out_Wt");
    to.insert("output_projection.weight",
              transposed ? *transposed : from.take("decoder_ff_logit_out_W").t().contiguous());
  }
  to.insert(has_output ? "output_projection.bias" : "embedding.bias", from.take_vector("decoder_ff_logit_out_b"));
  if (config.position == Position::learned) {
    const torch::Tensor positions = from.take("Wpos");
    to.insert("source_positions.weight", positions);
    to.insert("target_positions.weight", positions.clone());
  }
}

/// Copies Marian's arrays, whose matrices are [inputs, outputs].
void copy_arrays(ForeignTensors& from, const ModelConfig& config, NamedTensors& to) {
  copy_embeddings(from, config, to);
  for (const auto& [ours, weight, bias] : marian_modules(config)) {
    const bool is_norm = ours.ends_with("norm");
    to.insert(ours + ".weight", is_norm ? from.take_vector(weight) : from.take(weight).t().contiguous());
    to.insert(ours + ".bias", from.take_vector(bias));
  }
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// The names of the vocabularies of source and target.
std::vector<std::string> vocabulary_names(Package& package, const Options* decoder, const std::string& model) {
  std::vector<std::string> names;
  if (decoder != nullptr) {
    for (const std::string& path : decoder->list("vocabs")) names.push_back(file_name(path));
  }
  if (names.empty()) {
    for (const char* suffix : {"vocab.yml", ".spm"}) {
      if (names.empty()) names = package.names_with_suffix(suffix);
    }
    const auto rank = [](const std::string& name) { return name.find("target") != std::string::npos; };
    std::stable_sort(names.begin(), names.end(),
                     [&](const auto& one, const auto& other) { return rank(one) < rank(other); });
    if (names.empty() || names.size() > 2) {
      throw Error(
          "{}: found {} vocabularies (.yml or .spm) beside it; put the decoder.yml of the model there, whose `vocabs` "
          "names them",
          package.path_of(model), names.size());
    }
  }
  if (names.size() == 1) names.push_back(names[0]);
  return names;
}

/// `side` is "source" or "target".
ForeignVocabulary read_vocabulary(Package& package, const std::string& name, const std::string& side) {
  const std::string_view bytes = package.bytes(name);
  const std::string path = package.path_of(name);
  if (!name.ends_with(".yml") && !name.ends_with(".yaml"))
    return {pieces_of_sentencepiece(bytes, path), std::string(bytes)};
  PieceList list = read_yaml_vocabulary(bytes, path);
  if (package.has(side + ".spm")) return {std::move(list), read_sentencepiece(package, side + ".spm")};
  if (package.has(side + ".bpe")) return divide_by_codes(std::move(list), package, side + ".bpe");
  return divide_at_spaces(std::move(list), path);
}

/// Pads the list to the rows of its matrix, which Marian may round up.
void check_rows(ForeignVocabulary& vocabulary, int64_t rows, const std::string& path) {
  if (std::ssize(vocabulary.list.pieces) > rows) {
    throw Error("{}: has {} pieces, but the matrix of the model has {} rows; use the vocabulary of the model", path,
                vocabulary.list.pieces.size(), rows);
  }
  vocabulary.list.pieces.resize(static_cast<size_t>(rows));
}

DecodingConfig decoding_of(const Options* decoder) {
  static constexpr int64_t kMarianBeam = 12;
  DecodingConfig decoding;
  decoding.stopping = Stopping::shrinking;
  decoding.beam_size = decoder == nullptr ? kMarianBeam : decoder->integer("beam-size", kMarianBeam);
  const double normalize = decoder == nullptr ? 0 : decoder->number("normalize", 0);
  decoding.length_penalty = normalize > 0 ? LengthPenaltyForm::average : LengthPenaltyForm::none;
  if (normalize > 0) decoding.alpha = normalize;
  if (decoder == nullptr) return decoding;
  if (decoder->number("word-penalty", 0) != 0) {
    log_warning("{}: 'word-penalty' has no counterpart and is not imported", decoder->path());
  }
  if (decoder->flag("allow-unk")) decoding.forbidden_pieces.emplace();
  return decoding;
}

SourceProgram program_of(Package& package, const std::string& model, const std::vector<std::string>& vocabularies,
                         const DecodingConfig& decoding) {
  const auto path = [&](const std::string& name) { return python_text(package.path_of(name)); };
  const double normalize = decoding.length_penalty == LengthPenaltyForm::none ? 0 : decoding.alpha;
  return {
      .package = "pymarian",
      .script = fmt::format(
          "import subprocess, sys\n"
          "subprocess.run([sys.executable, \"-m\", \"pymarian\", \"decode\", \"--quiet\", \"--cpu-threads\", \"1\",\n"
          "                \"--mini-batch\", \"1\", \"-b\", \"{}\", \"--normalize={}\",{}\n"
          "                \"-m\", {}, \"-v\", {}, {}], check=True)\n",
          decoding.beam_size, number_text(normalize), decoding.forbidden_pieces ? " \"--allow-unk\"," : "",
          python_text(model), path(vocabularies.front()), path(vocabularies.back()))};
}

/// `decoder.yml`, or the file of that kind that Marian writes beside a model.
std::optional<Options> find_decoder_options(Package& package) {
  for (const std::string& name : package.names_with_suffix("decoder.yml")) {
    return Options(package.bytes(name), package.path_of(name));
  }
  return std::nullopt;
}

std::string model_name(Package& package, const Options* decoder) {
  if (!package.main_file().empty()) return package.main_file();
  if (decoder != nullptr) {
    const auto models = decoder->list("models");
    if (models.size() > 1) {
      throw Error("{}: 'models' names an ensemble of {}; give one of them", decoder->path(), models.size());
    }
    if (models.size() == 1 && package.has(file_name(models[0]))) return file_name(models[0]);
  }
  const auto names = package.names_with_suffix(kModelSuffix);
  if (names.size() == 1) return names[0];
  throw Error("{}: there are {} .npz files in it, and no decoder.yml that names one; give one of them", package.path(),
              names.size());
}

}  // namespace

bool is_marian(Package& package) {
  if (!package.main_file().empty()) return is_npz(package.bytes(package.main_file()));
  return !package.names_with_suffix(kModelSuffix).empty();
}

ForeignModel import_marian(Package& package) {
  const std::optional<Options> decoder = find_decoder_options(package);
  const Options* decoder_options = decoder ? &*decoder : nullptr;
  const std::string name = model_name(package, decoder_options), path = package.path_of(name);
  NamedTensors arrays;
  try {
    arrays = read_npz(package.bytes(name), [&](std::string_view record) { package.release(name, record); });
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: not a valid .npz file ({}); copy or download it again", path, misfit.what());
  }
  const Options options = options_of(arrays, path);
  // The only owner of the arrays, so that each one is freed when its copy is transposed.
  ForeignTensors tensors(std::move(arrays), path);
  tensors.drop([](const std::string& array) { return array == kOptionsArray; });

  ForeignModel model{.config = {.model = model_config_of(options, tensors), .decoding = decoding_of(decoder_options)},
                     .path = path};
  const ModelConfig& config = model.config.model;
  copy_arrays(tensors, config, model.parameters);
  tensors.check_all_are_taken();

  const auto names = vocabulary_names(package, decoder_options, name);
  model.vocabulary_path = package.path_of(names.back());
  ForeignVocabulary source = read_vocabulary(package, names.front(), "source"),
                    target = read_vocabulary(package, names.back(), "target");
  const auto rows = [&](const char* matrix) { return model.parameters.at(matrix).size(0); };
  check_rows(target, rows("embedding.weight"), package.path_of(names.back()));
  const bool has_source = model.parameters.contains("source_embedding.weight");
  check_rows(source, rows(has_source ? "source_embedding.weight" : "embedding.weight"), package.path_of(names.front()));
  model.vocabularies = join_vocabularies(source, target);
  model.program = program_of(package, path, names, model.config.decoding);
  return model;
}

}  // namespace transformer
