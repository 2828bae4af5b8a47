#include "text/sentences.h"

#include <string>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

using Sentences = std::vector<std::string>;

Sentences split(const std::string& language, const std::string& line) {
  Sentences sentences;
  for (const auto& [begin, end] : SentenceSplitter(language).split(line)) {
    sentences.push_back(line.substr(begin, end - begin));
  }
  return sentences;
}

}  // namespace

TEST_CASE("sentences end where ICU ends them, but not behind abbreviations") {
  CHECK(split("en", " Dr. Smith and J. R. Brown left.  He slept! Really? ") ==
        Sentences{"Dr. Smith and J. R. Brown left.", "He slept!", "Really?"});
  CHECK(split("", "Dr. Smith left. Mr. Brown, too.") == Sentences{"Dr. Smith left.", "Mr. Brown, too."});
  CHECK(split("en", "See No. 5 Main. No. I do not.") == Sentences{"See No. 5 Main.", "No.", "I do not."});
  CHECK(split("de", "Er kam z. B. am 3. Mai. Sie ging.") == Sentences{"Er kam z. B. am 3. Mai.", "Sie ging."});
  CHECK(split("en", "It was 3. Then it was 4.") == Sentences{"It was 3.", "Then it was 4."});
  CHECK(split("fr", "M. Dupont dit « Bonjour. » Il part.") == Sentences{"M. Dupont dit « Bonjour. » Il part."});
  CHECK(split("fr_CA", "Mme. Durand part. Il reste.") == Sentences{"Mme. Durand part.", "Il reste."});
  CHECK(split("en", "\"Really?\" he said. \"No.\" She left.") ==
        Sentences{"\"Really?\" he said.", "\"No.\"", "She left."});
  CHECK(split("ja", "これはペンです。「行く。」あれも。") == Sentences{"これはペンです。", "「行く。」", "あれも。"});
  CHECK(split("en", "See example.com. Version 3.5 is out.") == Sentences{"See example.com.", "Version 3.5 is out."});
  CHECK(split("en", "") == Sentences{});
  CHECK(split("en", " \t") == Sentences{});
  CHECK(split("en", "Dr.") == Sentences{"Dr."});
  CHECK(split("en", "\xFF. A\xFF. B") == Sentences{"\xFF.", "A\xFF.", "B"});
}

TEST_CASE("codes of languages are those of ISO 639, with or without a country") {
  for (const char* code : {"de", "en_US", "pt-BR", "deu", "zh", "gsw"}) {
    INFO(code);
    CHECK(is_language_code(code));
  }
  for (const char* code : {"xx", "german", "", "-"}) {
    INFO(code);
    CHECK_FALSE(is_language_code(code));
  }
}

TEST_CASE("sentences are joined with a space except in scripts without spaces") {
  CHECK(sentence_separator("Hallo.") == " ");
  CHECK(sentence_separator("안녕하세요.") == " ");
  CHECK(sentence_separator("안녕") == " ");
  CHECK(sentence_separator("你好。").empty());
  CHECK(sentence_separator("です").empty());
  CHECK(sentence_separator("ﾃﾞｽ").empty());  // halfwidth
  CHECK(sentence_separator("สวัสดี").empty());
  CHECK(sentence_separator("").empty());
}

}  // namespace transformer
