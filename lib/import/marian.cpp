#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parse_number.h"
#include "export/module_names.h"
#include "import/foreign_tensors.h"
#include "import/formats.h"
#include "import/vocabulary.h"
#include "import/yaml_vocabulary.h"
#include "serialization/npz.h"
#include "settings/schema.h"
#include "settings/yaml.h"
#include "text/bpe_codes.h"
#include "text/sentencepiece_check.h"
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
    const std::string given = text(key, "");
    if (given.empty()) return otherwise;
    const auto number = parse_number<int64_t>(given);
    if (!number) throw Error("{}: '{}' is {}, expected a whole number", path_, key, shown_value(given));
    return *number;
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

/// Whether a LayerNorm, 'n', follows the operations `without_norm`: "" or "a", the residual connection. Marian applies
/// the operations in their order; 'd', dropout, may be anywhere.
bool has_norm(const Options& options, const std::string& key, const std::string& otherwise,
              const std::string& without_norm) {
  std::string operations = options.text(key, otherwise);
  std::erase(operations, 'd');
  const std::string with_norm = without_norm + "n";
  if (operations != with_norm && operations != without_norm) {
    options.refuse(key, fmt::format("'{}' or '{}', and 'd' anywhere", with_norm, without_norm));
  }
  return operations == with_norm;
}

Activation marian_activation(const Options& options) {
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

ModelConfig marian_model_config(const Options& options, const ForeignTensors& arrays) {
  check_architecture(options);
  ModelConfig model;
  model.N = options.integer("enc-depth", 6);
  const int64_t decoder_layers = options.integer("dec-depth", 6);
  if (decoder_layers != model.N) model.decoder_layers = decoder_layers;
  model.d_model = options.integer("dim-emb", 512);
  model.d_ff = options.integer("transformer-dim-ffn", 2048);
  model.h = options.integer("transformer-heads", 8);
  const bool is_pre = has_norm(options, "transformer-preprocess", "", "");
  const bool is_post = has_norm(options, "transformer-postprocess", "dan", "a");
  if (is_pre == is_post) options.refuse("transformer-preprocess", "one LayerNorm, before or after each sub-layer");
  model.layer_norm = is_pre ? NormOrder::pre : NormOrder::post;
  const bool has_final_norm = has_norm(options, "transformer-postprocess-top", "", "");
  if (has_final_norm != is_pre) model.final_layer_norm = has_final_norm;
  model.embedding_layer_norm = has_norm(options, "transformer-postprocess-emb", "d", "");
  // Training options, which only models that `export` wrote have.
  model.P_drop = options.number("transformer-dropout", model.P_drop);
  model.attention_dropout = options.number("transformer-dropout-attention", model.attention_dropout);
  model.relu_dropout = options.number("transformer-dropout-ffn", model.relu_dropout);
  model.activation = marian_activation(options);
  model.attention_bias = true;
  model.output_bias = true;
  model.decoder_start = DecoderStart::zeros;
  model.tied_embeddings = ties_of(options);
  // Marian 1.12 ignores `transformer-train-position-embeddings`: such a model has no Wpos and is computed with
  // sinusoids.
  if (arrays.has("Wpos")) {
    model.position = Position::learned;
    model.max_positions = arrays.peek("Wpos").size(0);
  } else {
    model.sinusoids = Sinusoids::tensor2tensor;
  }
  check_ranges("model", model, options.path());
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

/// Whether the name of a vocabulary is one of this side.
bool is_of_side(const std::string& name, std::initializer_list<const char*> marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](const char* mark) { return name.find(mark) != std::string::npos; });
}

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
    const auto is_source = [](const std::string& name) { return is_of_side(name, {"source", "src"}); };
    const auto is_target = [](const std::string& name) { return is_of_side(name, {"target", "trg", "tgt"}); };
    std::stable_partition(names.begin(), names.end(), is_source);
    const bool are_two = names.size() == 2 && is_source(names[0]) && is_target(names[1]);
    if (names.size() != 1 && !are_two) {
      throw Error(
          "{}: found {} vocabularies (.yml or .spm) beside it{}; put the decoder.yml of the model there, whose "
          "`vocabs` names them",
          package.path_of(model), names.size(),
          names.size() == 2 ? ", whose names do not say which is of the source and which of the target" : "");
    }
  }
  if (names.size() == 1) names.push_back(names[0]);
  return names;
}

/// A vocabulary with one piece in each line.
PieceList read_text_vocabulary(std::string_view text, const std::string& path) {
  PieceList list{.pieces = lines_of(text)};
  list.end = id_of_piece(list, "</s>", path);
  list.unknown = id_of_piece(list, "<unk>", path);
  return list;
}

/// Whether a vocabulary is a SentencePiece model, by which Marian divides text itself.
bool is_sentencepiece(Package& package, const std::string& name) {
  return name.ends_with(".spm") || is_safe_sentencepiece_model(package.bytes(name));
}

/// `side` is "source" or "target".
ForeignVocabulary read_vocabulary(Package& package, const std::string& name, const std::string& side) {
  const std::string_view bytes = package.bytes(name);
  const std::string path = package.path_of(name);
  if (is_sentencepiece(package, name)) return {pieces_of_sentencepiece(bytes, path), std::string(bytes)};
  const bool is_map = name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".json");
  PieceList list = is_map ? read_yaml_vocabulary(bytes, path) : read_text_vocabulary(bytes, path);
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

DecodingConfig marian_decoding(const Options* decoder) {
  static constexpr int64_t kMarianBeam = 12;
  DecodingConfig decoding;
  decoding.stopping = Stopping::shrinking;
  decoding.beam_size = decoder == nullptr ? kMarianBeam : decoder->integer("beam-size", kMarianBeam);
  const double normalize = decoder == nullptr ? 0 : decoder->number("normalize", 0);
  decoding.length_penalty = normalize > 0 ? LengthPenaltyForm::average : LengthPenaltyForm::none;
  if (normalize > 0) decoding.alpha = normalize;
  if (decoder == nullptr) return decoding;
  check_ranges("decoding", decoding, decoder->path());
  // Divided by the length itself, it is the same number for all translations.
  if (decoder->number("word-penalty", 0) != 0 && normalize != 1) {
    log_warning("{}: 'word-penalty' has no counterpart and is not imported", decoder->path());
  }
  if (decoder->flag("allow-unk")) decoding.forbidden_pieces.emplace();
  return decoding;
}

/// Lines in Python that define `divide`, which gives Marian's input for a line, and `join`, which gives the text for a
/// line of its output. Marian divides text by SentencePiece models among its vocabularies; for other vocabularies
/// SentencePiece of Python does what preprocess.sh and postprocess.sh of a package of OPUS-MT do.
std::string division_in_python(Package& package, const std::vector<std::string>& vocabularies) {
  std::string script, divide = "line", join = "line";
  /// Loads the model of a side, if it has one besides its vocabulary.
  const auto loads = [&](const std::string& side, const std::string& vocabulary) {
    if (is_sentencepiece(package, vocabulary) || !package.has(side + ".spm")) return false;
    script += fmt::format("{} = sentencepiece.SentencePieceProcessor(model_file={})\n", side,
                          python_text(package.path_of(side + ".spm")));
    return true;
  };
  if (loads("source", vocabularies.front())) {
    divide = "\" \".join([language] * bool(language) + source.encode(text, out_type=str))";
  }
  if (loads("target", vocabularies.back())) join = "target.decode(line.split())";
  if (!script.empty()) script = "import re, sentencepiece\n" + script;
  script += "def divide(line):\n";
  if (divide != "line") script += "    language, text = re.match(\"(>>.*?<<)?(.*)\", line).groups()\n";
  return script + fmt::format("    return {}\ndef join(line):\n    return {}\n", divide, join);
}

/// std::nullopt for texts that BPE codes divide.
std::optional<SourceProgram> program_of(Package& package, const std::string& model,
                                        const std::vector<std::string>& vocabularies, const DecodingConfig& decoding,
                                        const VocabularyModels& models) {
  if (bpe_codes_of(models.source()) || bpe_codes_of(models.target())) return std::nullopt;
  const auto path = [&](const std::string& name) { return python_text(package.path_of(name)); };
  const double normalize = decoding.length_penalty == LengthPenaltyForm::none ? 0 : decoding.alpha;
  return SourceProgram{
      .package = "pymarian",
      .script = fmt::format(
          "import subprocess, sys\n"
          "command = [sys.executable, \"-m\", \"pymarian\", \"decode\", \"--quiet\", \"--cpu-threads\", \"1\",\n"
          "           \"--mini-batch\", \"1\", \"-b\", \"{}\", \"--normalize={}\",{}\n"
          "           \"-m\", {}, \"-v\", {}, {}]\n"
          "{}"
          "def translate(lines):\n"
          "    text = \"\".join(divide(line) + \"\\n\" for line in lines)\n"
          "    ran = subprocess.run(command, input=text, stdout=subprocess.PIPE, encoding=\"utf-8\", check=True)\n"
          "    return [join(line) for line in ran.stdout.split(\"\\n\")[:-1]]\n",
          decoding.beam_size, number_text(normalize), decoding.forbidden_pieces ? " \"--allow-unk\"," : "",
          python_text(model), path(vocabularies.front()), path(vocabularies.back()),
          division_in_python(package, vocabularies))};
}

constexpr const char* kDecoderOptions = "decoder.yml";  // or, beside NAME.npz, NAME.npz.decoder.yml

/// The names of the model files that a `decoder.yml` names.
std::vector<std::string> models_of(const Options& decoder) {
  std::vector<std::string> names;
  for (const std::string& path : decoder.list("models")) names.push_back(file_name(path));
  return names;
}

std::string model_name(Package& package) {
  if (!package.main_file().empty()) return package.main_file();
  const auto names = package.names_with_suffix(kModelSuffix);
  if (names.size() == 1) return names[0];
  std::set<std::string> named;
  for (const std::string& file : package.names_with_suffix(kDecoderOptions)) {
    const Options decoder(package.bytes(file), package.path_of(file));
    const auto models = models_of(decoder);
    if (models.size() > 1) {
      throw Error("{}: 'models' names an ensemble of {}; give one of them", decoder.path(), models.size());
    }
    std::copy_if(models.begin(), models.end(), std::inserter(named, named.end()),
                 [&](const std::string& name) { return package.has(name); });
  }
  if (named.size() == 1) return *named.begin();
  throw Error("{}: there are {} .npz files in it, and no decoder.yml that names one; give one of them", package.path(),
              names.size());
}

/// The options of the search with a model: its own file, or the one that names it; also one that names no file of the
/// package, since the model may have another name since then.
std::optional<Options> find_decoder_options(Package& package, const std::string& model) {
  const std::string own = fmt::format("{}.{}", model, kDecoderOptions);
  if (package.has(own)) return Options(package.bytes(own), package.path_of(own));
  std::vector<Options> naming, others;
  const auto is_there = [&](const std::string& name) { return package.has(name); };
  for (const std::string& file : package.names_with_suffix(kDecoderOptions)) {
    const std::string_view other = std::string_view(file).substr(0, file.size() - std::strlen(kDecoderOptions));
    if (other.ends_with(".npz.") && is_there(std::string(other.substr(0, other.size() - 1)))) continue;
    const Options decoder(package.bytes(file), package.path_of(file));
    const auto models = models_of(decoder);
    if (std::find(models.begin(), models.end(), model) != models.end()) {
      naming.push_back(decoder);
    } else if (std::none_of(models.begin(), models.end(), is_there)) {
      others.push_back(decoder);
    }
  }
  const std::vector<Options>& found = naming.empty() ? others : naming;
  if (found.size() > 1) {
    throw Error("{}: both {} and {} may be of this model; leave one of them there, as {}", package.path_of(model),
                found[0].path(), found[1].path(), own);
  }
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

}  // namespace

bool is_marian(Package& package) {
  if (!package.main_file().empty()) return is_npz(package.bytes(package.main_file()));
  return !package.names_with_suffix(kModelSuffix).empty();
}

ForeignModel import_marian(Package& package) {
  const std::string name = model_name(package), path = package.path_of(name);
  const std::optional<Options> decoder = find_decoder_options(package, name);
  const Options* decoder_options = decoder ? &*decoder : nullptr;
  NamedTensors arrays;
  try {
    arrays = read_npz(package.bytes(name), [&](std::string_view part) { package.release(name, part); });
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: not a valid .npz file ({}); copy or download it again", path, misfit.what());
  }
  const Options options = options_of(arrays, path);
  // The only owner of the arrays, so that each one is freed when its copy is transposed.
  ForeignTensors tensors(std::move(arrays), path);
  tensors.drop([](const std::string& array) { return array == kOptionsArray; });

  ForeignModel model{
      .config = {.model = marian_model_config(options, tensors), .decoding = marian_decoding(decoder_options)},
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
  model.program = program_of(package, path, names, model.config.decoding, model.vocabularies);
  return model;
}

}  // namespace transformer
