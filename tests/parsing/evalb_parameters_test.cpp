#include "parsing/evalb_parameters.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

EvalbParameters read(const std::string& text) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a.prm", text);
  return read_evalb_parameters(directory / "a.prm");
}

}  // namespace

TEST_CASE("parameter file sets the options of its directives and no others") {
  const EvalbParameters p = read(
      "## comment ##\r\n\n  DEBUG 0\nMAX_ERROR 3\nCUTOFF_LEN 7   \nLABELED 0\nDELETE_LABEL #\nDELETE_LABEL ''\n"
      "DELETE_LABEL_FOR_LENGTH -NONE-\nQUOTE_LABEL POS\nEQ_LABEL ADVP PRT\nEQ_WORD  This this\r\n");
  CHECK(p.max_errors == 3);
  CHECK(p.cutoff_length == 7);
  CHECK_FALSE(p.labeled);
  CHECK(p.deleted == std::set<std::string>{"#", "''"});
  CHECK(p.deleted_for_length == std::set<std::string>{"-NONE-"});
  CHECK(p.quote_tags == std::set<std::string>{"POS"});
  CHECK(p.labels.same("PRT", "ADVP"));
  CHECK(p.words.same("this", "This"));
  CHECK_FALSE(p.words.same("ADVP", "PRT"));
}

TEST_CASE("parameter file may begin with a byte order mark") {
  CHECK_FALSE(read("\uFEFFLABELED 0\n").labeled);
  CHECK(read("\uFEFF# comment\nCUTOFF_LEN 7\n").cutoff_length == 7);
  CHECK_THROWS_AS(read("LABELED 0\n\uFEFFCUTOFF_LEN 7\n"), UsageError);
}

TEST_CASE("parameter file with an unknown directive is an error with file and line") {
  CHECK_THROWS_AS(read("DELETE_LABLE TOP\n"), UsageError);
  CHECK_THROWS_WITH(read("LABELED 1\nDELETE_LABLE TOP\n"),
                    Catch::Contains("a.prm:2: unknown directive 'DELETE_LABLE'") && Catch::Contains("DELETE_LABEL,"));
  CHECK_THROWS_WITH(read("CUTOFF_LEN forty\n"), Catch::Contains("a.prm:1: CUTOFF_LEN needs a whole number"));
  CHECK_THROWS_WITH(read("CUTOFF_LEN 99999999999999999999\n"), Catch::Contains("CUTOFF_LEN needs a whole number"));
  CHECK_THROWS_WITH(read("MAX_ERROR -1\n"), Catch::Contains("MAX_ERROR needs a whole number of at least 0, got '-1'"));
  CHECK_THROWS_WITH(read("LABELED\n"), Catch::Contains("LABELED needs 1 value, got 0; write LABELED VALUE"));
  CHECK_THROWS_WITH(read("EQ_LABEL A B C\n"),
                    Catch::Contains("EQ_LABEL needs 2 values, got 3; write EQ_LABEL VALUE VALUE"));
}

TEST_CASE("Collins' parameters are those of COLLINS.prm") {
  const EvalbParameters p = collins_parameters();
  CHECK(p.deleted == std::set<std::string>{"''", ",", "-NONE-", ".", ":", "TOP", "``"});
  CHECK(p.deleted_for_length == std::set<std::string>{"-NONE-"});
  CHECK(p.labels.same("ADVP", "PRT"));
  CHECK(p.cutoff_length == 40);
  CHECK(p.max_errors == 10);
  CHECK(p.labeled);
  CHECK(p.quote_tags.empty());
}

}  // namespace transformer
