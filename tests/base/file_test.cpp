#include "base/file.h"

#include <unistd.h>
#include <zlib.h>

#include <array>

#include "base/error.h"
#include "catch.h"
#include "temporary_directory.h"

namespace transformer {

TEST_CASE("line reader ends lines at newlines only") {
  const TemporaryDirectory directory;
  static constexpr char kText[] = "one\r\n\n two \xE2\x80\xA8 three\xC2\x85\nn\0ul\n\xFF\xFE bad\nlast";
  const std::string text(kText, sizeof(kText) - 1);
  write_file_atomically(directory / "text", text);
  const auto lines = read_lines(directory / "text");
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] == "one\r");
  CHECK(lines[1].empty());
  CHECK(lines[2] == " two \xE2\x80\xA8 three\xC2\x85");
  CHECK(lines[3] == std::string("n\0ul", 4));
  CHECK(lines[4] == "\xFF\xFE bad");
  CHECK(lines[5] == "last");
  CHECK(count_lines(directory / "text") == 6);
}

TEST_CASE("line reader gives lines longer than its buffer whole") {
  const TemporaryDirectory directory;
  const std::string longest(300000, 'x');
  write_file_atomically(directory / "text", longest + "\nshort\n" + longest);
  CHECK(read_lines(directory / "text") == std::vector<std::string>{longest, "short", longest});
}

TEST_CASE("line reader reads compressed files and names damaged ones") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  gzFile file = gzopen((directory / "text.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  CHECK(read_lines(directory / "text.gz").size() == 20000);

  const std::string bytes = read_file(directory / "text.gz");
  write_file_atomically(directory / "cut.gz", bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_WITH(read_lines(directory / "cut.gz"), Catch::Contains("cut.gz:") && Catch::Contains("ends too early"));
  CHECK_THROWS_WITH(read_lines(directory / "none"), Catch::Contains("no such file"));
  CHECK_THROWS_WITH(read_lines(directory.path()), Catch::Contains("is a directory"));
}

TEST_CASE("atomic file leaves the old file until it is committed") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write("half of the new");
    CHECK(read_file(path) == "old");
  }
  CHECK(read_file(path) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
  AtomicFile file(path);
  file.write("new");
  file.commit();
  CHECK(read_file(path) == "new");
  CHECK_THROWS_AS(AtomicFile(directory / "no/such/directory"), Error);
}

TEST_CASE("atomic file writes pipes and devices as they are, and through symbolic links") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "old");
  std::filesystem::create_symlink("file", directory / "link");
  write_file_atomically(directory / "link", "new");
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(read_file(directory / "file") == "new");
  CHECK_NOTHROW(write_file_atomically("/dev/null", "nothing"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("leftovers of killed programs are removed, and nothing else") {
  const TemporaryDirectory directory;
  for (const auto* name : {"a.pt.tmp.AbC123", "a.pt", "notes.tmp.txt"}) write_file_atomically(directory / name, "x");
  remove_leftovers(directory.path());
  CHECK(!std::filesystem::exists(directory / "a.pt.tmp.AbC123"));
  CHECK(std::filesystem::exists(directory / "a.pt"));
  CHECK(std::filesystem::exists(directory / "notes.tmp.txt"));
}

TEST_CASE("checksum is CRC-32 and may be taken in parts") {
  CHECK(crc32_of("123456789") == 0xCBF43926);
  CHECK(crc32_of("456789", crc32_of("123")) == 0xCBF43926);
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "123456789");
  CHECK(crc32_of_file(directory / "file") == 0xCBF43926);
}

TEST_CASE("a pipe's lines can be read as they come") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  const auto send = [&](const std::string& bytes) {
    REQUIRE(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  };
  CHECK_FALSE(reader.is_ready());
  send("one\ntwo\n");
  std::string line;
  CHECK(reader.is_ready());
  REQUIRE(reader.next(line));
  CHECK(line == "one");
  CHECK(reader.is_ready());
  REQUIRE(reader.next(line));
  CHECK(line == "two");
  CHECK_FALSE(reader.is_ready());
  send("three");
  close(ends[1]);
  CHECK(reader.is_ready());
  REQUIRE(reader.next(line));
  CHECK(line == "three");
  CHECK_FALSE(reader.next(line));
  close(ends[0]);
}

}  // namespace transformer
