#include <fmt/core.h>
#include <sentencepiece_trainer.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/atomic_file.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "repository.h"
#include "text/bpe_pieces.h"
#include "text/letter_case.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  bool done() const override { return next_ == lines_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return lines_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

/// The model that SentencePiece's trainer learns from whole sentences.
std::string learned_by_sentencepiece(const std::vector<std::string>& files, const VocabularyOptions& options) {
  std::vector<std::string> lines;
  const auto every = options.capitals > 0 ? static_cast<size_t>(1 / options.capitals + 0.5) : 0;
  size_t number = 0;
  for (const std::string& file : files) {
    for (const std::string& line : read_lines(file)) {
      lines.push_back(line);
      if (every > 0 && ++number % every == 0) lines.push_back(to_upper(line));
    }
  }
  std::unordered_map<std::string, std::string> arguments = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", number_text(options.character_coverage)},
      {"pad_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      {"input_sentence_size", std::to_string(options.max_sentences)},
      {"max_sentence_length", "4192"},
      {"shuffle_input_sentence", "true"},
      {"minloglevel", "3"},
      {"normalization_rule_name", options.normalization}};
  if (options.byte_fallback) arguments["byte_fallback"] = "true";
  for (const std::string& word : options.whole_words) {
    std::string& symbols = arguments["user_defined_symbols"];
    symbols += (symbols.empty() ? "" : ",") + std::string(kSpaceMark) + word;
  }
  Lines sentences(lines);
  std::string model_bytes;
  REQUIRE(sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &model_bytes).ok());
  return model_bytes;
}

/// A text with characters that normalization changes or removes, other scripts, and what the trainer treats in its own
/// way: the space mark, its mark of unknown characters, special symbols, repeated letters, tabs and long lines.
std::string strange_text() {
  const std::vector<std::string> parts = {"the",
                                          "a",
                                          "aaa",
                                          "aaaa",
                                          "banana",
                                          "ﬁne",
                                          "ＡＢＣ",
                                          "½",
                                          "1000",
                                          "12,5",
                                          "Straße",
                                          "été",
                                          "e\u0301te\u0301",
                                          "日本語",
                                          "かな",
                                          "カナー",
                                          "中文",
                                          "привет",
                                          "…",
                                          "--",
                                          "don't",
                                          "\u00A0",
                                          "\u3000",
                                          "\u200B",
                                          "x\u3000y",
                                          "<s>",
                                          "</s>",
                                          "<unk>x",
                                          "<2de>",
                                          "☃",
                                          "𝔘",
                                          "\u0953\u0954",
                                          "\u061C",
                                          "¨",
                                          "\u00AD",
                                          "",
                                          "coöp",
                                          "\U0001F600",
                                          "ааа",
                                          "\u0301x",
                                          "mm",
                                          "mmm",
                                          "xyxyxy",
                                          "İ"};
  std::mt19937 random(7);
  std::string text;
  for (int line = 0; line < 3000; ++line) {
    for (auto words = random() % 12 + 1; words > 0; --words) {
      const auto choice = random() % parts.size();
      text += parts[choice < 8 ? choice : random() % parts.size()];
      if (random() % 4 == 0) text += parts[random() % parts.size()];
      text += random() % 9 == 0 ? "  " : " ";
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("a vocabulary equals the one that SentencePiece's trainer learns from whole sentences") {
  const std::vector<std::string> files = {kRepository / "data/sample/train.en.gz",
                                          kRepository / "data/sample/train.de.gz"};
  const VocabularyOptions options =
      GENERATE(VocabularyOptions{.size = 500, .character_coverage = 1},
               VocabularyOptions{.size = 1500, .character_coverage = 0.98},
               VocabularyOptions{.size = 400, .character_coverage = 0.9995, .capitals = 0.1},
               VocabularyOptions{.size = 600, .character_coverage = 0.99, .byte_fallback = true},
               VocabularyOptions{.size = 300, .character_coverage = 1, .max_sentences = 1000});
  CHECK((Tokenizer::learn(files, options) == learned_by_sentencepiece(files, options)));
}

TEST_CASE("a vocabulary of a strange text equals the one that SentencePiece's trainer learns") {
  const TemporaryDirectory directory;
  const std::string file = directory / "text", text = strange_text();
  const std::string rule = GENERATE("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity");
  const std::string more =
      GENERATE(as<std::string>(), "", "a \u2585 b\n\u2585\n", "one \u2581two\u2581 three\n", "a\tb \t c\n");
  const VocabularyOptions options =
      GENERATE(VocabularyOptions{.size = 250, .character_coverage = 1},
               VocabularyOptions{.size = 180, .character_coverage = 0.99, .whole_words = {"<2de>", "<2"}});
  VocabularyOptions with_rule = options;
  with_rule.normalization = rule;
  write_file_atomically(file, text + more);
  CHECK((Tokenizer::learn({file}, with_rule) == learned_by_sentencepiece({file}, with_rule)));
}

TEST_CASE("a vocabulary is learned from all of a long line, divided at a blank or between two characters") {
  const TemporaryDirectory directory;
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    while (times-- > 0) all += text;
    return all;
  };
  const std::string words = repeated("one two three ", 300), characters = repeated("日本語", 600);
  const auto with_breaks = [](std::string text, const std::vector<size_t>& places) {
    for (size_t i = places.size(); i-- > 0;) text.insert(places[i], "\n");
    return text;
  };
  const std::string more = "four five six\nseven\n";
  write_file_atomically(directory / "long", words + "\n" + characters + "\n" + more);
  // 299 * 14 = 4,186 bytes end before a blank, and 4,191 bytes are 1,397 characters of three bytes.
  write_file_atomically(directory / "short",
                        with_breaks(words, {4190}) + "\n" + with_breaks(characters, {4191}) + "\n" + more);
  const double capitals = GENERATE(0.0, 0.5);
  const VocabularyOptions options{.size = 50, .character_coverage = 1, .capitals = capitals};
  const std::string learned = Tokenizer::learn({directory / "long"}, options);
  if (capitals == 0) CHECK((learned == Tokenizer::learn({directory / "short"}, options)));
  const Tokenizer tokenizer(learned, "learned");
  CHECK(tokenizer.encode("three").size() == 1);
  CHECK(tokenizer.encode("日本語").size() <= 2);
}

TEST_CASE("a vocabulary of the first lines of each file is that of files with these lines alone") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a", "one two\nthree one two three\nnever never never\n");
  write_file_atomically(directory / "b", "four\nfive four five\nnever never\n");
  write_file_atomically(directory / "a2", "one two\nthree one two three\n");
  write_file_atomically(directory / "b2", "four\nfive four five\n");
  VocabularyOptions options{.size = 24, .character_coverage = 1};
  const std::string expected = Tokenizer::learn({directory / "a2", directory / "b2"}, options);
  options.max_lines_of_file = 2;
  CHECK((Tokenizer::learn({directory / "a", directory / "b"}, options) == expected));
}

TEST_CASE("pieces are learned in the order of count, length and code points") {
  const std::vector<CountedWord> words = {{U"\u2581ab", 30}, {U"\u2581b", 20}, {U"\u2581ac", 7}, {U"c\u2585d", 90}};
  // The pairs are few, so that all are compared.
  CHECK(learn_bpe_pieces(words, 3, true) == std::vector<std::u32string>{U"\u2581a", U"\u2581ab", U"\u2581b"});
  CHECK(learn_bpe_pieces(words, 4, true)->back() == U"\u2581ac");
  CHECK_FALSE(learn_bpe_pieces(words, 5, true));  // there is no other pair
  // ab + c and a + bc have the same text and count.
  CHECK_FALSE(learn_bpe_pieces({{U"abx", 9}, {U"ybc", 9}, {U"abc", 1}, {U"zabc", 1}}, 20, true));
}

TEST_CASE("a pair of equal symbols that overlaps itself counts once or twice") {
  const std::vector<CountedWord> words = {{U"aaa", 2}, {U"bc", 3}};
  CHECK(learn_bpe_pieces(words, 1, false) == std::vector<std::u32string>{U"bc"});
  CHECK(learn_bpe_pieces(words, 1, true) == std::vector<std::u32string>{U"aa"});
}

}  // namespace transformer
