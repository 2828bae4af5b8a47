#include "data/manifest.h"

#include <fmt/core.h>

#include <filesystem>
#include <numeric>
#include <string_view>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/line_reader.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "settings/fields.h"

namespace transformer {
namespace {

constexpr int kFormatVersion = 5;

constexpr const char *kTrain = "train", *kTest = "test", *kDropped = "dropped", *kDroppedExamples = "dropped_examples",
                     *kKept = "kept", *kKeptExamples = "kept_examples", *kKnowsAll = "knows_all_duplicates";

int64_t count_of(const Json& value) {
  const int64_t count = integer_of(value);
  if (count < 0) throw Error("expected a number of lines, pairs or pieces, got {}", count);
  return count;
}

/// Reads a number of pairs, and subtracts it from the number of lines that no other number of pairs has accounted for.
int64_t pairs_of(const Json& value, int64_t& lines_left) {
  const int64_t pairs = count_of(value);
  if (pairs > lines_left) throw Error("expected at most {} pairs, got {}", lines_left, pairs);
  lines_left -= pairs;
  return pairs;
}

/// The faults that manifests have for dropped pairs even if none was dropped. Others are there if they occur.
bool is_always_written(PairFault fault) { return fault <= PairFault::length_ratio; }

/// Reads how many pairs have a fault, at most `limit`, and where; takes them from the limit.
FaultyPairs read_faulty_pairs(const Json& counts, const Json& examples, PairFault fault, int64_t& limit) {
  FaultyPairs pairs{.count = pairs_of(member_of(counts, name_of(fault)), limit)};
  for (const Json& place : array_of(member_of(examples, name_of(fault)))) pairs.examples.push_back(string_of(place));
  return pairs;
}

/// Reads the account of a corpus. Takes the dropped pairs from the lines that are left.
PairAccount read_account(const Json& object, int64_t num_lines, int64_t& lines_left) {
  PairAccount account;
  const auto has = [&](const char* name, PairFault fault) {
    const auto counts = object.find(name);
    return counts != object.end() && counts->contains(name_of(fault));
  };
  for (size_t i = 0; i < kNumPairFaults; ++i) {
    const auto fault = static_cast<PairFault>(i);
    if (is_always_written(fault) || has(kDropped, fault)) {
      account.dropped[fault] =
          read_faulty_pairs(member_of(object, kDropped), member_of(object, kDroppedExamples), fault, lines_left);
    }
    int64_t limit = num_lines;
    if (has(kKept, fault)) {
      account.kept[fault] = read_faulty_pairs(member_of(object, kKept), member_of(object, kKeptExamples), fault, limit);
    }
  }
  if (const auto all = object.find(kKnowsAll); all != object.end()) account.knows_all_duplicates = *all != false;
  return account;
}

void add_faults(Json& record, const char* name, const char* examples_name, const PairsByFault& pairs) {
  const bool are_dropped = std::string_view(name) == kDropped;
  Json counts = Json::object(), examples = Json::object();
  for (size_t i = 0; i < kNumPairFaults; ++i) {
    const auto fault = static_cast<PairFault>(i);
    if (pairs[fault].count == 0 && !(are_dropped && is_always_written(fault))) continue;
    counts[name_of(fault)] = pairs[fault].count;
    examples[name_of(fault)] = pairs[fault].examples;
  }
  record[name] = counts;
  record[examples_name] = examples;
}

CorpusRecord read_record(const Json& object) {
  CorpusRecord corpus{.num_lines = count_of(member_of(object, "lines")),
                      .source_pieces = count_of(member_of(object, "source_pieces")),
                      .target_pieces = count_of(member_of(object, "target_pieces"))};
  int64_t lines_left = corpus.num_lines;
  for (const Json& pairs : array_of(member_of(object, "pairs_of_files"))) {
    corpus.pairs_of_files.push_back(pairs_of(pairs, lines_left));
  }
  corpus.account = read_account(object, corpus.num_lines, lines_left);
  if (lines_left > 0) throw Error("{} of {} lines are neither kept nor dropped", lines_left, corpus.num_lines);
  return corpus;
}

Json record_json(const CorpusRecord& corpus) {
  const auto& pairs = corpus.pairs_of_files;
  Json record = {{"lines", corpus.num_lines},
                 {"pairs", std::accumulate(pairs.begin(), pairs.end(), int64_t{0})},
                 {"pairs_of_files", pairs},
                 {"source_pieces", corpus.source_pieces},
                 {"target_pieces", corpus.target_pieces}};
  add_faults(record, kDropped, kDroppedExamples, corpus.account.dropped);
  add_faults(record, kKept, kKeptExamples, corpus.account.kept);
  record[kKnowsAll] = corpus.account.knows_all_duplicates;
  return record;
}

/// The size and checksum of a file.
Json contents_json(const std::string& file) {
  return {{"bytes", std::filesystem::file_size(file)}, {"crc32", crc32_of_file(file)}};
}

/// A text's path, and the size and checksum of its file.
Json file_json(const std::string& path) {
  Json file = {{"path", replace_invalid_utf8(path)}};
  file.update(contents_json(TextPath(path).file));
  return file;
}

/// The name of a key of `data` in manifests.
std::string manifest_name(const std::string& key) {
  return key == "data.train.tag" ? "tags" : last_part(key);  // as in the manifests of all versions
}

/// Whether a value means that something is not done, or is done as it was before there was a key for it. Manifests need
/// not have such values, so that a new key does not invalidate what was prepared without it.
bool is_off(const std::string& name, const nlohmann::json& value) {
  return value.is_null() || value == false || value == 0 || value == kDefaultNormalization ||
         (value.is_array() && value.empty()) || (name == "vocabulary_sample" && value == kDefaultVocabularySample);
}

/// The value of a member that is there and not off; else null.
nlohmann::json value_in(const nlohmann::json& inputs, const std::string& name) {
  const auto found = inputs.find(name);
  return found == inputs.end() || is_off(name, *found) ? nlohmann::json() : *found;
}

/// A file of the inputs without its name, but with its column or part.
nlohmann::json without_name(nlohmann::json file) {
  if (!file.is_object() || !file.contains("path") || !file["path"].is_string()) return file;  // damaged
  const TextPath path(file["path"].get<std::string>());
  file["path"] = path.column ? fmt::format("#{}", *path.column) : path.part.empty() ? "" : '#' + path.part;
  return file;
}

}  // namespace

Manifest read_manifest(const std::string& path) {
  const std::string text = read_file(path);
  try {
    const Json object = parse_json(text);
    const Json::array_t& outputs = array_of(member_of(object, "outputs"));
    Manifest manifest{.inputs = member_of(object, "inputs"), .outputs = {outputs.begin(), outputs.end()}};
    manifest.train = read_record(member_of(object, kTrain));
    if (const auto test = object.find(kTest); test != object.end()) manifest.test = *test;
    for (size_t set = 0;; ++set) {
      const auto valid = object.find(validation_set_id(set));
      if (valid == object.end() || valid->is_null()) return manifest;
      manifest.valid.push_back(read_record(*valid));
    }
  } catch (const Error& misfit) {
    throw DamagedFile("{}: not a manifest ({})", path, misfit.what());
  }
}

nlohmann::json test_text_json(const DataConfig& config) {
  if (!config.test_source || !config.test_target) return {};
  try {
    return nlohmann::json::array({file_json(*config.test_source), file_json(*config.test_target)});
  } catch (const std::exception&) {  // training does not need this text
    return {};
  }
}

nlohmann::json known_text(const nlohmann::json& inputs, const std::string& path) {
  if (!inputs.is_object() || !inputs.contains("files")) return {};
  for (const auto& file : inputs["files"]) {
    if (file.is_object() && file.value("path", nlohmann::json()) == replace_invalid_utf8(path)) return file;
  }
  return {};
}

std::string difference_of_inputs(const nlohmann::json& older, const nlohmann::json& inputs,
                                 std::optional<size_t> num_files) {
  const bool is_complete = older.is_object() && older.contains("files") && older["files"].is_array();
  if (!is_complete) return "not completed";
  const auto &then = older["files"], &now = inputs.at("files");
  for (size_t i = 0; i < num_files.value_or(now.size()); ++i) {
    if (i < then.size() && without_name(then[i]) == without_name(now.at(i))) continue;
    const bool has_same_name =
        i < then.size() && then[i].is_object() && then[i].contains("path") && then[i]["path"] == now[i]["path"];
    return fmt::format("{} {}", has_same_name ? "made from another" : "not made from",
                       now[i]["path"].get<std::string>());
  }
  if (!num_files && then.size() > now.size()) return "made from more files";
  const auto differs = [&](const std::string& key) {
    if (key == "files" || (num_files && key == "format_version")) return false;
    return value_in(older, key) != value_in(inputs, key);
  };
  static constexpr const char* kGiven = "vocabulary";
  if (older.contains(kGiven) != inputs.contains(kGiven)) {
    return older.contains(kGiven) ? "made with a given vocabulary" : "made with a vocabulary that was learned";
  }
  for (const nlohmann::json* keys : {&inputs, &older}) {
    for (const auto& [key, value] : keys->items()) {
      if (differs(key)) return fmt::format("made with another '{}'", key);
    }
  }
  return "";
}

Json inputs_json(const DataConfig& config, const std::optional<GivenVocabularies>& vocabularies,
                 const nlohmann::json& known) {
  Json inputs = {{"format_version", kFormatVersion}};
  const auto model_json = [](const std::string& bytes) -> Json {
    return {{"bytes", bytes.size()}, {"crc32", crc32_of(bytes)}};
  };
  if (vocabularies) {
    inputs["vocabulary"] = model_json(vocabularies->target().model_bytes);
    if (!vocabularies->are_shared()) inputs["source_vocabulary"] = model_json(vocabularies->source().model_bytes);
  }
  DataConfig copy = config;  // the fields need an object that can be changed
  for (const KeyValue& key : values_of(fields_of("data", copy))) {
    const bool counts =
        key.traits.prepares == Prepares::corpus || (key.traits.prepares == Prepares::vocabulary && !vocabularies);
    const std::string name = manifest_name(key.name);
    if (const Json value = typed_value(key); counts && !is_off(name, value)) inputs[name] = value;
  }
  if (!vocabularies && !is_normalization_rule(config.normalization)) {
    inputs["normalization"] = contents_json(config.normalization);
  }
  Json& files = inputs["files"] = Json::array();
  const auto add = [&](const std::string& path) {
    const bool exists = std::filesystem::exists(TextPath(path).file);
    const nlohmann::json text = exists ? nlohmann::json() : known_text(known, path);
    files.push_back(text.is_null() ? file_json(path) : Json(text));
  };
  for (const TrainingCorpus& corpus : config.train) add(corpus.source);
  for (const TrainingCorpus& corpus : config.train) add(corpus.target);
  for (const ValidationSet& set : config.valid) {
    add(set.source);
    add(set.target);
  }
  return inputs;
}

Json outputs_json(const PreparedFiles& files, const DataConfig& config) {
  Json outputs = Json::array();
  std::vector<std::string> paths = {files.vocabulary_models.target, files.train};
  for (size_t set = 0; set < config.valid.size(); ++set) paths.push_back(files.valid(set));
  if (std::filesystem::exists(files.vocabulary_models.source)) paths.push_back(files.vocabulary_models.source);
  for (const auto& path : paths) {
    if (!std::filesystem::is_regular_file(path)) throw DamagedFile("{}: is missing", path);
    Json file = file_json(path);
    file["path"] = std::filesystem::path(path).filename().string();  // so that the directory can be moved
    outputs.push_back(file);
  }
  return outputs;
}

void write_incomplete_manifest(const PreparedFiles& files) {
  const Json manifest = {{"inputs", nullptr}, {"outputs", Json::array()}, {kTrain, record_json({})}};
  write_file_atomically(files.manifest, json_text(manifest) + "\n");
}

void write_manifest(const PreparedFiles& files, const DataConfig& config, const Json& inputs, const CorpusRecord& train,
                    const std::vector<CorpusRecord>& valid) {
  Json manifest = {{"inputs", inputs},
                   {"outputs", outputs_json(files, config)},
                   {kTrain, record_json(train)},
                   {kTest, test_text_json(config)},
                   {validation_set_id(0), nullptr}};  // null without validation text
  for (size_t set = 0; set < valid.size(); ++set) manifest[validation_set_id(set)] = record_json(valid[set]);
  write_file_atomically(files.manifest, json_text(manifest, 1) + "\n");
}

}  // namespace transformer
