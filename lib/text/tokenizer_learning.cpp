#include <fmt/core.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <iomanip>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/utf8.h"
#include "text/bpe_pieces.h"
#include "text/sentencepiece_check.h"
#include "text/tokenizer.h"
#include "text/trainer_words.h"
#include "text/training_sentences.h"

namespace transformer {
namespace {

constexpr size_t kNumSymbols = 4;  // unknown, begin, end, pad

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
  const auto learned = learn_bpe_pieces(text.counted_words(characters), static_cast<size_t>(options.size) - num_others,
                                        counts_overlaps());
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
      {"max_sentence_length", std::to_string(kMaxSentenceBytes)},
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
  std::optional<TrainingSentences> sentences(std::in_place, files, options);
  std::string model_bytes;
  sentencepiece::util::Status status;
  if (const std::optional<WordCounts> words = count_words(*sentences, files, options)) {
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
                sentences->first_divided(), with_thousands(kMaxSentenceBytes),
                first_of_such_lines(sentences->num_divided()));
  }
  return is_normalization_rule(options.normalization) ? model_bytes : without_normalization_path(model_bytes);
}

}  // namespace transformer
