#include "run/prepare_data.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/read_file.h"
#include "config/find_config.h"
#include "data/input_file.h"
#include "data/vocabulary.h"
#include "inference/find_model.h"
#include "inference/inference_config.h"
#include "model/model_file.h"
#include "run/architecture.h"
#include "serialization/archive.h"
#include "text/bpe_codes.h"

namespace transformer {
namespace {

constexpr const char* kInitFrom = "training.init_from";

/// A file with a vocabulary, or with two, and the key that names it.
struct VocabularySource {
  const char* key;
  std::string path;
};

/// The files that hold the vocabularies: one for each side, or one for both; none if a vocabulary is to be learned.
std::vector<VocabularySource> vocabulary_sources(const Config& config, const std::string& initial_model) {
  const auto& [source, target] = config.data.vocabulary;
  if (target && source == target) return {{"data.vocabulary", *target}};
  if (target) return {{"data.vocabulary.source", *source}, {"data.vocabulary.target", *target}};
  if (!initial_model.empty()) return {{kInitFrom, initial_model}};
  return {};
}

/// Returns vocabulary_sources(config, initial_model). Throws Error if one of these files does not exist.
std::vector<VocabularySource> existing_vocabulary_sources(const Config& config, const std::string& initial_model,
                                                          const std::string& config_file) {
  auto files = vocabulary_sources(config, initial_model);
  for (const auto& [key, path] : files) check_input_file(key, path, config_file);
  return files;
}

GivenVocabularies read_vocabularies(const VocabularySource& file) {
  const std::string &key = file.key, &path = file.path;  // clang 15 and older capture no structured bindings
  const bool is_model = std::string_view(key) == kInitFrom;
  if (!is_model && !is_archive(path)) {
    return GivenVocabulary{read_file(path), fmt::format("{}: {}", key, path)};
  }
  return load_model_without_parameters(path).vocabularies.map([&](const std::string& bytes) {
    return GivenVocabulary{bytes, path};
  });
}

/// Of two files, the source's vocabulary of the first and the target's of the second, which may be the same.
std::optional<GivenVocabularies> given_vocabularies(const std::vector<VocabularySource>& files) {
  if (files.empty()) return std::nullopt;
  GivenVocabularies first = read_vocabularies(files.front());
  if (files.size() == 1) return first;
  const GivenVocabulary source = first.source(), target = read_vocabularies(files.back()).target();
  if (source.model_bytes == target.model_bytes) return target;
  return GivenVocabularies::separate(source, target);
}

}  // namespace

std::string find_initial_model(const Config& config, const std::string& config_file) {
  if (!config.training.init_from) return "";
  std::string path = find_model(*config.training.init_from);
  check_input_file(kInitFrom, path, config_file);
  return path;
}

std::optional<GivenVocabularies> find_vocabularies(const Config& config, const std::string& initial_model,
                                                   const std::string& config_file) {
  return given_vocabularies(existing_vocabulary_sources(config, initial_model, config_file));
}

DirectoryLock prepare_data(const Config& config, const std::string& initial_model, int num_threads,
                           const std::string& config_file, OtherCorpus other_corpus, CorpusOrigin origin) {
  return prepare(config.data, num_threads, find_vocabularies(config, initial_model, config_file), config_file,
                 other_corpus, origin);
}

/// Warns if an imported model searches otherwise than the new run, whose config has other values. The run chooses
/// decoding.max_extra_tokens for its corpus.
void warn_of_other_search(const ModelFile& model, const std::string& path, const Config& config) {
  if (model.provenance.empty()) return;
  DecodingConfig there = read_inference_config(model.config, path, model.program).decoding, here = config.decoding;
  const auto differences =
      differences_of(values_of(fields_of("decoding", there)), values_of(fields_of("decoding", here)),
                     [](const std::string& key) { return key != "decoding.max_extra_tokens"; });
  if (differences.empty()) return;
  log_warning(
      "training.init_from: the new model searches by the config, and {} otherwise: {}; to keep its search, set these "
      "keys as they are there",
      path, text_of(differences));
}

void check_initial_model(const Config& config, const std::string& initial_model, const std::string& config_file) {
  if (initial_model.empty()) return;
  const auto files = existing_vocabulary_sources(config, initial_model, config_file);
  const ModelFile model = load_model_without_parameters(initial_model);
  const bool has_other_vocabulary = config.data.vocabulary.target.has_value();
  check_fits_config(model, initial_model,
                    has_other_vocabulary ? make_tokenizers(*given_vocabularies(files)).models() : model.vocabularies,
                    config);
  warn_of_other_search(model, initial_model, config);
}

void check_can_sample(const Config& config, const std::string& initial_model, const ConfigSource& source) {
  static constexpr const char* kKey = "data.sampling_alpha";
  if (!config.data.sampling_alpha) return;
  const auto vocabularies =
      given_vocabularies(existing_vocabulary_sources(config, initial_model, find_config(source.file)));
  if (!vocabularies) return;  // one is learned, of BPE pieces
  const auto check = [&](const GivenVocabulary& vocabulary) {
    if (Tokenizer(vocabulary.model_bytes, vocabulary.path).can_sample()) return;
    throw UsageError(
        "{}: {} needs a BPE or unigram vocabulary, and the one of {} is of {} one segmentation only; remove the "
        "key, or use another vocabulary",
        source.place_of(kKey), kKey, vocabulary.path,
        bpe_codes_of(vocabulary.model_bytes) ? "BPE codes of subword-nmt, with which a word has"
                                             : "whole words or single characters, which have");
  };
  check(vocabularies->source());
  check(vocabularies->target());
}

VocabularySizes vocabulary_sizes(const Config& config) {
  std::vector<VocabularySource> files;
  try {
    const bool names_vocabulary = config.data.vocabulary.target.has_value();
    const std::string initial_model = names_vocabulary ? "" : find_initial_model(config, /*config_file=*/"");
    files = existing_vocabulary_sources(config, initial_model, /*config_file=*/"");
  } catch (const Error& missing) {
    log_warning("{}; counting with {} pieces, as data.vocabulary_size says", missing.what(),
                with_thousands(config.data.vocabulary_size));
    return config.data.vocabulary_size;
  }
  const auto vocabularies = given_vocabularies(files);
  return vocabularies ? make_tokenizers(*vocabularies).sizes() : config.data.vocabulary_size;
}

}  // namespace transformer
