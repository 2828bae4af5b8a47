#include <filesystem>

#include "base/build_info.h"
#include "base/read_file.h"
#include "catch.h"
#include "docs/pages.h"
#include "repository.h"

namespace transformer {

TEST_CASE("the newest entry of the changelog is the version of the program") {
  const auto versions = matches(read_file(kRepository / "docs/changelog.md"), "\n## (\\d+\\.\\d+\\.\\d+)\n");
  REQUIRE(!versions.empty());
  CHECK(versions.front() == kBuildInfo.version);
}

TEST_CASE("every version of the changelog has files in tests/compatibility") {
  for (const std::string& version :
       matches(read_file(kRepository / "docs/changelog.md"), "\n## (\\d+\\.\\d+\\.\\d+)\n")) {
    INFO(version);
    CHECK(std::filesystem::is_directory(kRepository / "tests/compatibility" / version));
  }
}

}  // namespace transformer
