#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/data_config.h"
#include "data/pair_account.h"
#include "data/prepared_files.h"
#include "data/vocabulary.h"

namespace transformer {

/// What the manifest says about a corpus.
struct CorpusRecord {
  int64_t num_lines = 0;                         // of the text on each side
  std::vector<int64_t> pairs_of_files = {};      // how many pairs of the corpus are from each pair of text files
  int64_t source_pieces = 0, target_pieces = 0;  // of the corpus, without begin and end symbols
  PairAccount account = {};
};

/// What the manifest of prepared files says. `inputs` and `outputs` are of nlohmann::json, which sorts keys, so that
/// their order does not count in comparisons.
struct Manifest {
  nlohmann::json inputs;                // what the files were made from
  std::vector<nlohmann::json> outputs;  // name, size and checksum of each file
  CorpusRecord train = {};
  std::vector<CorpusRecord> valid = {};  // one for each validation set
  nlohmann::json test = {};              // test_text_json of the text that the training text was compared with
};

/// Throws Error if the file cannot be read, and DamagedFile if it is not a manifest.
Manifest read_manifest(const std::string& path);

/// What determines the prepared files: the version of their format, the keys that say so (KeyTraits::prepares), the
/// given vocabulary, and path, size and checksum of each text. For a text that does not exist, takes what `known`, the
/// inputs of a manifest or null, says of it (known_text). Throws Error if a text cannot be read.
Json inputs_json(const DataConfig& config, const std::optional<GivenVocabularies>& vocabularies,
                 const nlohmann::json& known = {});

/// Path, size and checksum of both sides of the test text; null if the config has none or it cannot be read. It is no
/// input: another test text leaves the prepared files as they are.
nlohmann::json test_text_json(const DataConfig& config);

/// What the inputs of a manifest say of the text with this path: its path, size and checksum; null if nothing.
nlohmann::json known_text(const nlohmann::json& inputs, const std::string& path);

/// The first difference between the inputs of existing data (`older`) and `inputs` as a clause, such as "made from
/// another data/train.en"; empty if there is none. Names of files do not count. With `num_files`, compares only so many
/// files (those of the training text come first) and not the version of the format.
std::string difference_of_inputs(const nlohmann::json& older, const nlohmann::json& inputs,
                                 std::optional<size_t> num_files = std::nullopt);

/// The prepared files with size and checksum. Throws DamagedFile if one is missing, and Error if one cannot be read.
Json outputs_json(const PreparedFiles& files, const DataConfig& config);

/// Writes the manifest of prepared files that are being replaced: its `inputs` are null, so that they never
/// match those of a config and the data is prepared again. Throws Error if it cannot be written.
void write_incomplete_manifest(const PreparedFiles& files);

/// Writes the manifest of the prepared files, which exist; `valid` has an item for each validation set. Throws Error if
/// a file cannot be read or the manifest cannot be written.
void write_manifest(const PreparedFiles& files, const DataConfig& config, const Json& inputs, const CorpusRecord& train,
                    const std::vector<CorpusRecord>& valid);

}  // namespace transformer
