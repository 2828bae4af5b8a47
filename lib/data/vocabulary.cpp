#include "data/vocabulary.h"

#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/read_file.h"
#include "base/words.h"
#include "text/clean_line.h"

namespace transformer {
namespace {

/// The distinct words of the first lines of all files, in alphabetical order. Throws UsageError if there are too many
/// to make each a piece.
std::vector<std::string> distinct_words(const std::vector<std::string>& files, int64_t max_lines_of_file) {
  static constexpr size_t kMaxWords = 1000;
  std::set<std::string> words;
  for (const auto& file : files) {
    LineReader reader(file);
    for (std::string line; reader.line_number() < max_lines_of_file && reader.next(line);) {
      for (auto& word : split_words(clean_line(line).text)) words.insert(std::move(word));
      if (words.size() <= kMaxWords) continue;
      throw UsageError(
          "data.whole_target_words: the target text has more than {} distinct words by {}:{}; this key is meant for a "
          "parser's brackets",
          with_thousands(kMaxWords), file, reader.line_number());
    }
  }
  return {words.begin(), words.end()};
}

/// The piece without line breaks: "\n" and "\r" stand for them, and "\\" for a backslash.
std::string escaped(const std::string& piece) {
  std::string text;
  for (const char c : piece) {
    if (c == '\n' || c == '\r' || c == '\\') text += '\\';
    text += c == '\n' ? 'n' : c == '\r' ? 'r' : c;
  }
  return text;
}

void write_vocabulary_list(const std::string& path, const Tokenizer& tokenizer) {
  std::string list;
  for (TokenId id = 0; id < tokenizer.size(); ++id) list += escaped(tokenizer.piece(id)) + "\n";
  write_file_atomically(path, list);
}

}  // namespace

Tokenizers make_tokenizers(const GivenVocabularies& vocabularies) {
  return vocabularies.map([](const GivenVocabulary& given) { return Tokenizer(given.model_bytes, given.path); });
}

void log_given_vocabularies(const GivenVocabularies& vocabularies, const Tokenizers& tokenizers) {
  const auto log_use = [](const GivenVocabulary& vocabulary, const Tokenizer& tokenizer, const char* side) {
    log_info(
        "using the vocabulary of {}, {} pieces{}; data.vocabulary_size, data.character_coverage, "
        "data.vocabulary_sample, data.byte_fallback, data.whole_target_words and data.normalization have no effect",
        vocabulary.path, with_thousands(tokenizer.size()), side);
  };
  if (!tokenizers.are_shared()) log_use(vocabularies.source(), tokenizers.source(), ", for the source");
  log_use(vocabularies.target(), tokenizers.target(), tokenizers.are_shared() ? "" : ", for the target");
}

Tokenizers learn_vocabulary(const DataConfig& config, StatusLine& status, int64_t max_lines_of_file) {
  const auto start = Clock::now();
  const std::string pieces = with_thousands(config.vocabulary_size) + " pieces";
  log_info("learning {} from {} + {} files", pieces, config.train.size(), config.train.size());
  status.begin("learning " + pieces);
  std::vector<std::string> text, targets;
  std::set<std::string> whole_words;
  for (const TrainingCorpus& corpus : config.train) {
    text.push_back(corpus.source);
    targets.push_back(corpus.target);
    if (!corpus.tag.value_or("").empty()) whole_words.insert(*corpus.tag);
  }
  text.insert(text.end(), targets.begin(), targets.end());
  if (config.whole_target_words) {
    const auto words = distinct_words(targets, max_lines_of_file);
    whole_words.insert(words.begin(), words.end());
  }
  Tokenizers tokenizers(Tokenizer(Tokenizer::learn(text, {.size = config.vocabulary_size,
                                                          .character_coverage = config.character_coverage,
                                                          .whole_words = {whole_words.begin(), whole_words.end()},
                                                          .normalization = config.normalization,
                                                          .capitals = config.all_caps.value_or(0),
                                                          .max_sentences = config.vocabulary_sample,
                                                          .byte_fallback = config.byte_fallback,
                                                          .max_lines_of_file = max_lines_of_file}),
                                  "the learned vocabulary"));
  log_info("learned {}  (took {})", pieces, human_duration(seconds_since(start)));
  return tokenizers;
}

void write_vocabularies(const PreparedFiles& files, const Tokenizers& tokenizers) {
  write_vocabulary_models(files.vocabulary_models, tokenizers.models());
  write_vocabulary_list(files.vocabulary_list, tokenizers.target());
  if (tokenizers.sizes().are_shared()) {
    std::filesystem::remove(files.source_vocabulary_list);
  } else {
    write_vocabulary_list(files.source_vocabulary_list, tokenizers.source());
  }
}

Tokenizers load_tokenizers(const PreparedFiles& files) {
  return files.vocabulary_models.found().map([](const std::string& path) { return Tokenizer(read_file(path), path); });
}

}  // namespace transformer
