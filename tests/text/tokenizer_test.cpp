#include "text/tokenizer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <future>
#include <random>
#include <set>
#include <string>
#include <unordered_map>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "text/sentencepiece_check.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

const std::string kText =
    "the cat sat on the mat\nthe dog sat on the cat\nein Hund saß auf der Matte\ndie Katze saß auf dem Hund\n";

using TrainerOptions = std::unordered_map<std::string, std::string>;

/// A vocabulary that SentencePiece's own trainer learns from kText with these options. The names of files are options
/// of their own, not a part of a command line, so that they may have spaces.
Tokenizer train_with_sentencepiece(TrainerOptions options) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", kText);
  options.insert({{"input", directory / "text"}, {"model_prefix", directory / "m"}, {"minloglevel", "3"}});
  REQUIRE(sentencepiece::SentencePieceTrainer::Train(options).ok());
  return {read_file(directory / "m.model"), "m.model"};
}

}  // namespace

TEST_CASE("tokenizer decodes the pieces of a text to the same text") {
  const Tokenizer tokenizer = tokenizer_of(kText, 50);
  CHECK(tokenizer.size() == 50);
  const auto pieces = tokenizer.encode("the dog saß");
  CHECK(!pieces.empty());
  const SpecialTokens& special = tokenizer.special_tokens();
  CHECK(special == SpecialTokens());
  std::vector<TokenId> ids = {special.begin};
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  ids.push_back(special.end);
  ids.push_back(special.pad);
  CHECK(tokenizer.decode(ids) == "the dog saß");
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.encode("   ").empty());
  CHECK(tokenizer.decode({}).empty());
}

TEST_CASE("tokenizer renumbers a vocabulary that has its symbols elsewhere, or not all of them") {
  const Tokenizer own = tokenizer_of(kText, 50);
  // SentencePiece's defaults: unknown 0, begin 1, end 2, no pad symbol. Then, as in T5: pad 0, end 1, unknown 2, no
  // begin.
  const auto [options, size] = GENERATE(table<TrainerOptions, int64_t>(
      {{{{"model_type", "bpe"}, {"vocab_size", "50"}}, 51},
       {{{"vocab_size", "30"}, {"pad_id", "0"}, {"eos_id", "1"}, {"unk_id", "2"}, {"bos_id", "-1"}}, 31}}));
  const Tokenizer tokenizer = train_with_sentencepiece(options);
  CHECK(tokenizer.size() == size);
  const auto pieces = tokenizer.encode("the dog saß q");
  const SpecialTokens& special = tokenizer.special_tokens();
  CHECK(special == SpecialTokens());
  std::vector<TokenId> ids = pieces;
  for (const TokenId id : ids) CHECK((id == special.unknown || id > special.end));
  CHECK(std::count(ids.begin(), ids.end(), special.unknown) == 1);
  ids.push_back(special.end);
  CHECK(tokenizer.decode(ids) == "the dog saß  ⁇ ");
  CHECK(tokenizer.piece(special.pad) == "<pad>");
  CHECK(tokenizer.piece(special.unknown) == "<unk>");
  CHECK(tokenizer.piece(special.begin) == "<s>");
  CHECK(tokenizer.piece(special.end) == "</s>");
  std::set<std::string> names;
  for (TokenId id = 0; id < size; ++id) names.insert(tokenizer.piece(id));
  CHECK(std::ssize(names) == size);
  CHECK_THROWS_WITH(train_with_sentencepiece({{"model_type", "bpe"}, {"vocab_size", "50"}, {"eos_id", "-1"}}),
                    Catch::Contains("m.model: this vocabulary has no end symbol"));
}

TEST_CASE("tokenizer names the option that made the end symbol text") {
  CHECK_THROWS_WITH(
      train_with_sentencepiece({{"model_type", "bpe"}, {"vocab_size", "50"}, {"user_defined_symbols", "<num>,</s>"}}),
      "m.model: </s> is a piece of text in this vocabulary and not its end symbol, with which translations end; train "
      "SentencePiece without </s> in --user_defined_symbols");
}

TEST_CASE("only BPE and unigram vocabularies have several segmentations") {
  const auto can_sample = [](const std::string& type) {
    return train_with_sentencepiece({{"model_type", type}, {"vocab_size", "30"}, {"hard_vocab_limit", "false"}})
        .can_sample();
  };
  CHECK(can_sample("unigram"));
  CHECK_FALSE(can_sample("char"));
  CHECK_FALSE(can_sample("word"));
  CHECK(tokenizer_of(kText, 50).can_sample());
}

TEST_CASE("tokenizer learns capitals of text in lower case if it is told to") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "the cat sat on the mat\n";
  write_file_atomically(directory / "text", text);
  const auto count_unknown = [&](double capitals) {
    const Tokenizer tokenizer(
        Tokenizer::learn({directory / "text"}, {.size = 35, .character_coverage = 1.0, .capitals = capitals}), "v");
    const auto pieces = tokenizer.encode("THE CAT");
    return std::count(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown);
  };
  CHECK(count_unknown(0) == 2);
  CHECK(count_unknown(0.05) == 0);
}

TEST_CASE("tokenizer decodes any pieces to one line") {
  const Tokenizer tokenizer =
      train_with_sentencepiece({{"model_type", "bpe"}, {"vocab_size", "300"}, {"byte_fallback", "true"}});
  const auto ids_of = [&](const std::vector<std::string>& pieces) {
    std::vector<TokenId> ids;
    for (const auto& piece : pieces) {
      for (TokenId id = 0; id < tokenizer.size(); ++id) {
        if (tokenizer.piece(id) == piece) ids.push_back(id);
      }
    }
    REQUIRE(ids.size() == pieces.size());
    return ids;
  };
  CHECK(tokenizer.decode(ids_of({"a", "<0x0A>", "a", "<0x0D>", "a", "<0x09>", "a", "<0x00>", "a"})) == "a a a a a");
}

TEST_CASE("the texts of pieces, one after another, are the text of all of them") {
  const auto options = GENERATE(
      values<TrainerOptions>({{{"model_type", "bpe"}, {"vocab_size", "300"}, {"byte_fallback", "true"}},
                              {{"model_type", "unigram"}, {"vocab_size", "40"}, {"hard_vocab_limit", "false"}},
                              {{"model_type", "bpe"}, {"vocab_size", "40"}, {"treat_whitespace_as_suffix", "true"}}}));
  const Tokenizer tokenizer = train_with_sentencepiece(options);
  std::vector<std::string> lines = {"the cat saß", "dog auf  dem Hund"};
  if (options.contains("byte_fallback")) lines.push_back("the \U0001F642 cat");
  const auto without_outer_spaces = [](std::string text) {
    text.erase(0, text.find_first_not_of(' '));
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
  };
  for (const std::string& line : lines) {
    std::string text;
    const auto pieces = tokenizer.encode(line);
    for (const TokenId id : pieces) text += tokenizer.text_of(id);
    CHECK(without_outer_spaces(text) == without_outer_spaces(tokenizer.decode(pieces)));
  }
  CHECK(tokenizer.text_of(tokenizer.special_tokens().end).empty());
}

TEST_CASE("tokenizer learns the same pieces every time, from several files or from one") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "all", kText);
  write_file_atomically(directory / "a", kText.substr(0, kText.find("ein")));
  write_file_atomically(directory / "b", kText.substr(kText.find("ein")));
  const Tokenizer one(Tokenizer::learn({directory / "all"}, {50, 1.0}), "v");
  const Tokenizer two(Tokenizer::learn({directory / "a", directory / "b"}, {50, 1.0}), "v");
  for (TokenId id = 0; id < 50; ++id) CHECK(one.piece(id) == two.piece(id));
}

TEST_CASE("tokenizer reports that a text is too short for the vocabulary") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", kText);
  CHECK_THROWS_WITH(Tokenizer::learn({directory / "text"}, {.size = 5000, .character_coverage = 1.0}),
                    Catch::Contains("data.vocabulary_size") && Catch::Contains("5000") &&
                        Catch::Contains("smaller data.vocabulary_size"));
  CHECK_THROWS_WITH(Tokenizer::learn({directory / "text"}, {.size = 10, .character_coverage = 1.0}),
                    Catch::Contains("data.vocabulary_size of at least ") && !Catch::Contains("at least 10,") &&
                        !Catch::Contains("at least 11,"));
  std::string line;
  while (line.size() < 5000) line += "one two three ";
  write_file_atomically(directory / "long", line + "\n" + line + "\n");
  CHECK_NOTHROW(Tokenizer::learn({directory / "long"}, {.size = 20, .character_coverage = 1.0}));
  CHECK_THROWS_WITH(Tokenizer("nonsense", "v.model"),
                    "v.model: not a SentencePiece model, or a damaged one; restore the file or give another one");
}

TEST_CASE("tokenizer leaves out the rarest characters if the vocabulary need not cover all of them") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "the cat sat on the mat\n";
  write_file_atomically(directory / "text", text + "q\n");
  const auto count_unknown = [&](double character_coverage) {
    const Tokenizer tokenizer(Tokenizer::learn({directory / "text"}, {20, character_coverage}), "v");
    const auto pieces = tokenizer.encode("q");
    return std::count(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown);
  };
  CHECK(count_unknown(1.0) == 0);
  CHECK(count_unknown(0.98) == 1);
}

TEST_CASE("tokenizer refuses a model for which SentencePiece throws an exception") {
  const auto with_size = [](const std::string& bytes) { return static_cast<char>(bytes.size()) + bytes; };
  const auto piece = [&](const std::string& text, char type) {
    return "\x0A" + with_size("\x0A" + with_size(text) + "\x18" + type);
  };
  static constexpr char kNormal = 1, kUnknownPiece = 2;
  const std::string model = piece("<unk>", kUnknownPiece) + piece(std::string("\0a", 2), kNormal);
  CHECK_THROWS_WITH(Tokenizer(model, "v.model"), Catch::Contains("v.model: not a SentencePiece model"));
}

TEST_CASE("words that become whole pieces may have commas and quotation marks") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "ba be bi\nbo bu ab\n";
  write_file_atomically(directory / "text", text);
  const std::vector<std::string> words = {"ok", ",", ")", "a,b", "say\"it\""};
  const Tokenizer tokenizer(
      Tokenizer::learn({directory / "text"}, {.size = 30, .character_coverage = 1.0, .whole_words = words}), "v");
  for (const std::string& word : words) {
    INFO(word);
    const auto pieces = tokenizer.encode(word);
    REQUIRE(pieces.size() == 1);
    CHECK(tokenizer.piece(pieces[0]) == std::string(kSpaceMark) + word);
  }
}

TEST_CASE("tokenizer divides a line as SentencePiece does, however often it has divided its words before") {
  const auto options = GENERATE(
      TrainerOptions{}, TrainerOptions{{"byte_fallback", "true"}, {"vocab_size", "320"}},
      TrainerOptions{{"add_dummy_prefix", "false"}}, TrainerOptions{{"remove_extra_whitespaces", "false"}},
      TrainerOptions{{"treat_whitespace_as_suffix", "true"}}, TrainerOptions{{"split_by_whitespace", "false"}},
      TrainerOptions{{"user_defined_symbols", "<num>,the cat,\u2581dog,a\u2581s"}},
      TrainerOptions{{"user_defined_symbols", "<num>,\u2581dog,at"}}, TrainerOptions{{"model_type", "unigram"}},
      TrainerOptions{{"model_type", "char"}}, TrainerOptions{{"normalization_rule_name", "identity"}},
      TrainerOptions{{"normalization_rule_name", "nfkc_cf"}},
      TrainerOptions{{"allow_whitespace_only_pieces", "true"}, {"remove_extra_whitespaces", "false"}});
  TrainerOptions all = options;
  all.insert({{"model_type", "bpe"}, {"vocab_size", "55"}, {"hard_vocab_limit", "false"}});
  const Tokenizer tokenizer = train_with_sentencepiece(all);
  const std::vector<std::string> words = {
      "the",   "cat",    "dog",      "saß",    "Hund",    "q",       "qq",      "☃",       "x☃",     "☃q",
      "<num>", "a<num>", "</s>",     "\u2581", "a\u2581", "\u3000",  "\u3000a", "b\u3000", "\u200B", "\u200B\u3000",
      "½",     "¨",      "¨a",       "a¨",     "ﬁ",       "e\u0301", "\u0301",  "\t",      "a\tb",   "\x01",
      "THE",   "\xFF",   "\xE2",     "\uFFFD", "thecat",  "ats",     "",        " ",       "日本語", "\u00A0",
      "<unk>", "<0x41>", "a\u2581s", "the cat"};
  std::mt19937 random(3);
  for (int i = 0; i < 4000; ++i) {
    std::string line;
    for (auto n = random() % 8; n > 0; --n) line += words[random() % words.size()] + (random() % 5 == 0 ? "" : " ");
    const std::vector<TokenId> ids = tokenizer.encode(line);
    const std::vector<std::string> pieces = tokenizer.encode_as_pieces(line);  // by SentencePiece alone
    INFO(line);
    REQUIRE(ids.size() == pieces.size());
    for (size_t k = 0; k < ids.size(); ++k) {
      REQUIRE((tokenizer.piece(ids[k]) == pieces[k] || ids[k] == tokenizer.special_tokens().unknown));
    }
  }
}

TEST_CASE("a normalization rule with a blank may join words") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "rules.tsv", "61 20 62\t63\n");  // "a b" becomes "c"
  const Tokenizer tokenizer = train_with_sentencepiece(
      {{"model_type", "bpe"}, {"vocab_size", "50"}, {"normalization_rule_tsv", directory / "rules.tsv"}});
  CHECK_FALSE(divides_words_alone(tokenizer.model_bytes()));
  CHECK(tokenizer.encode("a b") == tokenizer.encode("c"));
  CHECK(divides_words_alone(tokenizer_of(kText, 50).model_bytes()));
}

TEST_CASE("several threads divide the same words") {
  const Tokenizer tokenizer = tokenizer_of(kText, 50), other = tokenizer_of(kText, 50);
  std::vector<std::string> words;
  for (int i = 0; i < 3000; ++i) words.push_back("the" + std::to_string(i * i));
  std::vector<std::future<bool>> threads;
  for (int t = 0; t < 4; ++t) {
    threads.push_back(std::async(std::launch::async, [&] {
      return std::all_of(words.begin(), words.end(),
                         [&](const auto& word) { return tokenizer.encode(word) == tokenizer.encode(word); });
    }));
  }
  for (auto& thread : threads) CHECK(thread.get());
  for (const auto& word : words) CHECK(tokenizer.encode(word) == other.encode(word));
}

}  // namespace transformer
