#include "run/standard_streams.h"

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("stdin and stdout can each stand for one file only") {
  CHECK_NOTHROW(check_single_stream({"a", "-", "", "b"}, "stdin"));
  CHECK_THROWS_AS(check_single_stream({"-", "a", "-"}, "stdout"), UsageError);
  CHECK_THROWS_WITH(check_single_stream({"-", "-"}, "stdout"), Catch::Contains("only one stdout"));
}

}  // namespace transformer
