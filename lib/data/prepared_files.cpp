#include "data/prepared_files.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/read_file.h"
#include "data/epoch_order.h"
#include "data/manifest.h"

namespace transformer {

std::string validation_set_id(size_t set) { return set == 0 ? "valid" : fmt::format("valid-{}", set + 1); }

PreparedFiles::PreparedFiles(const std::string& prepared)
    : directory(prepared),
      vocabulary_models(directory),
      vocabulary_list(directory + "/vocabulary.vocab"),
      source_vocabulary_list(directory + "/source_vocabulary.vocab"),
      train(directory + "/train.bin"),
      manifest(directory + "/manifest.json") {}

std::string PreparedFiles::valid(size_t set) const {
  return fmt::format("{}/{}.bin", directory, validation_set_id(set));
}

Tokenizers load_tokenizers(const PreparedFiles& files) {
  const auto load = [](const std::string& path) { return Tokenizer(read_file(path), path); };
  const VocabularyModelFiles& models = files.vocabulary_models;
  std::optional<Tokenizer> source;
  if (std::filesystem::exists(models.source)) source.emplace(load(models.source));
  return Tokenizers(load(models.target), std::move(source));
}

std::vector<CorpusPart> training_parts(const DataConfig& config) {
  if (config.train.weight.empty()) return {};
  const auto sizes = read_manifest(PreparedFiles(config.prepared).manifest).train.pairs_of_files;
  if (sizes.size() != config.train.weight.size()) {
    throw Error("{}: made from other files; run `transformer preprocess` again", config.prepared);
  }
  std::vector<CorpusPart> parts;
  int64_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    parts.push_back({first, sizes[i], config.train.weight[i]});
    first += sizes[i];
  }
  if (num_epoch_pairs(parts) == 0) {
    throw UsageError("data.train.weight: leaves no pairs for an epoch; give larger weights");
  }
  return parts;
}

}  // namespace transformer
