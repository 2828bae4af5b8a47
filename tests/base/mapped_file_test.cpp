#include "base/mapped_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/atomic_file.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("mapped file has the bytes of the file, and none of an empty file") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  const std::string bytes(100'000, 'x');
  write_file_atomically(path, bytes);
  CHECK(MappedFile(path).bytes() == bytes);
  write_file_atomically(path, "");
  CHECK(MappedFile(path).bytes().empty());
}

TEST_CASE("mapped file has the same bytes when a part was released from memory") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, std::string(100'000, 'x'));
  const MappedFile file(path);
  const auto kilobytes_in_memory = [&] {  // of this process
    std::ifstream maps("/proc/self/smaps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(path) == std::string::npos) continue;
      while (line.rfind("Rss:", 0) != 0) std::getline(maps, line);
      return std::stol(line.substr(4));
    }
    return -1L;
  };
  CHECK(file.bytes() == std::string(100'000, 'x'));
  const auto before = kilobytes_in_memory();
  file.release(file.bytes().substr(5'000, 90'000));
  CHECK(kilobytes_in_memory() < before / 2);
  CHECK(file.bytes() == std::string(100'000, 'x'));
}

TEST_CASE("mapped file names a file that cannot be read, and why") {
  const TemporaryDirectory directory;
  const std::string none = directory / "none";
  CHECK_THROWS_WITH(MappedFile(none), Catch::StartsWith(none + ": cannot be read: there is no such file"));
  CHECK_THROWS_WITH(MappedFile(directory.path()),
                    directory.path() + ": cannot be read: it is a directory; give the path of a file");
}

TEST_CASE("mapped file that becomes shorter while it is read ends the program with a message that names it") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file", messages = directory / "messages";
  write_file_atomically(path, std::string(100'000, 'x'));
  const auto read_after = [&](const auto& change) {
    const pid_t child = fork();
    if (child == 0) {
      end_program_where_files_shrink();
      if (std::freopen(messages.c_str(), "w", stderr) == nullptr) _exit(2);
      const MappedFile file(path);
      change();
      volatile char last = file.bytes().back();
      _exit(last == 'x' ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  };
  CHECK(read_after([] {}) == 0);
  const int status = read_after([&] { std::filesystem::resize_file(path, 10); });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
  CHECK(read_file(messages) == "error: " + path +
                                   ": became shorter while it was read; restore the file or make it again, and start "
                                   "anew\n");
}

}  // namespace transformer
