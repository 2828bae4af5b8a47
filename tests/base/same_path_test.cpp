#include "base/same_path.h"

#include <filesystem>

#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("paths of the same file or directory are the same in every spelling, whether it exists or not") {
  const TemporaryDirectory directory;
  const auto relative = [](const std::string& path) { return std::filesystem::relative(path).string(); };
  std::filesystem::create_directory(directory / "made");
  std::filesystem::create_directory_symlink(directory / "made", directory / "link");
  for (const std::string name : {"made", "none", "made/none"}) {
    const std::string path = directory / name;
    INFO(path);
    CHECK(is_same_path(path, path));
    CHECK(is_same_path(path, path + "/"));
    CHECK(is_same_path(path, directory / ("./" + name)));
    CHECK(is_same_path(path, directory / ("made/../" + name)));
    CHECK(is_same_path(path, relative(path)));
    CHECK_FALSE(is_same_path(path, path + "2"));
  }
  CHECK(is_same_path(directory / "made", directory / "link"));
  CHECK(is_same_path(directory / "made/none", directory / "link/none"));
  CHECK_FALSE(is_same_path("", ""));
}

}  // namespace transformer
