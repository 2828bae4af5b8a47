#include "base/program_directory.h"

#include "catch.h"

namespace transformer {

TEST_CASE("program directory holds the program that runs") {
  CHECK(std::filesystem::is_regular_file(program_directory() /
                                         std::filesystem::read_symlink("/proc/self/exe").filename()));
}

}  // namespace transformer
