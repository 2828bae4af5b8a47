#include "system/system_report.h"

#include "base/build_info.h"
#include "base/json.h"
#include "catch.h"

namespace transformer {

TEST_CASE("system report has every finding that a bug report needs, in order") {
  const SystemReport report = examine_system();
  REQUIRE(report.size() >= 15);
  CHECK(report[0].name == "transformer");
  CHECK_THAT(report[0].value, Catch::StartsWith(kBuildInfo.version));
  CHECK_THAT(report[0].value, Catch::Contains(", commit "));
  const std::vector<std::string> names = {
      "build", "libtorch",         "os",      "cpu",     "cpu_features", "kernels", "fp32",
      "bf16",  "libtorch_kernels", "threads", "workers", "memory",       "gloo",    "nccl"};
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(report[i + 1].name == names[i]);
    if (names[i] != "cpu_features") CHECK_FALSE(report[i + 1].value.empty());
  }
  CHECK_THAT(report.back().name, Catch::StartsWith("cuda"));
}

TEST_CASE("system report is aligned as text, and its names are the keys of the JSON") {
  const SystemReport report = {{"cpu", "a \"fast\" one"}, {"a_very_long_name", "x"}};
  CHECK(format_text(report) == "cpu           a \"fast\" one\na_very_long_name x");
  CHECK(format_json(report) == "{\"cpu\":\"a \\\"fast\\\" one\",\"a_very_long_name\":\"x\"}");
}

}  // namespace transformer
