#include "data/manifest.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "catch.h"
#include "temporary_directory.h"

namespace transformer {

TEST_CASE("manifest is read without regard to the order of keys, and refused if a part is missing or of another kind") {
  const TemporaryDirectory directory;
  const std::string path = directory / "manifest.json";
  write_file_atomically(path, R"({"inputs":{"b":1,"a":2},"outputs":[{"path":"x","bytes":3}]})");
  const Manifest manifest = read_manifest(path);
  CHECK(manifest.inputs == nlohmann::json::parse(R"({"a":2,"b":1})"));
  REQUIRE(manifest.outputs.size() == 1);
  CHECK(manifest.outputs[0] == nlohmann::json::parse(R"({"bytes":3,"path":"x"})"));

  CHECK(manifest.pairs_of_files.empty());
  write_file_atomically(path, R"({"inputs":{},"outputs":[],"train":{"pairs_of_files":[3,4]}})");
  CHECK(read_manifest(path).pairs_of_files == std::vector<int64_t>{3, 4});

  const std::string text =
      GENERATE("", "[]", R"({"outputs":[]})", R"({"inputs":{}})", R"({"inputs":{},"outputs":7})",
               R"({"inputs":{},"outputs":{"0":1}})", R"({"inputs":{},"outputs":[],"train":{"pairs_of_files":["3"]}})",
               R"({"inputs":{},"outputs":[],"train":{"pairs_of_files":[-5,15]}})");
  write_file_atomically(path, text);
  CHECK_THROWS_AS(read_manifest(path), DamagedFile);
  CHECK_THROWS_WITH(read_manifest(path), Catch::StartsWith(path + ": not a manifest ("));
}

}  // namespace transformer
