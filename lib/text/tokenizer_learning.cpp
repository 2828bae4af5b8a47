#include <fmt/core.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iomanip>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/utf8.h"
#include "text/bpe_pieces.h"
#include "text/clean_line.h"
#include "text/letter_case.h"
#include "text/sentencepiece_check.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

constexpr size_t kNumSymbols = 4;  // unknown, begin, end, pad

/// SentencePiece leaves out longer lines, because it fails on very long words.
constexpr size_t kMaxLineBytes = 4192;

/// Divides a long text into parts that SentencePiece learns from: at blanks, or between the characters of a word that
/// is too long itself.
std::vector<std::string> divide(std::string_view text) {
  std::vector<std::string> parts;
  while (text.size() > kMaxLineBytes) {
    size_t end = text.rfind(' ', kMaxLineBytes);
    if (end == std::string_view::npos || end == 0) {
      const auto is_inside_character = [&](size_t at) { return (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80; };
      for (end = kMaxLineBytes; is_inside_character(end); --end) {
      }
    }
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  parts.emplace_back(text);
  return parts;
}

/// Passes the lines of several files to SentencePiece, one file after the other.
class FileSentences : public sentencepiece::SentenceIterator {
 public:
  FileSentences(const std::vector<std::string>& files, const VocabularyOptions& options)
      : files_(files),
        max_lines_(options.max_lines_of_file),
        capitals_every_(options.capitals > 0 ? std::llround(1 / options.capitals) : 0) {
    Next();
  }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  /// How many lines are divided because SentencePiece would leave them out, and the first as "FILE:LINE".
  int64_t num_divided() const { return num_divided_; }
  const std::string& first_divided() const { return first_divided_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
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
        if (line_.size() > kMaxLineBytes) divide_line();
        return;
      }
      reader_.reset();
    }
  }

 private:
  /// Makes the line's first part the current sentence, and the others, and all again in capitals, the next ones.
  void divide_line() {
    if (num_divided_++ == 0) first_divided_ = fmt::format("{}:{}", files_[next_file_ - 1], reader_->line_number());
    for (const bool capitals : {false, true}) {
      if (capitals && !capitals_are_next_) continue;
      for (std::string& part : divide(capitals ? to_upper(line_) : line_)) parts_.push_back(std::move(part));
    }
    capitals_are_next_ = false;
    line_ = std::move(parts_.front());
    parts_.pop_front();
  }

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

/// Passes words to SentencePiece, each with its count.
class CountedWords : public sentencepiece::SentenceIterator {
 public:
  explicit CountedWords(const WordCounts& counts) : next_(counts.begin()), end_(counts.end()) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  void Next() override {
    done_ = next_ == end_;
    if (done_) return;
    line_ = fmt::format("{}\t{}", next_->first, next_->second);
    ++next_;
  }

 private:
  WordCounts::const_iterator next_, end_;
  std::string line_;
  bool done_ = false;
};

/// Whether SentencePiece learns from a sentence; it has a use of its own for the character U+2585.
bool is_used(const std::string& sentence) {
  return !sentence.empty() && sentence.size() <= kMaxLineBytes && sentence.find("\u2585") == std::string::npos;
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
bool count_words(std::string& sentence, bool tabs_are_blanks, WordCounts& counts) {
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

/// The words of the sentences that SentencePiece would learn from, so that it divides each word once instead of each
/// time that it occurs. Nullopt if it might learn something else from them: if normalization may change the blanks
/// between words or a word of several parts must stay whole.
std::optional<WordCounts> words_of(FileSentences& sentences, const std::vector<std::string>& files,
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
    if (!count_words(sentence, tabs_are_blanks, counts)) return std::nullopt;
  }
  if (sample.has_all()) return counts;
  const std::vector<int64_t> chosen = std::move(sample).sorted();
  FileSentences again(files, options);
  int64_t number = 0;
  for (auto next = chosen.begin(); next != chosen.end() && !again.done(); again.Next()) {
    if (!is_used(again.value()) || number++ != *next) continue;
    ++next;
    sentence = again.value();
    if (!count_words(sentence, tabs_are_blanks, counts)) return std::nullopt;
  }
  return counts;
}

using TrainerOptions = std::unordered_map<std::string, std::string>;

/// Lets SentencePiece learn from words. The options are those for sentences.
sentencepiece::util::Status train_on_words(const WordCounts& words, TrainerOptions options, int64_t max_sentences,
                                           std::string& model_bytes) {
  options["input_format"] = "tsv";
  options["input_sentence_size"] = "0";
  CountedWords sentences(words);
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &sentences, &model_bytes);
  model_bytes = as_learned_from_sentences(model_bytes, static_cast<uint64_t>(max_sentences));
  return status;
}

/// Whether this version of SentencePiece counts "aa" twice in "aaa", as it does from 0.1.99 on.
bool counts_overlaps() {
  static const bool does_count = [] {
    // The only merge makes "aa" if it has 2 * 2 occurrences, "bc" with its 3 if it has 2.
    std::string model_bytes;
    const auto status = train_on_words(
        {{"aaa", 2}, {"bc", 3}},
        {{"model_type", "bpe"}, {"vocab_size", "8"}, {"normalization_rule_name", "identity"}, {"minloglevel", "3"}}, 0,
        model_bytes);
    sentencepiece::SentencePieceProcessor processor;
    return status.ok() && processor.LoadFromSerializedProto(model_bytes).ok() &&
           !processor.IsUnknown(processor.PieceToId("aa"));
  }();
  return does_count;
}

/// Words as SentencePiece's trainer sees them.
class TrainerWords {
 public:
  /// `model_bytes` are those of a model with the special symbols and the normalization of the one to learn.
  explicit TrainerWords(const std::string& model_bytes) : symbols_(special_symbols_of(model_bytes)) {
    is_ready_ = processor_.LoadFromSerializedProto(model_bytes).ok();
    bool has_marked_symbols = false;
    for (const std::string& symbol : symbols_) {
      known_symbols_.insert(symbol);
      lengths_.insert(symbol.size());
      has_marked_symbols = has_marked_symbols || !symbol.starts_with('<');
    }
    keeps_ascii_ = !has_marked_symbols && is_ready_ && normalized(kAscii) == std::string(kSpaceMark).append(kAscii);
  }

  /// Adds a word with its count. Returns false if SentencePiece fails.
  bool add(const std::string& word, int64_t count) {
    if (keeps_ascii_ && word.find_first_not_of(kAscii) == std::string::npos) {
      std::u32string text(1, kSpaceMarkCharacter);
      counts_[text.append(word.begin(), word.end())] += count;
      return true;
    }
    const auto text = normalized(word);
    if (text) counts_[decode_utf8(with_symbols_as_tabs(*text))] += count;
    return text.has_value();
  }

  /// The characters that become pieces, the most frequent one first, by the trainer's arithmetic.
  std::vector<char32_t> required_characters(float coverage) const {
    std::unordered_map<char32_t, int64_t> counts;
    int64_t num_all = 0, num_covered = 0;
    for (const auto& [word, count] : counts_) {
      for (const char32_t c : word) counts[c] += count;
      num_all += count * std::ssize(word);
    }
    std::vector<std::pair<int64_t, char32_t>> sorted;
    for (const auto& [character, count] : counts) sorted.emplace_back(-count, character);
    std::sort(sorted.begin(), sorted.end());
    std::vector<char32_t> required;
    for (const auto& [count, character] : sorted) {
      if (static_cast<float>(static_cast<double>(num_covered) / static_cast<double>(num_all)) >= coverage) break;
      num_covered -= count;
      if (character != '\t') required.push_back(character);
    }
    return required;
  }

  /// The words, and the parts of words with blanks, each with its count.
  std::vector<CountedWord> words_of(const std::vector<char32_t>& required) const {
    const std::unordered_set<char32_t> known(required.begin(), required.end());
    std::unordered_map<std::u32string, int64_t> counts;
    for (const auto& [word, count] : counts_) {
      std::u32string text = word;
      std::replace_if(
          text.begin(), text.end(), [&](char32_t c) { return !known.contains(c); }, kUnknownCharacter);
      for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(kSpaceMarkCharacter, begin + 1), text.size());
        counts[text.substr(begin, end - begin)] += count;
        begin = end;
      }
    }
    std::vector<CountedWord> words;
    for (const auto& [characters, count] : counts) words.push_back({characters, count});
    return words;
  }

  bool is_symbol(const std::string& piece) const { return known_symbols_.contains(piece); }
  size_t num_symbols() const { return symbols_.size(); }

 private:
  /// What follows a blank in ASCII, but for the character with which the special symbols begin.
  static constexpr std::string_view kAscii =
      "!\"#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

  /// Nullopt if SentencePiece fails.
  std::optional<std::string> normalized(std::string_view word) const {
    std::vector<std::string> pieces;
    if (!is_ready_ || !processor_.Encode({word.data(), word.size()}, &pieces).ok()) return std::nullopt;
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    return text;
  }

  std::string with_symbols_as_tabs(std::string_view word) const {
    std::string text;
    while (!word.empty()) {
      const auto is_here = [&](size_t length) {
        return length <= word.size() && known_symbols_.contains(word.substr(0, length));
      };
      const bool may_begin = word[0] == '<' || word[0] == kSpaceMark[0];
      const auto length = may_begin ? std::find_if(lengths_.rbegin(), lengths_.rend(), is_here) : lengths_.rend();
      text += length == lengths_.rend() ? word[0] : '\t';
      word.remove_prefix(length == lengths_.rend() ? 1 : *length);
    }
    return text;
  }

  const std::vector<std::string> symbols_;
  std::unordered_set<std::string_view> known_symbols_;
  std::set<size_t> lengths_;
  sentencepiece::SentencePieceProcessor processor_;
  bool is_ready_ = false;
  bool keeps_ascii_ = false;  // whether words of kAscii become what they are, with a space mark in front
  std::unordered_map<std::u32string, int64_t> counts_;
};

/// Learns the model that SentencePiece would learn from the words, in a fraction of the time. Nullopt if SentencePiece
/// itself must learn it, or would report an error.
std::optional<std::string> learn_quickly(const WordCounts& words, const VocabularyOptions& options,
                                         const TrainerOptions& arguments) {
  // The smallest model has the special symbols and two pieces, the space mark and a letter.
  char letter = 'a';
  const auto begins_symbol = [&](const std::string& word) { return word.starts_with(letter); };
  while (std::any_of(options.whole_words.begin(), options.whole_words.end(), begins_symbol)) ++letter;
  if (letter > 'z') return std::nullopt;
  TrainerOptions smallest = arguments;
  const size_t num_bytes = options.byte_fallback ? 256 : 0;
  smallest["vocab_size"] = std::to_string(kNumSymbols + num_bytes + options.whole_words.size() + 2);
  std::string model_bytes;
  if (!train_on_words({{std::string(1, letter), 1}}, smallest, options.max_sentences, model_bytes).ok()) {
    return std::nullopt;
  }
  TrainerWords text(model_bytes);
  for (const auto& [word, count] : words) {
    if (word.find(kSpaceMark) != std::string::npos || !text.add(word, count)) return std::nullopt;
  }
  const auto characters = text.required_characters(static_cast<float>(options.character_coverage));
  const size_t num_others = text.num_symbols() + characters.size();
  if (static_cast<size_t>(options.size) < num_others) return std::nullopt;
  const auto learned =
      learn_bpe_pieces(text.words_of(characters), static_cast<size_t>(options.size) - num_others, counts_overlaps());
  if (!learned) return std::nullopt;
  std::vector<std::string> pieces;
  for (const std::u32string& piece : *learned) pieces.push_back(encode_utf8(piece));
  for (const char32_t character : characters) pieces.push_back(encode_utf8({&character, 1}));
  if (std::any_of(pieces.begin(), pieces.end(), [&](const auto& piece) { return text.is_symbol(piece); })) {
    return std::nullopt;
  }
  return with_pieces(model_bytes, pieces);
}

/// Rewords SentencePiece's message, such as "... Vocabulary size too high (5000). Please set it to a value <= 107."
std::string why_not_learned(const std::string& complaint, int64_t wanted) {
  static const std::string kLimit = "to a value <= ";
  const size_t limit = complaint.find(kLimit);
  if (limit != std::string::npos) {
    return fmt::format("the text gives at most {} pieces, not {}; give a smaller data.vocabulary_size or more text",
                       std::stoll(complaint.substr(limit + kLimit.size())), wanted);
  }
  if (complaint.find("smaller than required_chars") != std::string::npos) {
    // "... smaller than required_chars. 30 vs 32. ..."
    static const std::string kCounts = " vs ";
    const size_t counts = complaint.find(kCounts);
    const int64_t needed =
        counts == std::string::npos ? wanted + 1 : std::stoll(complaint.substr(counts + kCounts.size()));
    return fmt::format(
        "{} pieces are fewer than the text's characters need; give a data.vocabulary_size of at least {}, or a smaller "
        "data.character_coverage (from 0.98)",
        wanted, needed);
  }
  if (complaint.find("sentences_.empty()") != std::string::npos) {
    return "the training text has only blank lines, from which no vocabulary can be learned; give other text";
  }
  const size_t source_position = complaint.rfind("] ");  // "file.cc(123) [condition] explanation"
  return fmt::format("cannot learn {} pieces: {}", wanted,
                     source_position == std::string::npos ? complaint : complaint.substr(source_position + 2));
}

}  // namespace

std::string Tokenizer::learn(const std::vector<std::string>& files, const VocabularyOptions& options) {
  const SpecialTokens special;
  TrainerOptions arguments = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", number_text(options.character_coverage)},
      {"pad_id", std::to_string(special.pad)},
      {"unk_id", std::to_string(special.unknown)},
      {"bos_id", std::to_string(special.begin)},
      {"eos_id", std::to_string(special.end)},
      {"input_sentence_size", std::to_string(options.max_sentences)},
      {"max_sentence_length", std::to_string(kMaxLineBytes)},
      {"shuffle_input_sentence", "true"},
      {"minloglevel", "3"},
  };
  if (options.byte_fallback) arguments["byte_fallback"] = "true";
  std::ostringstream symbols;  // a line of CSV, in which a quotation mark within quotation marks is doubled
  for (const auto& word : options.whole_words) {
    if (symbols.tellp() > 0) symbols << ',';
    symbols << std::quoted(std::string(kSpaceMark) + word, '"', '"');
  }
  if (!options.whole_words.empty()) arguments["user_defined_symbols"] = symbols.str();
  if (is_normalization_rule(options.normalization)) {
    arguments["normalization_rule_name"] = options.normalization;
  } else {
    check_normalization_rules(options.normalization);
    arguments["normalization_rule_tsv"] = options.normalization;
  }
  sentencepiece::SetRandomGeneratorSeed(1);
  std::optional<FileSentences> sentences(std::in_place, files, options);
  std::string model_bytes;
  sentencepiece::util::Status status;
  if (const std::optional<WordCounts> words = words_of(*sentences, files, options)) {
    if (std::optional<std::string> learned = learn_quickly(*words, options, arguments)) {
      model_bytes = std::move(*learned);
    } else {
      status = train_on_words(*words, arguments, options.max_sentences, model_bytes);
    }
  } else {
    sentences.emplace(files, options);
    status = sentencepiece::SentencePieceTrainer::Train(arguments, &*sentences, &model_bytes);
  }
  if (!status.ok()) throw Error("data.vocabulary_size: {}", why_not_learned(status.message(), options.size));
  if (sentences->num_divided() > 0) {
    log_warning("{}: longer than {} bytes, {}; the vocabulary was learned from parts of such lines",
                sentences->first_divided(), with_thousands(kMaxLineBytes),
                first_of_such_lines(sentences->num_divided()));
  }
  return is_normalization_rule(options.normalization) ? model_bytes : without_normalization_path(model_bytes);
}

}  // namespace transformer
