#include "base/temporary_file.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("leftovers of killed programs are removed, and nothing else") {
  const TemporaryDirectory directory;
  for (const auto* name : {"a.pt.tmp.AbC123", "a.pt", "notes.tmp.txt"}) write_file_atomically(directory / name, "x");
  write_file_atomically(directory / "b.pt.tmp.AbC123", "x");
  remove_leftovers_of(directory / "b.pt");
  CHECK(!std::filesystem::exists(directory / "b.pt.tmp.AbC123"));
  CHECK(std::filesystem::exists(directory / "a.pt.tmp.AbC123"));
  remove_leftovers(directory.path());
  CHECK(!std::filesystem::exists(directory / "a.pt.tmp.AbC123"));
  CHECK(std::filesystem::exists(directory / "a.pt"));
  CHECK(std::filesystem::exists(directory / "notes.tmp.txt"));
}

}  // namespace transformer
