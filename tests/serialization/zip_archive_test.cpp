#include "serialization/zip_archive.h"

#include <limits>

#include "archive_bytes.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "named_tensors.h"
#include "save_zip_archive.h"

namespace transformer {
namespace {

using pickled::pickle;
using pickled::tensor;

const std::string kSixFloats(24, '\0');

/// A file with the right checksum whose pickle is `value`, and with a record of six floats.
std::string file_of(const std::string& value) {
  return with_checksum(zip_of({{"archive/data/0", kSixFloats}, {"archive/data.pkl", pickle(value)}}));
}

std::string file_with_tensor(const pickled::TensorParts& parts) {
  return file_of(pickled::dict({{"a", tensor(parts)}}));
}

}  // namespace

TEST_CASE("zip archive gives back every kind of value, also when it is saved again") {
  const TemporaryDirectory directory;
  const NamedTensors tensors = tensors_of_every_kind();
  const Archive archive = {{"text", std::string("a\0\n", 3)},
                           {"same text", std::string("a\0\n", 3)},
                           {"step", int64_t{200}},
                           {"negative", int64_t{-3}},
                           {"large", std::numeric_limits<int64_t>::max()},
                           {"seconds", 1.5},
                           {"infinite", std::numeric_limits<double>::infinity()},
                           {"tensor", torch::arange(5, torch::kByte)},
                           {"no tensors", NamedTensors()},
                           {"tensors", tensors}};
  save_zip_archive(directory / "a", archive);
  save_zip_archive(directory / "b", load_zip_archive(directory / "a"));
  const Archive loaded = load_zip_archive(directory / "b");
  REQUIRE(loaded.size() == archive.size());
  for (const char* name : {"text", "same text"}) {
    CHECK(archive_entry<std::string>(loaded, name, "b") == std::string("a\0\n", 3));
  }
  for (const char* name : {"step", "negative", "large"}) {
    CHECK(archive_entry<int64_t>(loaded, name, "b") == archive_entry<int64_t>(archive, name, "a"));
  }
  for (const char* name : {"seconds", "infinite"}) {
    CHECK(archive_entry<double>(loaded, name, "b") == archive_entry<double>(archive, name, "a"));
  }
  CHECK(torch::equal(archive_entry<torch::Tensor>(loaded, "tensor", "b"), torch::arange(5, torch::kByte)));
  CHECK(archive_entry<NamedTensors>(loaded, "no tensors", "b").empty());
  const Archive part = load_zip_archive(directory / "b", {"step", "tensors", "no such entry"});
  CHECK(part.size() == 2);
  CHECK(archive_entry<int64_t>(part, "step", "b") == 200);
  CHECK(archive_entry<NamedTensors>(part, "tensors", "b").size() == tensors.size());
  check_same_tensors(archive_entry<NamedTensors>(loaded, "tensors", "b"), tensors);
}

TEST_CASE("zip archive whose values are not those that the program writes is refused, with the right checksum too") {
  const TemporaryDirectory directory;
  const int64_t huge = int64_t{1} << 62;
  const auto zip = [](const RecordBytes& record) { return with_checksum(zip_of({record})); };
  const std::string nested_lists = [] {
    std::string lists(300000, ']');
    for (int i = 1; i < 300000; ++i) lists += 'a';  // APPEND
    return lists;
  }();
  const std::string bytes = GENERATE_COPY(
      file_of(pickled::dict({{"a", nested_lists}})), file_of(pickled::dict({{"a", pickled::global("os", "system")}})),
      // Views beyond their storage.
      file_with_tensor({.offset = 1}), file_with_tensor({.offset = huge}), file_with_tensor({.offset = -1}),
      file_with_tensor({.sizes = {2, 4}, .strides = {4, 1}}), file_with_tensor({.strides = {huge, 1}}),
      file_with_tensor({.strides = {-3, 1}}), file_with_tensor({.sizes = {-2, -3}}), file_with_tensor({.strides = {}}),
      file_with_tensor({.sizes = {huge, 4}, .strides = {4, 1}}), file_with_tensor({.sizes = {0, huge, huge}}),
      // Elements that occur several times could need any amount of memory.
      file_with_tensor({.sizes = {huge}, .strides = {0}}), file_with_tensor({.sizes = {6}, .strides = {0}}),
      // Storages that are not their record.
      file_with_tensor({.elements = 7, .sizes = {7}, .strides = {1}}), file_with_tensor({.elements = huge}),
      file_with_tensor({.type = "DoubleStorage"}), file_with_tensor({.type = "BoolStorage", .elements = 24}),
      file_with_tensor({.type = "NoStorage"}), file_with_tensor({.record = "1"}),
      // Names that occur twice.
      file_of(pickled::dict({{"a", tensor({})}, {"a", tensor({})}})),
      file_of(pickled::dict({{"a", pickled::dict({{"b", tensor({})}, {"b", tensor({})}})}})),
      // Records.
      with_checksum(zip_of({})), zip({"archive/data/0", kSixFloats}),
      zip({"archive/data.pkl", std::string(size_t{17} << 20, ']')}),
      zip({.name = "archive/data.pkl", .content = "", .size = huge, .compressed_size = huge}),
      zip({.name = "archive/data.pkl", .content = "", .size = huge}),
      zip({.name = "archive/data.pkl", .content = "x", .compression = 8}));
  write_file_atomically(directory / "m.pt", bytes);
  CHECK_THROWS_AS(load_zip_archive(directory / "m.pt"), DamagedFile);
  CHECK_THROWS_WITH(load_zip_archive(directory / "m.pt"),
                    Catch::Contains("m.pt: its checksum fits, but it is not a model file of this program ("));
}

TEST_CASE("zip archive whose tensors share a record takes no more memory than its file") {
  const TemporaryDirectory directory;
  std::vector<std::pair<std::string, std::string>> entries;
  const auto save = [&](int count) {
    entries.clear();
    for (int i = 0; i < count; ++i)
      entries.emplace_back(std::to_string(i), tensor({.elements = 25000, .sizes = {25000}, .strides = {1}}));
    write_file_atomically(directory / "m.pt",
                          with_checksum(zip_of({{"archive/data/0", std::string(100000, '\0')},
                                                {"archive/data.pkl", pickle(pickled::dict(entries))}})));
  };
  save(1);
  CHECK(load_zip_archive(directory / "m.pt").size() == 1);
  save(100);
  CHECK_THROWS_WITH(load_zip_archive(directory / "m.pt"), Catch::Contains("need more bytes than the file has"));
}

}  // namespace transformer
