#include "data/prepare.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>
#include <vector>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/clock.h"
#include "base/directory_lock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/read_file.h"
#include "base/status_line.h"
#include "base/temporary_file.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "base/words.h"
#include "data/clean_line.h"
#include "data/corpus.h"
#include "data/epoch_order.h"
#include "data/line_pairs.h"
#include "data/manifest.h"
#include "data/pair_filter.h"
#include "data/text_check.h"
#include "data/tokenizer.h"

namespace transformer {
namespace {

constexpr int kFormatVersion = 4;

/// The distinct words of all files, in alphabetical order. Throws UsageError if there are too many to make each a
/// piece.
std::vector<std::string> distinct_words(const std::vector<std::string>& files) {
  static constexpr size_t kMaxWords = 1000;
  std::set<std::string> words;
  for (const auto& file : files) {
    LineReader reader(file);
    for (std::string line; reader.next(line);) {
      for (auto& word : split_words(clean_line(line).text)) words.insert(std::move(word));
      if (words.size() <= kMaxWords) continue;
      throw UsageError(
          "data.whole_target_words: {} has more than {} distinct words; this key is meant for a parser's brackets",
          file, kMaxWords);
    }
  }
  return {words.begin(), words.end()};
}

std::vector<ParallelFiles> validation_sets(const DataConfig& config) {
  std::vector<ParallelFiles> sets;
  for (size_t i = 0; i < config.valid.source.size(); ++i) {
    sets.push_back({{config.valid.source[i]}, {config.valid.target[i]}});
  }
  return sets;
}

/// The name of a validation set's part of the manifest.
std::string manifest_key(size_t set) { return set == 0 ? "valid" : fmt::format("valid-{}", set + 1); }

/// Checks a text, and its sides against the training text. Returns the number of pairs.
int64_t checked_pairs(const ParallelFiles& text, const ParallelFiles& training_text) {
  const TextCheck check = check_text(text);
  for (const auto& warning : check.warnings) log_warning("{}", warning);
  for (const auto& warning : warnings_of_swapped_sides(text, training_text)) log_warning("{}", warning);
  return check.num_pairs;
}

/// Shows which side is which.
void log_first_pair(const ParallelFiles& text) {
  static constexpr size_t kWidth = 100;
  const auto block = LinePairReader(text.source, text.target).next(1);
  const auto shown = [](const std::string& line) { return cut_to_width(clean_line(line).text, kWidth); };
  for (const LinePair& pair : block) {
    log_info("the first pair:\n    source {}\n    target {}", shown(pair.source), shown(pair.target));
  }
}

struct EncodedPair {
  std::vector<int32_t> source, target;
};

std::vector<EncodedPair> encode_in_parallel(const Tokenizers& tokenizers, const std::vector<LinePair>& block,
                                            int num_threads) {
  std::vector<EncodedPair> encoded(block.size());
  const auto encode_share = [&](size_t first) {
    for (size_t i = first; i < block.size(); i += static_cast<size_t>(num_threads)) {
      encoded[i] = {tokenizers.source().encode(clean_line(block[i].source).text),
                    tokenizers.target().encode(clean_line(block[i].target).text)};
    }
  };
  std::vector<std::future<void>> shares;
  for (int t = 1; t < num_threads; ++t) {
    shares.push_back(std::async(std::launch::async, encode_share, static_cast<size_t>(t)));
  }
  encode_share(0);
  for (auto& share : shares) share.get();  // rethrows an error of the thread
  return encoded;
}

void write_vocabulary_list(const std::string& path, const Tokenizer& tokenizer) {
  std::string list;
  for (int64_t id = 0; id < tokenizer.size(); ++id) list += tokenizer.piece(id) + "\n";
  write_file_atomically(path, list);
}

void write_vocabularies(const PreparedFiles& files, const Tokenizers& tokenizers) {
  write_file_atomically(files.vocabulary_model, tokenizers.target().model_bytes());
  write_vocabulary_list(files.vocabulary_list, tokenizers.target());
  if (tokenizers.are_shared()) {
    std::filesystem::remove(files.source_vocabulary_model);
    std::filesystem::remove(files.source_vocabulary_list);
  } else {
    write_file_atomically(files.source_vocabulary_model, tokenizers.source().model_bytes());
    write_vocabulary_list(files.source_vocabulary_list, tokenizers.source());
  }
}

/// Learns a shared vocabulary and writes its files.
Tokenizers learn_vocabulary(const PreparedFiles& files, const DataConfig& config, StatusLine& status) {
  const auto start = Clock::now();
  const std::string pieces = with_thousands(config.vocabulary_size) + " pieces";
  log_info("learning {} from {} + {} files", pieces, config.train.source.size(), config.train.target.size());
  status.begin("learning " + pieces);
  auto text = config.train.source;
  text.insert(text.end(), config.train.target.begin(), config.train.target.end());
  std::set<std::string> whole_words(config.train.tag.begin(), config.train.tag.end());
  whole_words.erase("");  // no tag
  if (config.whole_target_words) {
    const auto words = distinct_words(config.train.target);
    whole_words.insert(words.begin(), words.end());
  }
  Tokenizers tokenizers(Tokenizer(
      Tokenizer::learn(text,
                       {config.vocabulary_size, config.character_coverage, {whole_words.begin(), whole_words.end()}}),
      files.vocabulary_model));
  write_vocabularies(files, tokenizers);
  log_info("learned {}  (took {})", pieces, human_duration(seconds_since(start)));
  return tokenizers;
}

/// Takes over vocabularies and writes their files.
Tokenizers take_vocabularies(const PreparedFiles& files, const GivenVocabularies& vocabularies) {
  const auto take = [](const GivenVocabulary& vocabulary, const char* side) {
    Tokenizer tokenizer(vocabulary.model_bytes, vocabulary.path);
    log_info(
        "using the vocabulary of {}, {} pieces{}; data.vocabulary_size, data.character_coverage and "
        "data.whole_target_words have no effect",
        vocabulary.path, with_thousands(tokenizer.size()), side);
    return tokenizer;
  };
  const bool shared = vocabularies.are_shared();
  std::optional<Tokenizer> source;
  if (!shared) source.emplace(take(vocabularies.source, ", for the source"));
  Tokenizers tokenizers(take(vocabularies.target, shared ? "" : ", for the target"), std::move(source));
  write_vocabularies(files, tokenizers);
  return tokenizers;
}

/// The pieces of the tags of `data.train.tag`, for each pair of files.
std::vector<std::vector<int32_t>> encode_tags(const TrainingText& text, const Tokenizer& tokenizer) {
  std::vector<std::vector<int32_t>> encoded;
  for (const std::string& tag : text.tag) {
    encoded.push_back(tokenizer.encode(tag));
    if (std::find(encoded.back().begin(), encoded.back().end(), kUnknown) == encoded.back().end()) continue;
    throw UsageError("data.train.tag: '{}' has a character that the vocabulary lacks; give another tag", tag);
  }
  return encoded;
}

/// Warns if the vocabulary was hardly made for this text.
void check_unknown_pieces(const std::string& what, int64_t unknown, int64_t pieces) {
  static constexpr int64_t kTolerated = 100;  // one in so many pieces
  if (kTolerated * unknown <= pieces) return;
  log_warning("{}: {:.1f} % of its pieces are unknown to the vocabulary; learn one from this text, or use another one",
              what, 100 * static_cast<double>(unknown) / static_cast<double>(pieces));
}

/// Encodes a corpus into the file at `path`, with the pieces of a tag before the source sides of each pair of files, or
/// without tags. Returns what the manifest says about it.
Json write_corpus(const std::string& path, const std::string& what, int64_t num_lines, const ParallelFiles& text,
                  const std::vector<std::vector<int32_t>>& tags, const Tokenizers& tokenizers, const DataConfig& config,
                  int num_threads, StatusLine& status) {
  static constexpr size_t kBlock = 20000;
  int64_t done = 0, pairs = 0, source_pieces = 0, target_pieces = 0, unknown = 0;
  std::vector<int64_t> pairs_of_files(text.source.size());
  const auto start = Clock::now();
  const std::string activity = "encoding the " + what;
  log_info("{}, {}", activity, counted(num_lines, "pair"));
  status.begin(activity);
  PairFilter filter(config);
  LinePairReader reader(text.source, text.target);
  CorpusWriter writer(path, tokenizers.sizes());
  for (auto block = reader.next(kBlock); !block.empty(); block = reader.next(kBlock)) {
    auto encoded = encode_in_parallel(tokenizers, block, num_threads);
    for (size_t i = 0; i < block.size(); ++i) {
      auto& [source, target] = encoded[i];
      if (!tags.empty() && !source.empty()) {
        source.insert(source.begin(), tags[block[i].file].begin(), tags[block[i].file].end());
      }
      if (!filter.keep(source.size(), target.size(), text.source[block[i].file], block[i].line_of_file)) continue;
      writer.add({source, target, block[i].line});
      ++pairs;
      ++pairs_of_files[block[i].file];
      source_pieces += std::ssize(source);
      target_pieces += std::ssize(target);
      unknown +=
          std::count(source.begin(), source.end(), kUnknown) + std::count(target.begin(), target.end(), kUnknown);
    }
    done += std::ssize(block);
    status.update(progress_text(activity, "pairs", done, num_lines, seconds_since(start)));
  }
  filter.check(what, num_lines);
  check_unknown_pieces(what, unknown, source_pieces + target_pieces);
  writer.finish();
  log_info("{}: {}, {} + {} pieces; {}  (took {})", what, counted(pairs, "pair"), with_thousands(source_pieces),
           with_thousands(target_pieces), filter.summary(), human_duration(seconds_since(start)));
  return {{"lines", num_lines},
          {"pairs", pairs},
          {"pairs_of_files", pairs_of_files},
          {"source_tokens", source_pieces},
          {"target_tokens", target_pieces},
          {"dropped", filter.counts()},
          {"dropped_examples", filter.examples()}};
}

/// A text's path, and the size and checksum of its file.
Json file_json(const std::string& path) {
  const std::string file = TextPath(path).file;
  return {{"path", replace_invalid_utf8(path)},
          {"bytes", std::filesystem::file_size(file)},
          {"crc32", crc32_of_file(file)}};
}

/// The prepared files with size and checksum.
Json outputs_json(const PreparedFiles& files, const DataConfig& config) {
  Json outputs = Json::array();
  std::vector<std::string> paths = {files.vocabulary_model, files.train};
  for (size_t set = 0; set < config.valid.source.size(); ++set) paths.push_back(files.valid(set));
  if (std::filesystem::exists(files.source_vocabulary_model)) paths.push_back(files.source_vocabulary_model);
  for (const auto& path : paths) {
    if (!std::filesystem::is_regular_file(path)) throw DamagedFile("{}: is missing", path);
    Json file = file_json(path);
    file["path"] = std::filesystem::path(path).filename().string();  // so that the directory can be moved
    outputs.push_back(file);
  }
  return outputs;
}

/// What the prepared files are made from: equal values mean equal prepared files.
Json inputs_json(const DataConfig& config, const std::optional<GivenVocabularies>& vocabularies) {
  Json inputs = {{"format_version", kFormatVersion}};
  const auto model_json = [](const std::string& bytes) -> Json {
    return {{"bytes", bytes.size()}, {"crc32", crc32_of(bytes)}};
  };
  if (vocabularies) {
    inputs["vocabulary"] = model_json(vocabularies->target.model_bytes);
    if (!vocabularies->are_shared()) inputs["source_vocabulary"] = model_json(vocabularies->source.model_bytes);
  } else {
    inputs["vocabulary_size"] = config.vocabulary_size;
    inputs["character_coverage"] = config.character_coverage;
    if (config.whole_target_words) inputs["whole_target_words"] = true;
  }
  inputs["max_length"] = config.max_length;
  inputs["max_length_ratio"] = config.max_length_ratio.value_or(0);
  if (!config.train.tag.empty()) inputs["tags"] = config.train.tag;
  Json& files = inputs["files"] = Json::array();
  const auto add = [&](const std::string& path) { files.push_back(file_json(path)); };
  for (const auto& path : config.train.source) add(path);
  for (const auto& path : config.train.target) add(path);
  for (const ParallelFiles& set : validation_sets(config)) {
    add(set.source.front());
    add(set.target.front());
  }
  return inputs;
}

/// Whether the directory already holds undamaged files made from these inputs.
bool is_up_to_date(const PreparedFiles& files, const Json& inputs, const DataConfig& config) {
  if (!std::filesystem::exists(files.manifest)) return false;
  try {
    const Manifest manifest = read_manifest(files.manifest);
    if (manifest.inputs != nlohmann::json(inputs)) return false;
    if (!config.train.weight.empty() && manifest.pairs_of_files.empty()) return false;
    const auto found = nlohmann::json(outputs_json(files, config));
    // The same files may be divided differently into training and validation text.
    if (found.size() != manifest.outputs.size()) return false;
    for (size_t i = 0; i < found.size(); ++i) {
      if (manifest.outputs[i] == found[i]) continue;
      throw DamagedFile("{}: {} is not as it was written (size or checksum)", config.prepared,
                        found[i].at("path").get<std::string>());
    }
    return true;
  } catch (const Error& damage) {
    log_warning("{}; made anew", damage.what());
    return false;
  }
}

/// The nearest directory, from that of the config file upwards, in which the relative path names a file; empty if there
/// is none.
std::string directory_with(const std::string& path, const std::string& config_file) {
  if (config_file.empty() || std::filesystem::path(path).is_absolute()) return "";
  for (auto directory = std::filesystem::absolute(config_file).lexically_normal().parent_path();;
       directory = directory.parent_path()) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(directory / path, unknown)) return directory.string();
    if (directory == directory.parent_path()) return "";
  }
}

[[noreturn]] void throw_missing(const char* key, const std::string& path, const std::string& config_file) {
  const std::string here = std::filesystem::current_path().string(), there = directory_with(path, config_file);
  if (there.empty())
    throw Error("{}: {}: there is no such file (looked for it from {}); check the path", key, path, here);
  throw Error(
      "{}: {}: there is no such file (looked for it from {}), but {} exists; paths are relative to the directory in "
      "which the program runs: run it in {}, or give the whole path",
      key, path, here, (std::filesystem::path(there) / path).string(), there);
}

void check_files_exist(const DataConfig& config, const std::string& config_file) {
  if (config.train.source.empty()) {
    throw UsageError("data.train.source: names no file; give it in the config or with --set data.train.source=FILE");
  }
  const auto check = [&](const char* key, const std::string& path) {
    const std::string file = TextPath(path).file;
    if (!std::filesystem::is_regular_file(file)) throw_missing(key, file, config_file);
  };
  for (const auto& path : config.train.source) check("data.train.source", path);
  for (const auto& path : config.train.target) check("data.train.target", path);
  for (const auto& path : config.valid.source) check("data.valid.source", path);
  for (const auto& path : config.valid.target) check("data.valid.target", path);
}

/// Makes all prepared files anew. The manifest is written last and removed first, so that its existence means that the
/// other files are complete.
void write_files(const PreparedFiles& files, const Json& inputs, const DataConfig& config, int num_threads,
                 const std::optional<GivenVocabularies>& vocabularies, StatusLine& status) {
  const std::vector<ParallelFiles> valid = validation_sets(config);
  const int64_t train_pairs = checked_pairs(config.train, config.train);
  std::vector<int64_t> valid_pairs;
  for (const ParallelFiles& set : valid) valid_pairs.push_back(checked_pairs(set, config.train));
  log_first_pair(config.train);
  remove_leftovers(config.prepared);
  std::filesystem::remove(files.manifest);

  const Tokenizers tokenizers =
      vocabularies ? take_vocabularies(files, *vocabularies) : learn_vocabulary(files, config, status);
  const Json train =
      write_corpus(files.train, "training corpus", train_pairs, config.train,
                   encode_tags(config.train, tokenizers.source()), tokenizers, config, num_threads, status);
  Json manifest = {{"inputs", inputs}, {"outputs", Json::array()}, {"train", train}, {manifest_key(0), nullptr}};
  for (size_t set = 0; set < valid.size(); ++set) {
    const std::string& name = config.valid.name.empty() ? "" : config.valid.name[set];
    manifest[manifest_key(set)] =
        write_corpus(files.valid(set), name.empty() ? "validation corpus" : "validation corpus " + name,
                     valid_pairs[set], valid[set], /*tags=*/{}, tokenizers, config, num_threads, status);
  }
  manifest["outputs"] = outputs_json(files, config);
  write_file_atomically(files.manifest, json_text(manifest, 1) + "\n");
}

}  // namespace

PreparedFiles::PreparedFiles(const std::string& prepared)
    : directory(prepared),
      vocabulary_model(directory + "/vocabulary.model"),
      vocabulary_list(directory + "/vocabulary.vocab"),
      source_vocabulary_model(directory + "/source_vocabulary.model"),
      source_vocabulary_list(directory + "/source_vocabulary.vocab"),
      train(directory + "/train.bin"),
      manifest(directory + "/manifest.json") {}

std::string PreparedFiles::valid(size_t set) const { return directory + "/" + manifest_key(set) + ".bin"; }

DirectoryLock prepare(const DataConfig& config, int num_threads, const std::optional<GivenVocabularies>& vocabularies,
                      const std::string& config_file) {
  check_files_exist(config, config_file);
  make_directory(config.prepared);
  StatusLine status;
  status.begin("checking the prepared data");
  // Of several processes, the first one prepares the data. The others wait for it and use what it has made.
  DirectoryLock lock(config.prepared);
  if (!lock.try_exclusive()) lock.wait_shared();
  const PreparedFiles files(config.prepared);
  const Json inputs = inputs_json(config, vocabularies);
  if (is_up_to_date(files, inputs, config)) {
    log_info("{}: prepared already, inputs unchanged", config.prepared);
  } else if (lock.try_exclusive()) {
    write_files(files, inputs, config, num_threads, vocabularies, status);
  } else {
    throw Error(
        "{}: another process uses these files, so they cannot be made anew for this text and these settings; give "
        "another data.prepared, or wait until that process has ended",
        config.prepared);
  }
  lock.wait_shared();
  return lock;
}

Tokenizers load_tokenizers(const PreparedFiles& files) {
  const auto load = [](const std::string& path) { return Tokenizer(read_file(path), path); };
  std::optional<Tokenizer> source;
  if (std::filesystem::exists(files.source_vocabulary_model)) source.emplace(load(files.source_vocabulary_model));
  return Tokenizers(load(files.vocabulary_model), std::move(source));
}

std::vector<CorpusPart> training_parts(const DataConfig& config) {
  if (config.train.weight.empty()) return {};
  const auto sizes = read_manifest(PreparedFiles(config.prepared).manifest).pairs_of_files;
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
