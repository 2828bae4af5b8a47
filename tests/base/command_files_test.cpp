#include "base/command_files.h"

#include <unistd.h>

#include <array>
#include <string>

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("stdin and stdout can each stand for one file only") {
  CHECK_NOTHROW(check_input_texts({"a", "-", "", "b"}));
  CHECK_THROWS_AS(check_input_texts({"-", "a", "-"}), UsageError);
  CHECK_THROWS_WITH(check_input_texts({"-", "-"}), Catch::Contains("only one stdin"));
  CHECK_THROWS_WITH(check_input_texts({"-#en", "-"}), Catch::Contains("only one stdin"));
  CHECK_NOTHROW(check_single_stdout({"a", "-", "", "b"}));
  CHECK_THROWS_AS(check_single_stdout({"-", "a", "-"}), UsageError);
  CHECK_THROWS_WITH(check_single_stdout({"-", "-"}), Catch::Contains("only one stdout"));
}

TEST_CASE("a file that is named twice is found, however its path is written") {
  CHECK_NOTHROW(check_are_different({"a", "", "b", ""}, "--inputs"));
  CHECK_THROWS_AS(check_are_different({"a", "b", "./a"}, "--inputs"), UsageError);
  CHECK_THROWS_WITH(check_are_different({"a", "b", "./a"}, "--inputs"),
                    Catch::Contains("--inputs: ./a is given twice"));
  CHECK_THROWS_AS(check_are_different({"/dev", "a", "/dev/"}, "--run"), UsageError);
}

TEST_CASE("two pipes, such as those of a shell's <(...), are different files") {
  std::array<int, 2> one{}, other{};
  REQUIRE(pipe(one.data()) == 0);
  REQUIRE(pipe(other.data()) == 0);
  const auto path = [](const std::array<int, 2>& ends) { return "/dev/fd/" + std::to_string(ends[0]); };
  CHECK_NOTHROW(check_are_different({path(one), path(other)}, "--hypothesis"));
  CHECK_THROWS_AS(check_are_different({path(one), path(one)}, "--hypothesis"), UsageError);
  for (const int end : {one[0], one[1], other[0], other[1]}) close(end);
}

}  // namespace transformer
