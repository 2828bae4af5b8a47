#include "data/prepare.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/status_line.h"
#include "base/temporary_file.h"
#include "base/utf8.h"
#include "data/encode_corpus.h"
#include "data/encoded_parts.h"
#include "data/held_out_check.h"
#include "data/input_file.h"
#include "data/manifest.h"
#include "data/pair_filter.h"
#include "data/prepared_files.h"
#include "data/text_check.h"
#include "text/clean_line.h"
#include "text/line_pairs.h"

namespace transformer {
namespace {

constexpr const char* kTrainingCorpus = "training corpus";

/// What messages call the corpus of a validation set.
std::string name_of_corpus(const ValidationSet& set) {
  return set.name ? "validation corpus " + *set.name : "validation corpus";
}

/// What the directory's manifest says its files were made of; null without an intact manifest.
nlohmann::json prepared_inputs(const PreparedFiles& files) {
  try {
    return std::filesystem::exists(files.manifest) ? read_manifest(files.manifest).inputs : nlohmann::json();
  } catch (const Error&) {
    return {};
  }
}

/// Throws Error if a text is missing that must be read, or a file that learning the vocabulary needs. `known` are the
/// inputs of prepared data (known_text).
void check_files_exist(const DataConfig& config, bool learns_vocabulary, const std::string& config_file,
                       const nlohmann::json& known) {
  if (config.train.empty()) {
    throw UsageError("data.train.source: names no file; give it in the config or with --set data.train.source=FILE");
  }
  const auto check = [&](const char* key, const std::string& path) {
    check_input_file(key, TextPath(path).file, config_file);
  };
  if (learns_vocabulary && !is_normalization_rule(config.normalization)) {
    check("data.normalization", config.normalization);
  }
  const auto check_training_text = [&](const char* key, const std::string& path) {
    if (std::filesystem::exists(TextPath(path).file) || known_text(known, path).is_null()) return check(key, path);
    log_warning("{}: {}: there is no such file; what is in {} was prepared from it", key, path, config.prepared);
  };
  for (const TrainingCorpus& corpus : config.train) check_training_text("data.train.source", corpus.source);
  for (const TrainingCorpus& corpus : config.train) check_training_text("data.train.target", corpus.target);
  for (const ValidationSet& set : config.valid) check("data.valid.source", set.source);
  for (const ValidationSet& set : config.valid) check("data.valid.target", set.target);
}

/// Throws UsageError if the directory has files with the names of prepared files, but no manifest, so that they may be
/// the user's own.
void check_replaces_no_other_files(const PreparedFiles& files, const DataConfig& config) {
  if (std::filesystem::exists(files.manifest)) return;
  std::vector<std::string> others = files.all(config.valid.size());
  std::erase_if(others, [](const std::string& file) { return !std::filesystem::exists(file); });
  if (others.empty()) return;
  throw UsageError(
      "{}: would be replaced, but there is no manifest.json that says that `transformer preprocess` wrote it; choose "
      "another data.prepared, or rename or remove that file",
      fmt::join(others, ", "));
}

/// Throws Error if the directory's corpus was made of other training text or with other settings.
void check_is_same_corpus(const PreparedFiles& files, const Json& inputs, const DataConfig& config) {
  const nlohmann::json older = prepared_inputs(files);
  if (older.is_null()) return;  // there is none, or it is incomplete or damaged
  const std::string difference = difference_of_inputs(older, inputs, /*num_files=*/2 * config.train.size());
  if (difference.empty()) return;
  throw Error(
      "{}: was {}, and is not replaced where a run is resumed; restore the training text of that run, give another "
      "data.prepared, or give --overwrite to start a new run",
      config.prepared, difference);
}

/// The prepared data of the directory.
struct FoundData {
  std::optional<Manifest> manifest = {};  // only if the data is undamaged and was made from the given inputs
  std::string reason = {};                // why it must be prepared again; empty if there is none
  LogLevel level = LogLevel::info;        // of the reason
};

FoundData find_data(const PreparedFiles& files, const Json& inputs, const DataConfig& config) {
  if (!std::filesystem::exists(files.manifest)) return {};
  try {
    Manifest manifest = read_manifest(files.manifest);
    const std::string difference = difference_of_inputs(manifest.inputs, inputs);
    if (!difference.empty()) return {.reason = fmt::format("{}: was {}", config.prepared, difference)};
    if (manifest.valid.size() != config.valid.size()) {
      return {.reason = config.prepared + ": was divided otherwise into training and validation text"};
    }
    const auto found = nlohmann::json(outputs_json(files, config));
    if (found.size() != manifest.outputs.size()) {
      throw DamagedFile("{}: has {} prepared files where {} were written", config.prepared, found.size(),
                        manifest.outputs.size());
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (manifest.outputs[i] == found[i]) continue;
      throw DamagedFile("{}: {} is not as it was written (size or checksum)", config.prepared,
                        found[i].at("path").get<std::string>());
    }
    return {.manifest = std::move(manifest)};
  } catch (const Error& damage) {
    return {.reason = damage.what(), .level = LogLevel::warning};
  }
}

/// Checks corpora that are up to date: `data.max_dropped` may have been larger when they were made.
void check_dropped_pairs_again(const Manifest& manifest, const DataConfig& config) {
  const auto check = [&](const CorpusRecord& corpus, const std::string& name) {
    check_dropped_pairs(corpus.account.dropped, corpus.num_lines, name, config);
  };
  check(manifest.train, kTrainingCorpus);
  for (size_t i = 0; i < std::min(manifest.valid.size(), config.valid.size()); ++i) {
    check(manifest.valid[i], name_of_corpus(config.valid[i]));
  }
}

/// Compares a test text with the training text if that was prepared without it.
void compare_new_test_text(const PreparedFiles& files, const Manifest& manifest, const DataConfig& config) {
  const nlohmann::json test = test_text_json(config);
  if (test.is_null() || test == manifest.test) return;
  const Tokenizers tokenizers = load_tokenizers(files);
  const auto tags = encode_tags(config.train, tokenizers.source());
  const Corpus corpus(files.train, /*parts=*/{}, tokenizers.special_tokens());
  HeldOutCheck held_out(config, tokenizers);
  int64_t first = 0;
  for (size_t file = 0; file < tags.size(); ++file) {
    const int64_t end = first + manifest.train.pairs_of_files.at(file);
    for (int64_t pair = first; pair < end; ++pair) {
      const SentencePair pieces = corpus[pair];
      held_out.add_training_pair(file, {pieces.source.subspan(tags[file].size()), pieces.target});
    }
    first = end;
  }
  for (const std::string& warning : held_out.warnings()) log_warning("{}", warning);
}

/// Shows which side of a corpus is which.
void log_first_pair(const CorpusTask& corpus) {
  static constexpr size_t kWidth = 100;
  const auto block = LinePairReader(corpus.text).next(1);
  const auto shown = [](const std::string& line) { return cut_to_width(clean_line(line).text, kWidth); };
  for (const LinePair& pair : block) {
    log_info("the first pair of the {}:\n    source {}\n    target {}", corpus.name, shown(pair.source),
             shown(pair.target));
  }
}

/// Checks all text. Returns the corpora to make of it, the training corpus first, then one for each validation set.
std::vector<CorpusTask> check_texts(const DataConfig& config) {
  const std::vector<ParallelFiles> training_text(config.train.begin(), config.train.end());
  std::vector<CorpusTask> corpora = {{.name = kTrainingCorpus, .text = training_text}};
  for (const ValidationSet& set : config.valid) corpora.push_back({.name = name_of_corpus(set), .text = {set}});
  const std::vector<int64_t> num_pairs = check_training_texts(config);
  for (size_t i = 0; i < corpora.size(); ++i) corpora[i].num_lines = num_pairs[i];
  for (const CorpusTask& corpus : corpora) log_first_pair(corpus);
  return corpora;
}

/// Removes the temporary files of a preparation that was killed.
void remove_leftovers(const PreparedFiles& files, const DataConfig& config) {
  for (const std::string& file : files.all(config.valid.size())) remove_leftovers_of(file);
}

/// The config of a validation corpus, from which only pairs are dropped that cannot be used.
DataConfig validation_config(DataConfig config) {
  config.remove_duplicates = config.remove_copies = false;
  config.source_script = config.target_script = std::nullopt;
  return config;
}

Tokenizers shard_tokenizers(const VocabularyModels& models) {
  return Tokenizers(models, "the vocabulary of the shards");
}

/// Throws Error if the file cannot be created, which should be known before the work that it is for.
void check_can_create(const std::string& path) { const AtomicFile file(path); }

/// Passes on the whole text: the parts that are there already, then what is encoded now and kept in further parts.
void encode_rest(EncodedParts& parts, const CorpusTask& corpus, const Tokenizers& tokenizers, const DataConfig& config,
                 int num_threads, const BlockCallback& add) {
  int64_t num_pairs = 0;
  const int64_t num_blocks = parts.read(tokenizers.sizes(), [&](EncodedBlock& block) {
    num_pairs += std::ssize(block);
    add(block);
  });
  if (num_pairs > 0) log_info("used {} that an interrupted preparation had encoded", counted(num_pairs, "pair"));
  const VocabularyModels models = tokenizers.models();
  const auto keep = [&](EncodedBlock& block) {
    parts.add(block, models);
    add(block);
  };
  encode_text(corpus.text, tokenizers, config, num_threads, keep, {.begin = num_blocks});
}

/// Rebuilds all prepared files, from `shards` if they are given. Text and vocabularies that cannot be used are found
/// before older files are given up. The manifest is written last. Before any other file is replaced, one without inputs
/// is written, which says that the files are incomplete.
void write_files(const PreparedFiles& files, const Json& inputs, const DataConfig& config, int num_threads,
                 const std::optional<GivenVocabularies>& vocabularies, EncodedShards* shards, StatusLine& status) {
  check_can_create(files.train);
  std::optional<Tokenizers> given;
  if (vocabularies) {
    given.emplace(make_tokenizers(*vocabularies));
    log_given_vocabularies(*vocabularies, *given);
  } else if (shards != nullptr) {
    given.emplace(shard_tokenizers(shards->vocabularies()));
  }
  std::vector<CorpusTask> corpora = check_texts(config);
  std::optional<EncodedParts> parts;
  if (shards == nullptr && EncodedParts::are_worthwhile(corpora.front().num_lines)) {
    parts.emplace(files, inputs, config.train.size());
  }
  if (!given && parts && parts->vocabularies()) given.emplace(shard_tokenizers(*parts->vocabularies()));
  const Tokenizers tokenizers = given ? std::move(*given) : learn_vocabulary(config, status);
  corpora.front().tags = encode_tags(config.train, tokenizers.source());

  std::deque<CorpusWriter> writers;  // whose files do not replace older ones yet
  std::vector<CorpusRecord> records;
  HeldOutCheck held_out(config, tokenizers);
  const auto add_training_pair = [&](size_t file, const PairPieces& pair) {
    return held_out.add_training_pair(file, pair);
  };
  const auto read_training_text = [&](const BlockCallback& add) {
    if (shards != nullptr) {
      shards->read(tokenizers.sizes(), add);
    } else if (parts) {
      encode_rest(*parts, corpora.front(), tokenizers, config, num_threads, add);
    } else {
      encode_text(corpora.front().text, tokenizers, config, num_threads, add);
    }
  };
  const DataConfig for_validation = validation_config(config);
  for (size_t i = 0; i < corpora.size(); ++i) {
    const bool is_training = i == 0;
    CorpusWriter& writer = writers.emplace_back(is_training ? files.train : files.valid(i - 1), tokenizers.sizes());
    if (is_training) {
      records.push_back(
          collect_corpus(corpora[i], read_training_text, tokenizers, config, writer, status, add_training_pair));
    } else {
      records.push_back(encode_corpus(corpora[i], tokenizers, for_validation, num_threads, writer, status));
    }
  }
  for (const std::string& warning : held_out.warnings()) log_warning("{}", warning);
  write_incomplete_manifest(files);
  write_vocabularies(files, tokenizers);
  for (CorpusWriter& writer : writers) writer.finish();
  write_manifest(files, config, inputs, records.front(), {records.begin() + 1, records.end()});
  // Removes the validation corpora of earlier data that had more validation sets.
  for (size_t set = config.valid.size(); std::filesystem::remove(files.valid(set)); ++set) {
  }
  if (shards != nullptr) shards->remove();
  EncodedParts::remove_from(files);
}

}  // namespace

DirectoryLock prepare(const DataConfig& config, int num_threads, const std::optional<GivenVocabularies>& vocabularies,
                      const std::string& config_file, OtherCorpus other_corpus, CorpusOrigin origin) {
  const PreparedFiles files(config.prepared);
  const nlohmann::json known = prepared_inputs(files);
  check_files_exist(config, !vocabularies, config_file, known);
  make_directory(config.prepared);
  StatusLine status;
  status.begin("checking the prepared data");
  DirectoryLock lock(config.prepared);
  // Of several processes, the first one prepares the data. The others wait for it and use what it has made. If it was
  // killed, the first of those that try again prepares the data.
  static constexpr int kAttempts = 3;
  std::optional<Json> inputs;  // found out once, which reads all text
  for (int attempt = 1;; ++attempt) {
    const bool is_alone = lock.try_exclusive();
    if (!is_alone) lock.wait_shared();
    check_replaces_no_other_files(files, config);
    if (is_alone) remove_leftovers(files, config);
    if (!inputs) inputs = inputs_json(config, vocabularies, known);
    if (other_corpus == OtherCorpus::refuse) check_is_same_corpus(files, *inputs, config);
    const FoundData found = find_data(files, *inputs, config);
    if (found.manifest) {
      log_info("{}: prepared already, inputs unchanged", config.prepared);
      if (origin == CorpusOrigin::shards) remove_shards(files, *inputs, config.train.size());
      if (is_alone) EncodedParts::remove_from(files);
      check_dropped_pairs_again(*found.manifest, config);
      compare_new_test_text(files, *found.manifest, config);
      break;
    }
    if (is_alone || lock.try_exclusive()) {
      if (!is_alone) remove_leftovers(files, config);
      if (!found.reason.empty()) log(found.level, found.reason + "; preparing the data again");
      check_files_exist(config, !vocabularies, config_file, /*known=*/{});
      std::optional<EncodedShards> shards;
      if (origin == CorpusOrigin::shards) shards.emplace(files, *inputs, config.train.size());
      write_files(files, *inputs, config, num_threads, vocabularies, shards ? &*shards : nullptr, status);
      break;
    }
    if (attempt == kAttempts) {
      throw Error(
          "{}: another process uses these files, so they cannot be rebuilt for this text and these settings; give "
          "another data.prepared, or wait until that process has ended",
          config.prepared);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  lock.wait_shared();
  return lock;
}

void encode_shard(const DataConfig& config, int num_threads, const std::optional<GivenVocabularies>& vocabularies,
                  const std::string& config_file, const ShardNumber& shard) {
  const PreparedFiles files(config.prepared);
  const std::string path = files.shard(shard.number, shard.count);
  check_files_exist(config, !vocabularies, config_file, /*known=*/{});
  make_directory(config.prepared);
  remove_leftovers_of(path);
  StatusLine status;
  const auto start = Clock::now();
  const Json inputs = inputs_json(config, vocabularies);
  const std::optional<ShardHeader> other = find_shard_header(files, inputs, config.train.size());
  const auto is_written = [&] {
    return other && std::filesystem::exists(path) && ShardReader(path).header().inputs == other->inputs;
  };
  if (is_written()) {
    log_info("{}: encoded already", path);
    return;
  }
  check_can_create(path);
  const Tokenizers tokenizers = vocabularies ? make_tokenizers(*vocabularies)
                                : other      ? shard_tokenizers(other->vocabularies)
                                             : learn_vocabulary(config, status);
  ShardWriter writer(path, {inputs, tokenizers.models()});
  const std::string activity = fmt::format("encoding shard {} of {}", shard.number, shard.count);
  log_info("{}", activity);
  status.begin(activity);
  int64_t pairs = 0;
  const auto add = [&](EncodedBlock& block) {
    writer.add(block);
    pairs += std::ssize(block);
    status.update(fmt::format("{}  {}", activity, counted(pairs, "pair")));
  };
  const std::vector<ParallelFiles> text(config.train.begin(), config.train.end());
  writer.finish(encode_text(text, tokenizers, config, num_threads, add, shard.part()));
  log_info("{}: {}  (took {})", path, counted(pairs, "pair"), human_duration(seconds_since(start)));
}

}  // namespace transformer
