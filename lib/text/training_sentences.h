#pragma once

#include <sentencepiece_trainer.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/line_reader.h"
#include "text/tokenizer.h"

namespace transformer {

/// SentencePiece leaves out longer lines, because it fails on very long words.
inline constexpr size_t kMaxSentenceBytes = 4192;

/// Passes the lines of several files to SentencePiece's trainer, one file after the other. Lines that are too long come
/// in parts.
class TrainingSentences : public sentencepiece::SentenceIterator {
 public:
  /// The files and `options` must outlive this object. Throws Error if a file cannot be read, as Next does.
  TrainingSentences(const std::vector<std::string>& files, const VocabularyOptions& options);

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  void Next() override;

  /// How many lines are divided because SentencePiece would leave them out, and the first as "FILE:LINE".
  int64_t num_divided() const { return num_divided_; }
  const std::string& first_divided() const { return first_divided_; }

 private:
  /// Makes the line's first part the current sentence, and the others, and all again in capitals, the next ones.
  void divide_line();

  const std::vector<std::string>& files_;
  const int64_t max_lines_;       // of each file
  const int64_t capitals_every_;  // lines; 0: never
  bool capitals_are_next_ = false;
  size_t next_file_ = 0;
  std::optional<LineReader> reader_;
  std::string line_, first_divided_;
  std::deque<std::string> parts_;  // of a long line, which come next
  int64_t num_lines_ = 0, num_divided_ = 0;
  bool done_ = false;
};

struct WordHash {
  using is_transparent = void;
  size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
};
/// How often each word occurs.
using WordCounts = std::unordered_map<std::string, int64_t, WordHash, std::equal_to<>>;

/// Counts the words of the sentences that SentencePiece would learn from, so that it divides each word once instead of
/// each time that it occurs. Nullopt if it might learn something else from words: if normalization may change the
/// blanks between them, or if a word of several parts must stay whole. Reads `sentences`, which are those of `files`.
std::optional<WordCounts> count_words(TrainingSentences& sentences, const std::vector<std::string>& files,
                                      const VocabularyOptions& options);

}  // namespace transformer
