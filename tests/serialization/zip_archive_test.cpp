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

using pickled::global;
using pickled::integer;
using pickled::pickle;
using pickled::tensor;
using pickled::text;

const std::string kSixFloats(24, '\0');
const std::string kPut = std::string("q\0", 2), kGet = std::string("h\0", 2);  // of the pickle's memo

/// A file with the right checksum and this pickle, and with a record of six floats.
std::string file_with_pickle(const std::string& bytes, const std::string& record = kSixFloats) {
  return with_checksum(zip_of({{"archive/data/0", record}, {"archive/data.pkl", bytes}}));
}
std::string file_of(const std::string& value) { return file_with_pickle(pickle(value)); }
std::string file_with_tensor(const pickled::TensorParts& parts) {
  return file_of(pickled::dict({{"a", tensor(parts)}}));
}

Archive load(const std::string& bytes) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "m.pt", bytes);
  return load_zip_archive(directory / "m.pt");
}
Archive load_entry(const std::string& value) { return load(file_of(pickled::dict({{"a", value}}))); }

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
      file_of(pickled::dict({{"a", nested_lists}})), file_of(pickled::dict({{"a", global("os", "system")}})),
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

TEST_CASE("zip archive has every kind of value that a pickle has") {
  std::string six_floats;
  for (int i = 0; i < 6; ++i) six_floats += bytes_of_number(static_cast<float>(i));
  const Archive values =
      load(file_with_pickle(pickle(pickled::dict({{"text", text("x\ny")},
                                                  {"byte", std::string("K\xFF")},
                                                  {"two bytes", "M\xFE\xFF"},
                                                  {"four bytes", "J\xFE\xFF\xFF\xFF"},
                                                  {"eight bytes", integer(int64_t{-1} << 62)},
                                                  {"number", std::string("G\x3F\xF8\0\0\0\0\0\0", 9)},
                                                  {"tensor", tensor({.offset = 3, .sizes = {1, 3}})},
                                                  {"tensors", pickled::dict({{"b", tensor({})}, {"a", tensor({})}})}})),
                            six_floats));
  REQUIRE(values.size() == 8);
  CHECK(archive_entry<std::string>(values, "text", "m") == "x\ny");
  CHECK(archive_entry<int64_t>(values, "byte", "m") == 255);
  CHECK(archive_entry<int64_t>(values, "two bytes", "m") == 65534);
  CHECK(archive_entry<int64_t>(values, "four bytes", "m") == -2);
  CHECK(archive_entry<int64_t>(values, "eight bytes", "m") == int64_t{-1} << 62);
  CHECK(archive_entry<double>(values, "number", "m") == 1.5);
  CHECK(torch::equal(archive_entry<torch::Tensor>(values, "tensor", "m"), torch::tensor({{3.F, 4.F, 5.F}})));
  const auto& tensors = archive_entry<NamedTensors>(values, "tensors", "m");
  REQUIRE(tensors.size() == 2);
  CHECK(torch::equal(tensors.at("b"), torch::arange(6, torch::kFloat).reshape({2, 3})));
  CHECK(tensors.contains("a"));
}

TEST_CASE("zip archive's memo gives a text again, in its order and not without limit") {
  const Archive values = load(file_of(pickled::dict({{"a", text("x") + kPut}, {"b", kGet}})));
  CHECK(archive_entry<std::string>(values, "b", "m") == "x");
  CHECK(load_entry(text("x") + std::string("r\0\0\0\0", 5)).size() == 1);
  CHECK_THROWS_WITH(load_entry(kGet), Catch::Contains("an unknown number of its memo"));
  CHECK_THROWS_WITH(load_entry(text("x") + "q\x01"), Catch::Contains("an unexpected number in its memo"));
  CHECK_THROWS_WITH(load_entry(text("x") + "r\xFF\xFF\xFF\xFF"), Catch::Contains("unexpected number in its memo"));

  std::vector<std::pair<std::string, std::string>> entries = {{"0", text(std::string(100000, 'x')) + kPut}};
  for (int i = 1; i < 1000; ++i) entries.emplace_back(std::to_string(i), kGet);  // 100 MB in all
  CHECK_THROWS_WITH(load(file_of(pickled::dict(entries))), Catch::Contains("a text that is repeated too often"));
}

TEST_CASE("zip archive may not use a dict or a tensor twice") {
  for (const std::string& value : {tensor({}), pickled::dict({{"x", tensor({})}})}) {
    CHECK_THROWS_WITH(load(file_of(pickled::dict({{"a", value + kPut}, {"b", kGet}}))),
                      Catch::Contains("a dict or a tensor that occurs twice"));
  }
}

TEST_CASE("zip archive with anything else than a model is refused without doing what its pickle says") {
  const auto nested = [](const std::string& opcode) {
    std::string all;
    for (int i = 0; i < 300000; ++i) all += opcode;
    return all;
  };
  const std::string begin_dict = global("torch.jit._pickle", "restore_type_tag") + "}(" + text("a");
  const std::string value = GENERATE_COPY(
      std::string(), std::string("N"), std::string("\x88"), std::string("]"), std::string("("),
      std::string("X\xFF\xFF\xFF\xFF", 5), std::string("\x8A\xFF"), nested("]"), nested("("), nested("}"),
      nested(begin_dict), global("os", "system") + text("true") + "\x85R", global("posix", "system"),
      std::string("cos"), pickled::dict({{"x", text("not a tensor")}}), pickled::dict({{"x", pickled::dict({})}}),
      tensor({.type = "FloatTensor"}), tensor({.type = "Float\nStorage"}), tensor({.record = std::string(100, '0')}),
      tensor({.sizes = std::vector<int64_t>(9, 1), .strides = std::vector<int64_t>(9, 1)}),
      tensor({.sizes = std::vector<int64_t>(300000, 1), .strides = {}}));
  INFO(value.substr(0, 100));
  CHECK_THROWS_AS(load_entry(value), DamagedFile);
}

TEST_CASE("zip archive whose pickle is cut short or followed by other bytes is refused") {
  const std::string sound = pickle(pickled::dict({{"a", tensor({})}, {"b", text("x")}}));
  CHECK(load(file_with_pickle(sound)).size() == 2);
  for (size_t size = 0; size < sound.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(load(file_with_pickle(sound.substr(0, size))), DamagedFile);
  }
  CHECK_THROWS_WITH(load(file_with_pickle(sound + ".")), Catch::Contains("bytes after its end"));
  CHECK_THROWS_WITH(load(file_of(text("x"))), Catch::Contains("it has a text instead of a dict"));
  CHECK_THROWS_WITH(load(file_with_pickle("\x80\x04" + sound.substr(2))), Catch::Contains("another protocol"));
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
