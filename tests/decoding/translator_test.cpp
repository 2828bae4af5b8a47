#include "decoding/translator.h"

#include "base/file.h"
#include "catch.h"
#include "temporary_directory.h"
#include "tensors.h"

namespace transformer {
namespace {

/// A tokenizer of a few words and an untrained model over it.
struct Setting {
  Setting() : tokenizer(make_tokenizer()), model(tiny_model(tiny_config(), tokenizer.size())) {}

  static Tokenizer make_tokenizer() {
    const TemporaryDirectory directory;
    write_file_atomically(directory / "text", "the cat sat on the mat\nein Hund saß auf der Matte\n");
    return {Tokenizer::learn({directory / "text"}, {.size = 40, .character_coverage = 1.0}), "v"};
  }

  std::vector<std::string> translate(const std::vector<std::string>& lines, int64_t batch_size) {
    Translator translator(model, tokenizer, {.beam_size = 3, .alpha = 0.6, .max_extra_tokens = 8}, batch_size);
    auto translations = translator.translate(lines);
    counts = translator.counts();
    return translations;
  }

  Tokenizer tokenizer;
  Transformer model;
  TranslationCounts counts;
};

}  // namespace

TEST_CASE("translator gives each line its own translation, whatever the batches") {
  Setting setting;
  std::vector<std::string> lines;
  for (int i = 0; i < 30; ++i) {
    lines.push_back(std::string("the cat sat on the mat der Hund auf").substr(0, static_cast<size_t>(4 + i)));
  }
  const auto one_by_one = setting.translate(lines, 1);
  CHECK(setting.translate(lines, 7) == one_by_one);
  CHECK(setting.translate(lines, 64) == one_by_one);
  CHECK(setting.counts.lines == 30);
}

TEST_CASE("translator keeps blank lines blank and in their places") {
  Setting setting;
  const auto translations = setting.translate({"", "the cat", "   ", "\r", "the mat\r", std::string(1, '\0')}, 4);
  REQUIRE(translations.size() == 6);
  for (const size_t blank : {0, 2, 3, 5}) CHECK(translations[blank].empty());
  CHECK(translations[4] == setting.translate({"the mat"}, 1).front());
  CHECK(setting.translate({}, 4).empty());
}

TEST_CASE("translator counts what it cut and repaired, and never breaks a line") {
  Setting setting;
  std::string longest;
  for (int i = 0; i < 3000; ++i) longest += "mat ";
  const auto translations = setting.translate({"the \xFF cat",
                                               "the\xE2\x80\xA8"
                                               "cat",
                                               "the\xC2\x85"
                                               "cat",
                                               longest},
                                              4);
  CHECK(setting.counts.repaired == 1);
  CHECK(setting.counts.cut == 1);
  for (const auto& translation : translations) CHECK(translation.find('\n') == std::string::npos);
}

}  // namespace transformer
