#include "base/line_writer.h"

#include <filesystem>

#include "base/line_reader.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "captured_output.h"
#include "catch.h"

namespace transformer {

TEST_CASE("line writer writes to stdout immediately") {
  const CapturedOutput output;
  LineWriter writer("-");
  writer.write({"one", ""});
  CHECK(output.text() == "one\n\n");
  writer.write({"two"});
  CHECK(output.text() == "one\n\ntwo\n");
  writer.finish();
  CHECK(output.text() == "one\n\ntwo\n");
}

TEST_CASE("line writer's file appears when it is complete, compressed if its name says so") {
  const TemporaryDirectory directory;
  for (const char* name : {"text", "text.gz"}) {
    INFO(name);
    LineWriter writer(directory / name);
    writer.write({"one", "two"});
    writer.write({"three"});
    CHECK_FALSE(std::filesystem::exists(directory / name));
    writer.finish();
    CHECK(read_lines(directory / name) == std::vector<std::string>{"one", "two", "three"});
  }
  CHECK(read_file(directory / "text") == "one\ntwo\nthree\n");
  CHECK(read_file(directory / "text.gz").substr(0, 2) == "\x1F\x8B");
  for (const char* ending : {".xz", ".zst", ".bz2", ".zip"}) {
    CHECK_THROWS_WITH(LineWriter(std::string("text.xlf") + ending),
                      std::string("text.xlf") + ending +
                          ": only gzip compresses what is written; give a name that ends in .gz instead of " + ending);
  }
}

}  // namespace transformer
