#include "run/command_files.h"

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("stdin and stdout can each stand for one file only") {
  CHECK_NOTHROW(check_single_stream({"a", "-", "", "b"}, "stdin"));
  CHECK_THROWS_AS(check_single_stream({"-", "a", "-"}, "stdout"), UsageError);
  CHECK_THROWS_WITH(check_single_stream({"-", "-"}, "stdout"), Catch::Contains("only one stdout"));
}

TEST_CASE("a file that is named twice is found, however its path is written") {
  CHECK_NOTHROW(check_are_different({"a", "", "b", ""}, "--inputs"));
  CHECK_THROWS_AS(check_are_different({"a", "b", "./a"}, "--inputs"), UsageError);
  CHECK_THROWS_WITH(check_are_different({"a", "b", "./a"}, "--inputs"),
                    Catch::Contains("--inputs: ./a is given twice"));
}

}  // namespace transformer
