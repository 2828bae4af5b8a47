#include "data/vocabulary.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/line_reader.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

/// A vocabulary of so many pieces.
GivenVocabulary vocabulary_of(int64_t size) {
  return {tokenizer_of("one two three four five six seven\n", size).model_bytes(), fmt::format("{}.model", size)};
}

}  // namespace

TEST_CASE("given vocabularies make a tokenizer each, or one that both sides share") {
  const GivenVocabulary small = vocabulary_of(25), large = vocabulary_of(28);
  CHECK(make_tokenizers(small).are_shared());
  const Tokenizers separate = make_tokenizers(GivenVocabularies::separate(small, large));
  CHECK(separate.source().size() == 25);
  CHECK(separate.target().size() == 28);
  CHECK_THROWS_WITH(make_tokenizers(GivenVocabularies::separate({"nonsense", "s.model"}, large)),
                    Catch::StartsWith("s.model: not a SentencePiece"));
  CHECK_THROWS_WITH(make_tokenizers(GivenVocabularies::separate(small, {"nonsense", "t.model"})),
                    Catch::StartsWith("t.model: not a SentencePiece"));
}

TEST_CASE("learning a vocabulary writes nothing, and limits the number of whole words") {
  const TemporaryDirectory directory;
  std::string many_words;
  for (int i = 0; i <= 1000; ++i) many_words += fmt::format("w{}\n", i);
  write_file_atomically(directory / "many", many_words);
  write_file_atomically(directory / "few", "one two three four five six seven\n");
  DataConfig config;
  config.train = {{directory / "few", directory / "few"}};
  config.prepared = directory / "prepared";
  config.vocabulary_size = 30;
  StatusLine status;
  const Tokenizers learned = learn_vocabulary(config, status);
  CHECK(learned.are_shared());
  CHECK(learned.target().size() == 30);
  CHECK_FALSE(std::filesystem::exists(config.prepared));
  config.train[0].target = directory / "many";
  config.whole_target_words = true;
  CHECK_THROWS_AS(learn_vocabulary(config, status), UsageError);
}

TEST_CASE("vocabularies are written as models and as lists of pieces") {
  const TemporaryDirectory directory;
  const GivenVocabulary small = vocabulary_of(25), large = vocabulary_of(28);
  const PreparedFiles files(directory.path());
  write_vocabularies(files, make_tokenizers(GivenVocabularies::separate(small, large)));
  CHECK(read_file(files.vocabulary_models.source) == small.model_bytes);
  CHECK(read_file(files.vocabulary_models.target) == large.model_bytes);
  CHECK(count_lines(files.source_vocabulary_list) == 25);
  CHECK(count_lines(files.vocabulary_list) == 28);
  write_vocabularies(files, make_tokenizers(small));
  CHECK(count_lines(files.vocabulary_list) == 25);
  CHECK_FALSE(std::filesystem::exists(files.vocabulary_models.source));
  CHECK_FALSE(std::filesystem::exists(files.source_vocabulary_list));
}

TEST_CASE("a list of pieces has one line for each, also where a piece holds line breaks") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", "one two three\n");
  std::string model_bytes =
      Tokenizer::learn({directory / "text"}, {.size = 25, .character_coverage = 1.0, .whole_words = {"QRQ", "n_n"}});
  // SentencePiece's --user_defined_symbols accepts line breaks.
  const auto replace = [&](const std::string& piece, const std::string& other) {
    const size_t place = model_bytes.find(piece);
    REQUIRE(place != std::string::npos);
    model_bytes.replace(place, piece.size(), other);
  };
  replace("QRQ", "\n\r\n");
  replace("n_n", "n\\n");
  const Tokenizer tokenizer(model_bytes, "v");
  const PreparedFiles files(directory.path());
  write_vocabularies(files, make_tokenizers(GivenVocabulary{model_bytes, "v"}));
  const auto lines = read_lines(files.vocabulary_list);
  REQUIRE(std::ssize(lines) == tokenizer.size());
  int num_escaped = 0;
  for (int64_t id = 0; id < tokenizer.size(); ++id) {
    const std::string piece = tokenizer.piece(id), &line = lines[static_cast<size_t>(id)];
    const bool has_breaks = piece == std::string(kSpaceMark) + "\n\r\n";
    const bool has_backslash = piece == std::string(kSpaceMark) + "n\\n";
    num_escaped += has_breaks || has_backslash ? 1 : 0;
    CHECK(line == (has_breaks      ? std::string(kSpaceMark) + "\\n\\r\\n"
                   : has_backslash ? std::string(kSpaceMark) + "n\\\\n"
                                   : piece));
  }
  CHECK(num_escaped == 2);
}

TEST_CASE("a missing or damaged vocabulary is named") {
  const TemporaryDirectory directory;
  const PreparedFiles files(directory.path());
  CHECK_THROWS_WITH(load_tokenizers(files), Catch::StartsWith(files.vocabulary_models.target + ": cannot be read"));
  write_file_atomically(files.vocabulary_models.source, "nonsense");
  CHECK_THROWS_WITH(load_tokenizers(files),
                    Catch::StartsWith(files.vocabulary_models.source + ": not a SentencePiece model"));
}

}  // namespace transformer
