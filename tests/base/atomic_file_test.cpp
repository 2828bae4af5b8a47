#include "base/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

constexpr uid_t kUser = 65534, kKeepUser = static_cast<uid_t>(-1);
constexpr gid_t kForeignGroup = 54321, kKeepGroup = static_cast<gid_t>(-1);  // no user is in the former

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status;
}

}  // namespace

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
  std::filesystem::create_symlink("/dev/null", directory / "null");
  write_file_atomically(directory / "null", "nothing");
  CHECK(std::filesystem::is_symlink(directory / "null"));
}

TEST_CASE("atomic file writes the target of a symbolic link that does not exist yet") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "folder");
  std::filesystem::create_symlink("folder/new", directory / "inner");
  std::filesystem::create_symlink("inner", directory / "link");
  write_file_atomically(directory / "link", "new");
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(std::filesystem::is_symlink(directory / "inner"));
  CHECK(read_file(directory / "folder/new") == "new");
}

TEST_CASE("atomic file keeps the permissions of the file that it replaces") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "old");
  const auto mode = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(directory / "file", mode);
  write_file_atomically(directory / "file", "new");
  CHECK(std::filesystem::status(directory / "file").permissions() == mode);
  std::filesystem::permissions(directory / "file", std::filesystem::perms::owner_read);
  const bool is_root = geteuid() == 0;  // who may write any file
  if (is_root) {
    for (const auto& path : {directory.path(), directory / "file"})
      REQUIRE(chown(path.c_str(), kUser, kKeepGroup) == 0);
    if (setresuid(kUser, kUser, 0) != 0) return;  // a container may not allow it
  }
  CHECK_THROWS_WITH(write_file_atomically(directory / "file", "newer"), Catch::Contains("cannot be written"));
  if (is_root) REQUIRE(setresuid(0, 0, 0) == 0);
  CHECK(read_file(directory / "file") == "new");
}

TEST_CASE("atomic file gives a new file the permissions that the umask leaves") {
  const TemporaryDirectory directory;
  const auto [mask, mode] = GENERATE(table<mode_t, mode_t>({{0002, 0664}, {0022, 0644}, {0077, 0600}}));
  const mode_t before = umask(mask);
  write_file_atomically(directory / "file", "new");
  umask(before);
  CHECK((status_of(directory / "file").st_mode & 0777) == mode);
}

TEST_CASE("atomic file keeps the group of the file that it replaces, if the process may set it") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  std::vector<gid_t> groups(static_cast<size_t>(getgroups(0, nullptr)));
  REQUIRE(getgroups(static_cast<int>(groups.size()), groups.data()) == std::ssize(groups));
  if (geteuid() == 0) groups.push_back(kForeignGroup);  // who may set any group
  for (const gid_t group : groups) {
    write_file_atomically(path, "old");
    if (chown(path.c_str(), kKeepUser, group) != 0) continue;  // a container may not have every group
    REQUIRE(chmod(path.c_str(), 0664) == 0);
    write_file_atomically(path, "new");
    CHECK(status_of(path).st_gid == group);
    CHECK((status_of(path).st_mode & 0777) == 0664);
  }
}

TEST_CASE("atomic file gives the group no permissions if the process may not set the old group") {
  if (geteuid() != 0) return;  // another user cannot give a file to a foreign group
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, "old");
  if (chown(path.c_str(), kUser, kForeignGroup) != 0) return;  // a container may not have this group
  REQUIRE(chown(directory.path().c_str(), kUser, kUser) == 0);
  REQUIRE(chmod(path.c_str(), 0664) == 0);
  REQUIRE(seteuid(kUser) == 0);
  CHECK_NOTHROW(write_file_atomically(path, "new"));
  REQUIRE(seteuid(0) == 0);
  CHECK(status_of(path).st_gid != kForeignGroup);
  CHECK((status_of(path).st_mode & 0777) == 0604);
}

TEST_CASE("atomic file appends to an open file that its path names") {
  const TemporaryDirectory directory;
  std::FILE* file = std::fopen((directory / "file").c_str(), "ab");
  REQUIRE(file != nullptr);
  std::fputs("first, ", file);
  std::fflush(file);
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    write_file_atomically(folder + std::to_string(fileno(file)), "next, ");
  }
  std::fputs("last", file);
  std::fclose(file);
  CHECK(read_file(directory / "file") == "first, next, next, last");
}

}  // namespace transformer
