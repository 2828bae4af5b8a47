#include "data/prepared_files.h"

#include <fmt/core.h>

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

std::string PreparedFiles::shard(int64_t number, int64_t count) const {
  return fmt::format("{}/train.shard-{}-of-{}", directory, number, count);
}

std::string PreparedFiles::part(int64_t number) const { return fmt::format("{}/train.part-{}", directory, number); }

std::vector<std::string> PreparedFiles::all(size_t num_validation_sets) const {
  std::vector<std::string> files = {
      vocabulary_models.target, vocabulary_models.source, vocabulary_list, source_vocabulary_list, train, manifest};
  for (size_t set = 0; set < num_validation_sets; ++set) files.push_back(valid(set));
  return files;
}

}  // namespace transformer
