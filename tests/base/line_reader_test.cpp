#include "base/line_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

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

TEST_CASE("line reader leaves out a byte order mark at the beginning of the file") {
  const TemporaryDirectory directory;
  const auto lines_of_file = [&](const std::string& text) {
    write_file_atomically(directory / "text.tsv", text);
    return read_lines(directory / "text.tsv");
  };
  CHECK(lines_of_file("\uFEFFone\n\uFEFFtwo\n") == std::vector<std::string>{"one", "\uFEFFtwo"});
  CHECK(lines_of_file("\uFEFF\uFEFFlast") == std::vector<std::string>{"\uFEFFlast"});
  CHECK(lines_of_file("\uFEFF\n") == std::vector<std::string>{""});
  CHECK(lines_of_file("\uFEFF").empty());
  CHECK(lines_of_file("\xEF\xBB\na\n") == std::vector<std::string>{"\xEF\xBB", "a"});
  write_file_atomically(directory / "text.tsv", "\uFEFFone\ttwo\n");
  CHECK(read_lines(directory / "text.tsv#1") == std::vector<std::string>{"one"});
  gzFile file = gzopen((directory / "text.gz").c_str(), "wb");
  gzputs(file, "\uFEFFone\n");
  gzclose(file);
  CHECK(read_lines(directory / "text.gz") == std::vector<std::string>{"one"});
}

TEST_CASE("line reader reads lines that are longer than its buffer") {
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
  CHECK_THROWS_WITH(read_lines(directory.path()), Catch::Contains("cannot be read: it is a directory"));
}

TEST_CASE("line reader reads one column of a file with tab-separated columns") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "pairs.tsv", "1\ta cat\t eine Katze\r\n2\t\tx\ty\n3\tlast\t");
  CHECK(read_lines(directory / "pairs.tsv#1") == std::vector<std::string>{"1", "2", "3"});
  CHECK(read_lines(directory / "pairs.tsv#2") == std::vector<std::string>{"a cat", "", "last"});
  CHECK(read_lines(directory / "pairs.tsv#3") == std::vector<std::string>{" eine Katze\r", "x", ""});
  CHECK_THROWS_WITH(read_lines(directory / "pairs.tsv#4"),
                    directory / "pairs.tsv" +
                        ":1: has no column 4, only 3 columns; separate the columns by tabs, or give "
                        "another column");
  CHECK_THROWS_WITH(read_lines(directory / "none.tsv#2"),
                    Catch::Contains("none.tsv: cannot be read: there is no such file"));
}

TEST_CASE("only .tsv and .tsv.gz have columns") {
  CHECK(TextPath("a.tsv#2").file == "a.tsv");
  CHECK(TextPath("a.tsv#2").column == 2U);
  CHECK(TextPath("a#1.tsv.gz#12").file == "a#1.tsv.gz");
  for (const char* whole : {"a.tsv", "a.txt#2", "a#1", "a.tsv#", "a.tsv#0", "a.tsv#x", "a.tsv#1x", "a.tsv#-1",
                            "a.tsv#99999999999999999999", "#1", "-"}) {
    INFO(whole);
    CHECK(TextPath(whole).file == whole);
    CHECK_FALSE(TextPath(whole).column.has_value());
  }
}

TEST_CASE("a part of stdin or of a pipe can be named, which have no ending") {
  for (const std::string file : {"-", "/dev/stdin", "/dev/fd/63"}) {
    INFO(file);
    CHECK(TextPath(file + "#en").file == file);
    CHECK(TextPath(file + "#en").part == "en");
    CHECK(TextPath(file).part.empty());
  }
  CHECK(shown_path("-#en") == "stdin");
  CHECK(shown_path("a.tmx#en") == "a.tmx#en");
}

TEST_CASE("line reader recognizes gzip in a pipe that gives its first byte alone") {
  const TemporaryDirectory directory;
  const gzFile file = gzopen((directory / "text.gz").c_str(), "wb");
  REQUIRE(gzputs(file, "one\ntwo\n") > 0);
  gzclose(file);
  const std::string bytes = read_file(directory / "text.gz");
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_DIRECT) == 0);  // each write is read by itself
  REQUIRE(write(ends[1], bytes.data(), 1) == 1);
  REQUIRE(write(ends[1], bytes.data() + 1, bytes.size() - 1) == std::ssize(bytes) - 1);
  close(ends[1]);
  CHECK(read_lines("/dev/fd/" + std::to_string(ends[0])) == std::vector<std::string>{"one", "two"});
  close(ends[0]);
}

TEST_CASE("line reader returns a pipe's lines as soon as they are written") {
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
