#include "text/training_sentences.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "text/clean_line.h"
#include "text/letter_case.h"
#include "text/normalization.h"

namespace transformer {
namespace {

/// Divides a long text into parts that SentencePiece learns from: at blanks, or between the characters of a word that
/// is too long itself.
std::vector<std::string> divide(std::string_view text) {
  std::vector<std::string> parts;
  while (text.size() > kMaxSentenceBytes) {
    size_t end = text.rfind(' ', kMaxSentenceBytes);
    if (end == std::string_view::npos || end == 0) {
      const auto is_inside_character = [&](size_t at) { return (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80; };
      for (end = kMaxSentenceBytes; is_inside_character(end); --end) {
      }
    }
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  parts.emplace_back(text);
  return parts;
}

/// Whether SentencePiece learns from a sentence; it has a use of its own for the character U+2585.
bool is_used(const std::string& sentence) {
  return !sentence.empty() && sentence.size() <= kMaxSentenceBytes && sentence.find("\u2585") == std::string::npos;
}

/// The numbers of the sentences in SentencePiece's random sample: the reservoir algorithm with its random numbers.
class SentenceSample {
 public:
  explicit SentenceSample(int64_t max_size) : max_size_(max_size) {}

  void add_sentence() {
    const int64_t sentence = num_sentences_++;
    if (sentence < max_size_) return;
    if (sentence == max_size_) {
      chosen_.resize(static_cast<size_t>(max_size_));
      std::iota(chosen_.begin(), chosen_.end(), int64_t{0});
    }
    std::uniform_int_distribution<uint64_t> place(0, static_cast<uint64_t>(sentence));
    const uint64_t replaced = place(random_);
    if (replaced < chosen_.size()) chosen_[replaced] = sentence;
  }
  bool has_all() const { return num_sentences_ <= max_size_; }
  std::vector<int64_t> sorted() && {
    std::sort(chosen_.begin(), chosen_.end());
    return std::move(chosen_);
  }

 private:
  static constexpr uint32_t kSeed = 12345678;

  int64_t max_size_, num_sentences_ = 0;
  std::vector<int64_t> chosen_;  // empty as long as all are
  // The same sample as SentencePiece.
  std::mt19937 random_{kSeed};  // NOLINT(bugprone-random-generator-seed)
};

/// Counts the words of a sentence. Returns false if they cannot be counted for SentencePiece, which expects each word's
/// count behind a tab. `tabs_are_blanks`: whether its normalization makes them blanks.
bool add_words(std::string& sentence, bool tabs_are_blanks, WordCounts& counts) {
  if (sentence.find('\t') != std::string::npos) {
    if (!tabs_are_blanks) return false;
    std::replace(sentence.begin(), sentence.end(), '\t', ' ');
  }
  const auto add = [&](std::string_view word) {
    const auto found = counts.find(word);
    if (found == counts.end()) {
      counts.emplace(word, 1);
    } else {
      ++found->second;
    }
  };
  if (sentence.find(kSpaceMark) != std::string::npos) {  // which SentencePiece takes for a blank, but does not remove
    add(sentence);
    return true;
  }
  for (std::string_view rest = sentence; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (!word.empty()) add(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return true;
}

}  // namespace

TrainingSentences::TrainingSentences(const std::vector<std::string>& files, const VocabularyOptions& options)
    : files_(files),
      max_lines_(options.max_lines_of_file),
      capitals_every_(options.capitals > 0 ? std::llround(1 / options.capitals) : 0) {
  Next();
}

void TrainingSentences::Next() {
  if (!parts_.empty()) {
    line_ = std::move(parts_.front());
    parts_.pop_front();
    return;
  }
  if (capitals_are_next_) {
    line_ = to_upper(line_);
    capitals_are_next_ = false;
    return;
  }
  while (true) {
    if (!reader_) {
      if (next_file_ == files_.size()) {
        done_ = true;
        return;
      }
      reader_.emplace(files_[next_file_++]);
    }
    if (reader_->line_number() < max_lines_ && reader_->next(line_)) {
      ++num_lines_;
      line_ = clean_line(line_).text;
      capitals_are_next_ = capitals_every_ > 0 && num_lines_ % capitals_every_ == 0;
      if (line_.size() > kMaxSentenceBytes) divide_line();
      return;
    }
    reader_.reset();
  }
}

void TrainingSentences::divide_line() {
  if (num_divided_++ == 0) first_divided_ = fmt::format("{}:{}", files_[next_file_ - 1], reader_->line_number());
  for (const bool capitals : {false, true}) {
    if (capitals && !capitals_are_next_) continue;
    for (std::string& part : divide(capitals ? to_upper(line_) : line_)) parts_.push_back(std::move(part));
  }
  capitals_are_next_ = false;
  line_ = std::move(parts_.front());
  parts_.pop_front();
}

std::optional<WordCounts> count_words(TrainingSentences& sentences, const std::vector<std::string>& files,
                                      const VocabularyOptions& options) {
  const auto has_parts = [](const std::string& word) {
    return word.find(' ') != std::string::npos || word.find(kSpaceMark) != std::string::npos;
  };
  if (!is_normalization_rule(options.normalization)) return std::nullopt;
  if (std::any_of(options.whole_words.begin(), options.whole_words.end(), has_parts)) return std::nullopt;
  const bool tabs_are_blanks = options.normalization.starts_with("nmt_");
  WordCounts counts;
  SentenceSample sample(options.max_sentences);
  std::string sentence;
  for (; !sentences.done(); sentences.Next()) {
    if (!is_used(sentences.value())) continue;
    sample.add_sentence();
    if (!sample.has_all()) {
      counts.clear();  // a second pass counts the sample
      continue;
    }
    sentence = sentences.value();
    if (!add_words(sentence, tabs_are_blanks, counts)) return std::nullopt;
  }
  if (sample.has_all()) return counts;
  const std::vector<int64_t> chosen = std::move(sample).sorted();
  TrainingSentences again(files, options);
  int64_t number = 0;
  for (auto next = chosen.begin(); next != chosen.end() && !again.done(); again.Next()) {
    if (!is_used(again.value()) || number++ != *next) continue;
    ++next;
    sentence = again.value();
    if (!add_words(sentence, tabs_are_blanks, counts)) return std::nullopt;
  }
  return counts;
}

}  // namespace transformer
