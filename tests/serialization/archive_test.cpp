#include "serialization/archive.h"

#include <limits>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "named_tensors.h"
#include "save_zip_archive.h"
#include "serialization/safetensors.h"

namespace transformer {

TEST_CASE("archive gives back every kind of value, also when it is saved again") {
  const TemporaryDirectory directory;
  NamedTensors tensors = tensors_of_every_kind();
  tensors.insert("aligned", torch::arange(64, torch::kFloat));
  NamedTensors parameters;
  parameters.insert("a.b", torch::tensor({1.5, 2.5}));
  const Archive archive = {
      {"text", std::string("a\n\"\\crc32c\":\"", 15)},       {"step", int64_t{200}},     {"negative", int64_t{-3}},
      {"large", std::numeric_limits<int64_t>::max()},        {"seconds", 1.5},           {"whole", 7.0},
      {"infinite", std::numeric_limits<double>::infinity()}, {"parameters", parameters}, {"tensors", tensors}};
  save_archive(directory / "a", archive);
  save_archive(directory / "b", load_archive(directory / "a"));
  CHECK(read_file(directory / "a") == read_file(directory / "b"));
  const Archive loaded = load_archive(directory / "b");
  REQUIRE(loaded.size() == archive.size());
  CHECK(archive_entry<std::string>(loaded, "text", "b") == archive_entry<std::string>(archive, "text", "a"));
  for (const char* name : {"step", "negative", "large"}) {
    CHECK(archive_entry<int64_t>(loaded, name, "b") == archive_entry<int64_t>(archive, name, "a"));
  }
  for (const char* name : {"seconds", "whole", "infinite"}) {
    CHECK(archive_entry<double>(loaded, name, "b") == archive_entry<double>(archive, name, "a"));
  }
  const Archive part = load_archive(directory / "b", {"step", "tensors", "no such entry"});
  CHECK(part.size() == 2);
  CHECK(archive_entry<int64_t>(part, "step", "b") == 200);
  CHECK(archive_entry<NamedTensors>(part, "tensors", "b").size() == tensors.size());
  CHECK(torch::equal(archive_entry<NamedTensors>(loaded, "parameters", "b").at("a.b"), parameters.at("a.b")));
  check_same_tensors(archive_entry<NamedTensors>(loaded, "tensors", "b"), tensors);
}

TEST_CASE("archive: a damaged byte is found wherever it is, and so are bytes that are missing or follow") {
  const TemporaryDirectory directory;
  NamedTensors parameters;
  parameters.insert("matrix", torch::arange(32, torch::kFloat));
  parameters.insert("odd", torch::arange(3, torch::kByte));
  save_archive(directory / "a", {{"text", std::string("x")}, {"step", int64_t{3}}, {kParameters, parameters}});
  const std::string bytes = read_file(directory / "a");
  REQUIRE(bytes.size() > 300);
  const auto is_refused = [&](const std::string& changed) {
    write_file_atomically(directory / "b", changed);
    try {
      load_archive(directory / "b");
      return false;
    } catch (const DamagedFile&) {
      return true;
    }
  };
  CHECK_FALSE(is_refused(bytes));
  size_t num_found = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char bit : {1, 16}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      if (is_refused(changed)) {
        ++num_found;
      } else {
        FAIL_CHECK("byte " << i);
      }
    }
    if (!is_refused(bytes.substr(0, i))) FAIL_CHECK("cut to " << i << " bytes");
  }
  CHECK(num_found == 2 * bytes.size());
  CHECK(is_refused(bytes + '\0'));
  CHECK(is_refused(bytes + bytes));
}

TEST_CASE("archive: the message says which part is damaged") {
  const TemporaryDirectory directory;
  NamedTensors parameters;
  parameters.insert("matrix", torch::arange(32, torch::kFloat));
  save_archive(directory / "a", {{"text", std::string("hello")}, {kParameters, parameters}});
  const std::string bytes = read_file(directory / "a");
  const auto check_message = [&](const std::string& changed, const std::string& message) {
    write_file_atomically(directory / "m", changed);
    CHECK_THROWS_WITH(load_archive(directory / "m"), Catch::Contains("/m: ") && Catch::Contains(message));
  };
  std::string changed = bytes;
  changed.back() = 'x';
  check_message(changed, "damaged (the checksum of its tensor 'matrix' does not fit)");
  changed = bytes;
  changed[changed.find("hello")] = 'j';
  check_message(changed, "damaged (the checksum of its header does not fit)");
  check_message(bytes.substr(0, bytes.size() - 1), "it is cut short: its tensors need 128 bytes, and 127 follow");
  check_message(bytes + "x", "bytes follow its end: its tensors need 128 bytes, and 129 follow");
  check_message(bytes.substr(0, 100), "cut short");
  check_message("", "not a model file of this program, or cut short");
  save_safetensors(directory / "m", {.metadata = {{"text", "hello"}}, .tensors = parameters});
  CHECK_THROWS_WITH(load_archive(directory / "m"), Catch::Contains("the checksum of its header does not fit"));
}

TEST_CASE("archive: an entry whose tensors are not wanted is not checked") {
  const TemporaryDirectory directory;
  NamedTensors parameters, optimizer;
  parameters.insert("a", torch::arange(32, torch::kFloat));
  optimizer.insert("a", torch::arange(32, torch::kFloat));
  save_archive(directory / "a", {{kParameters, parameters}, {"optimizer", optimizer}});
  std::string bytes = read_file(directory / "a");
  const size_t header_bytes = bytes.size() - 256;
  bytes[header_bytes + 3] = 'x';  // of the optimizer, whose name is before that of the parameters
  write_file_atomically(directory / "a", bytes);
  CHECK(load_archive(directory / "a", {kParameters}).size() == 1);
  CHECK_THROWS_WITH(load_archive(directory / "a"), Catch::Contains("tensor 'optimizer/a'"));
}

TEST_CASE("archive entry of another type is an error that names the file, the entry and both types") {
  const Archive archive = {{"config", int64_t{3}}, {"parameters", std::string("x")}, {"step", 1.5}};
  CHECK_THROWS_AS(archive_entry<std::string>(archive, "config", "m.pt"), DamagedFile);
  CHECK_THROWS_WITH(archive_entry<std::string>(archive, "config", "m.pt"),
                    Catch::StartsWith("m.pt: its entry 'config' is an integer, expected a text; "));
  CHECK_THROWS_WITH(archive_entry<NamedTensors>(archive, "parameters", "m.pt"),
                    Catch::Contains("is a text, expected a dict of tensors"));
  CHECK_THROWS_WITH(archive_entry<int64_t>(archive, "step", "m.pt"),
                    Catch::Contains("is a floating-point number, expected an integer"));
  CHECK_THROWS_WITH(archive_entry<double>(archive, "seconds", "m.pt"), Catch::Contains("m.pt: has no entry 'seconds'"));
}

TEST_CASE("archive is recognized by its beginning") {
  const TemporaryDirectory directory;
  const Archive archive = {{"step", int64_t{1}}};
  save_archive(directory / "a", archive);
  CHECK(is_archive(directory / "a"));
  save_zip_archive(directory / "a", archive);
  CHECK(is_archive(directory / "a"));
  save_safetensors(directory / "a", {.metadata = {{"format", "pt"}}, .tensors = NamedTensors()});
  CHECK_FALSE(is_archive(directory / "a"));
  const std::string other = GENERATE("", "PK", "PK are letters", "\n\x0E\n");
  write_file_atomically(directory / "a", other);
  CHECK_FALSE(is_archive(directory / "a"));
}

}  // namespace transformer
