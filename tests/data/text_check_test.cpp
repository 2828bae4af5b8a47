#include "data/text_check.h"

#include <fmt/core.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

std::string times(int count, const std::string& line) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += line + "\n";
  return lines;
}

/// A text of one pair of files.
struct Text {
  Text(const std::string& source, const std::string& target) : files{{directory / "a.en", directory / "a.de"}} {
    write_file_atomically(files[0].source, source);
    write_file_atomically(files[0].target, target);
  }

  TemporaryDirectory directory;
  std::vector<ParallelFiles> files;  // one pair
};

using Warnings = std::vector<std::string>;

}  // namespace

TEST_CASE("text check counts the pairs of all files and has nothing to say about a good text") {
  const Text text("the cat\n\nthe\tdog\n", "die Katze\n\nder Hund\n");
  const TextCheck check = check_text({text.files[0], text.files[0]});
  CHECK(check.num_pairs == 6);
  CHECK(check.warnings == Warnings());
}

TEST_CASE("text check: an empty text and sides of different lengths are errors, whichever is longer") {
  CHECK_THROWS_WITH(check_text(Text("", "").files), Catch::Contains("a.en: the corpus is empty"));
  CHECK_THROWS_WITH(check_text(Text("1\n2\n3\n", "1\n").files),
                    Catch::Contains("a.en has 3 lines but ") && Catch::Contains("a.de has 1;"));
  CHECK_THROWS_WITH(check_text(Text("1\n", "1\n2\n").files),
                    Catch::Contains("a.en has 1 line but ") && Catch::Contains("a.de has 2;"));
}

TEST_CASE("text check: sides that are test sets with their documents in another order are an error") {
  const auto set_of = [](const std::string& first, const std::string& second) {
    return "<srcset>\n<doc docid=\"" + first + "\"><seg id=\"1\">a</seg></doc>\n<doc docid=\"" + second +
           "\"><seg id=\"1\">b</seg></doc>\n</srcset>\n";
  };
  CHECK(check_text(Text(set_of("x", "y"), set_of("x", "y")).files).num_pairs == 2);
  CHECK_THROWS_WITH(check_text(Text(set_of("x", "y"), set_of("y", "x")).files),
                    Catch::Contains("a.en:1: is x segment 1, but line 1 of ") &&
                        Catch::Contains("a.de is y segment 1; bring the documents of both into the same order"));
}

TEST_CASE("text check: 1 % of lines may be something else than UTF-8, with a warning, and more may not") {
  const std::string good = times(198, "x"), bad = "M\xFCller\n";
  const auto warnings = check_text(Text(times(200, "y"), good + bad + bad).files).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::EndsWith("a.de:199: not UTF-8, the first of 2 such lines; the invalid bytes are "
                                          "replaced by U+FFFD"));
  CHECK_THROWS_WITH(check_text(Text(good + bad + bad + bad, times(201, "y")).files),
                    Catch::Contains("a.en:199: not UTF-8, the first of 3 such lines in 201 lines; convert the file"));
}

TEST_CASE("text check refuses UTF-16, in either byte order and with any characters") {
  const auto utf16 = [](const std::u16string& text, bool is_big_endian) {
    std::string bytes = is_big_endian ? "\xFE\xFF" : "\xFF\xFE";
    for (const char16_t c : text) {
      const char low = static_cast<char>(c & 0xFF), high = static_cast<char>(c >> 8);
      bytes += is_big_endian ? high : low;
      bytes += is_big_endian ? low : high;
    }
    return bytes;
  };
  const bool is_big_endian = GENERATE(false, true);
  const std::u16string text =
      GENERATE(std::u16string(u"the cat\nthe dog\n"), std::u16string(u"Müller\nGröße\n"), std::u16string(u"猫\n犬\n"));
  const Text source(utf16(text, is_big_endian), "a\nb\n"), target("a\nb\n", utf16(text, is_big_endian));
  CHECK_THROWS_WITH(check_text(source.files), Catch::Contains("a.en:") && Catch::Contains("has a NUL byte") &&
                                                  Catch::Contains("with `iconv -f UTF-16 -t UTF-8`"));
  CHECK_THROWS_WITH(check_text(target.files), Catch::Contains("a.de:") && Catch::Contains("has a NUL byte"));
}

TEST_CASE("text check: 1 % of lines may have a NUL byte, and more may not") {
  const std::string good = times(198, "x"), bad("n\0ul\n", 5);
  CHECK(check_text(Text(times(200, "y"), good + bad + bad).files).warnings == Warnings());
  CHECK_THROWS_WITH(check_text(Text(good + bad + bad + bad, times(201, "y")).files),
                    Catch::Contains("a.en:199: has a NUL byte, the first of 3 such lines in 201 lines; if the text "
                                    "is UTF-16, convert it"));
}

TEST_CASE("text check warns about columns and about pairs with identical sides") {
  const auto columns = check_text(Text(times(2, "a") + times(3, "a\tb"), times(5, "y")).files).warnings;
  REQUIRE(columns.size() == 1);
  CHECK_THAT(columns[0], Catch::Contains("a.en:3: most lines contain a tab (3 of 5)"));
  const auto copies = check_text(Text(times(18, "a") + times(2, "b"), times(18, "c") + times(2, "b")).files).warnings;
  REQUIRE(copies.size() == 1);
  CHECK_THAT(copies[0],
             Catch::Contains("a.en:19: the same line as in ") && Catch::Contains("2 of 20 pairs have identical sides"));
  CHECK(check_text(Text(times(18, "a") + times(2, "b\r"), times(18, "c") + times(2, "b")).files).warnings.size() == 1);
  CHECK(check_text(Text(times(19, "a") + "b\n", times(19, "c") + "b\n").files).warnings == Warnings());
}

TEST_CASE("text check warns once about lines of a .tsv file with another number of columns") {
  const TemporaryDirectory directory;
  const std::string file = directory / "pairs.tsv";
  const std::vector<ParallelFiles> columns = {{file + "#1", file + "#2"}};
  write_file_atomically(file, "the cat\tdie Katze\na dog\tanimals\tein Hund\nthe fox\tder Fuchs\nx\ty\tz\n");
  const auto warnings = check_text(columns).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::StartsWith(file + ":2: has another number of columns than line 1, the first of 2 "));
  write_file_atomically(file, "the cat\tdie Katze\t1\na dog\tein Hund\t2\n");
  CHECK(check_text(columns).warnings.empty());
}

TEST_CASE("text check warns about a column of numbers, however they are written") {
  const std::string numbers = GENERATE("1.5\n2\n-3e4\n", "0,95\n0,8\n1\n", "95%\n8 %\n9.5 %\r\n");
  const auto warnings = check_text(Text(numbers, "a\nb\nc\n").files).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::Contains("a.en: 3 of 3 lines are numbers, as in a column of scores"));
  CHECK(check_text(Text(numbers, numbers + "").files).warnings.size() == 1);  // only that of identical sides
}

TEST_CASE("text check says what is done with the text, and reads no more lines than it should") {
  const auto warnings_of = [](TextUse use) {
    return check_text(Text(times(3, "a\tb"), times(3, "a\tb")).files, use).warnings;
  };
  for (const std::string& warning : warnings_of(TextUse::training))
    CHECK_THAT(warning, Catch::Contains("learn") || Catch::Contains("teach"));
  const Warnings warnings = warnings_of(TextUse::evaluation);
  REQUIRE(warnings.size() == 3);
  CHECK_THAT(warnings[0], Catch::Contains("; it would be used as it is: if they are columns"));
  CHECK_THAT(warnings[2], Catch::EndsWith("untranslated pairs make the scores of translations say less"));
  const Text text(times(5, "a") + times(6, "b\tc"), times(5, "d") + times(7, "e"));
  const TextCheck check = check_text(text.files, TextUse::training, /*max_lines=*/5);
  CHECK(check.num_pairs == 5);
  CHECK(check.warnings == Warnings());
}

TEST_CASE("files in another direction do not count as swapped where tags choose the direction") {
  const auto marked = [](const std::string& tag, const std::string& line) { return times(20, tag + line); };
  const std::string english = "the cat is in the house", german = "die Katze ist im Haus";
  const auto warnings_of = [](const Text& text, const std::vector<TrainingCorpus>& training) {
    return warnings_of_swapped_sides(text.files, training).size();
  };
  const auto with_tag = [](const Text& text, const std::string& tag) { return TrainingCorpus{text.files[0], {}, tag}; };
  const Text to_german(marked(">>de<< ", english), marked("", german)),
      to_english(marked(">>en<< ", german), marked("", english)), untagged(marked("", german), marked("", english)),
      other_untagged(marked("", english), marked("", german));
  // In the text.
  CHECK(warnings_of(to_english, {{to_german.files[0]}, {to_english.files[0]}}) == 0);
  CHECK(warnings_of(to_english, {{to_german.files[0]}}) == 0);
  // In the text or the config, of one direction only.
  CHECK(warnings_of(untagged, {{to_german.files[0]}, {untagged.files[0]}}) == 0);
  CHECK(warnings_of(untagged, {with_tag(other_untagged, "<2de>"), with_tag(untagged, "")}) == 0);
  // Validation text in the direction of such training text.
  const Text validation(marked("", german), marked("", english));
  CHECK(warnings_of(validation, {with_tag(other_untagged, "<2de>"), with_tag(untagged, "")}) == 0);
  // The same tags, or none, choose no direction.
  CHECK(warnings_of(untagged, {{other_untagged.files[0]}, {untagged.files[0]}}) == 1);
  const Text same_tag(marked(">>de<< ", german), marked("", english));
  CHECK(warnings_of(same_tag, {{to_german.files[0]}, {same_tag.files[0]}}) == 1);
}

TEST_CASE("text check warns about sides that seem to be swapped, not about similar ones") {
  const std::string english = times(20, "the cat is in the house"), german = times(20, "die Katze ist im Haus");
  const Text train(english + times(5, "a dog"), german + times(5, "ein Hund")), same(english, german),
      swapped(german, english), other(times(40, "uno due tre"), times(40, "un deux trois")),
      few("die Katze\n", "the cat\n");
  const auto warnings_of = [](const Text& text, const Text& training) {
    return warnings_of_swapped_sides(text.files, {{training.files[0]}});
  };
  const auto warnings_with_tags = [](const Text& text, const Text& training, const std::string& tag,
                                     const std::string& other_tag) {
    return warnings_of_swapped_sides(text.files, {{training.files[0], {}, tag}, {training.files[0], {}, other_tag}});
  };
  CHECK(warnings_of(train, train) == Warnings());
  CHECK(warnings_of(same, train) == Warnings());
  CHECK(warnings_of(other, train) == Warnings());
  CHECK(warnings_of(few, train) == Warnings());
  const Text one_language(german, german);
  CHECK(warnings_of(one_language, same) == Warnings());
  const auto warnings = warnings_of(swapped, train);
  REQUIRE(warnings.size() == 1);
  const std::string &train_source = train.files[0].source, &train_target = train.files[0].target;
  const std::string &source = swapped.files[0].source, &target = swapped.files[0].target;
  CHECK(
      warnings[0] ==
      fmt::format("{}, {} and {}, {}: the sides seem to be swapped in one of the two: the words of {} are those of {}, "
                  "and those of {} of {}; exchange source and target where the first pair shows them the wrong way "
                  "round",
                  train_source, train_target, source, target, source, train_target, target, train_source));
  CHECK(warnings_with_tags(swapped, train, "", "<bt>") == warnings);
  CHECK(warnings_with_tags(swapped, train, "<bt>", "") == warnings);
  CHECK(warnings_with_tags(swapped, train, "<en>", "<de>") == Warnings());
}

}  // namespace transformer
