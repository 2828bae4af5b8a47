#include "serialization/torch_file.h"

#include "archive_bytes.h"
#include "base/error.h"
#include "catch.h"

namespace transformer {
namespace {

using pickled::global;
using pickled::integer;
using pickled::pickle;
using pickled::tensor;
using pickled::text;

/// A dict as Python pickles it.
std::string dict(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string items;
  for (const auto& [key, value] : entries) items += text(key) + value;
  return "}(" + items + "u";
}

std::string six_floats() {
  std::string bytes;
  for (const float value : {1.F, 2.F, 3.F, 4.F, 5.F, 6.F}) bytes += bytes_of_number(value);
  return bytes;
}

/// A file of torch.save's zip format whose storage "0" has six floats.
std::string zip_file(const std::string& value) {
  return zip_of({{"model/data.pkl", pickle(value)}, {"model/byteorder", "little"}, {"model/data/0", six_floats()}});
}

/// The same in the format before zip, where a storage has one more part.
std::string legacy_file(const std::string& value) {
  std::string with_views;
  for (const char c : value) {
    if (c == 'Q' && with_views.ends_with('t')) {
      with_views.back() = 'N';
      with_views += 't';
    }
    with_views += c;
  }
  return std::string("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.", 15) + pickle("M\xE9\x03") +
         pickle(dict({{"little_endian", "\x88"}})) + pickle(with_views) + pickle(std::string("](") + text("0") + "e") +
         bytes_of_number(int64_t{6}) + six_floats();
}

/// An object with attributes, as Python pickles argparse.Namespace.
std::string object(const std::string& module, const std::string& name, const std::string& attributes) {
  return global(module, name) + ")\x81" + attributes + "b";
}

}  // namespace

TEST_CASE("torch file gives back tensors and plain values, in zip format and without") {
  const bool is_zip = GENERATE(true, false);
  const std::string value =
      dict({{"w", tensor({})},
            {"t", tensor({.sizes = {3, 2}, .strides = {1, 3}})},
            {"args", object("argparse", "Namespace", dict({{"layers", "K\x06"}, {"arch", text("transformer")}}))},
            {"list", std::string("](") + text("a") + "K\x02" + "e"},
            {"none", "N"}});
  const std::string bytes = is_zip ? zip_file(value) : legacy_file(value);
  REQUIRE(TorchFile::is_torch_file(bytes));
  TorchFile file(bytes);
  const auto find = [&](const char* key) { return file.find(file.root(), key).value(); };
  CHECK(torch::equal(file.tensor(find("w")), torch::tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}})));
  CHECK(torch::equal(file.tensor(find("t")), torch::tensor({{1.F, 4.F}, {2.F, 5.F}, {3.F, 6.F}})));
  CHECK(file.integer(file.find(find("args"), "layers").value()) == 6);
  CHECK(file.text(file.find(find("args"), "arch").value()) == "transformer");
  CHECK(file.items(find("list")).size() == 2);
  CHECK_FALSE(file.find(file.root(), "none"));
  CHECK_FALSE(file.find(file.root(), "other"));
  CHECK(file.entries(file.root()).size() == 5);
}

TEST_CASE("torch file whose bytes have changed is refused by its checksums, if it has them") {
  const std::string sound = pickle(dict({{"w", tensor({})}}));
  const auto read = [](const std::string& value, const std::string& storage, int64_t checksum = -1) {
    TorchFile file(zip_of({{.name = "m/data.pkl", .content = value, .checksum = checksum},
                           {.name = "m/data/0", .content = storage, .checksum = checksum}}));
    return file.tensor(file.find(file.root(), "w").value());
  };
  CHECK_NOTHROW(read(sound, six_floats()));
  CHECK_NOTHROW(read(sound, six_floats(), 0));  // torch.serialization.set_crc32_options(False)
  CHECK_THROWS_WITH(read(sound, six_floats(), 1), "its checksum does not fit");
  TorchFile changed(zip_of(
      {{"m/data.pkl", sound}, {.name = "m/data/0", .content = six_floats(), .checksum = crc32_of("other numbers")}}));
  CHECK_THROWS_WITH(changed.tensor(changed.find(changed.root(), "w").value()), "its checksum does not fit");
}

TEST_CASE("torch file reads the attributes of omegaconf's configs") {
  const std::string node = object("omegaconf.nodes", "AnyNode", dict({{"_val", "K\x05"}}));
  TorchFile file(zip_file(object("omegaconf.dictconfig", "DictConfig", dict({{"_content", dict({{"beam", node}})}}))));
  CHECK(file.integer(file.find(file.root(), "beam").value()) == 5);
}

TEST_CASE("torch file executes nothing, and says what a value would be") {
  const std::string call = global("posix", "system") + text("touch /tmp/x") + "\x85R";
  TorchFile file(zip_file(dict({{"w", call}})));
  const auto value = file.find(file.root(), "w").value();
  CHECK(file.describe(value) == "posix.system");
  CHECK_THROWS_WITH(file.tensor(value), "it is posix.system, not a tensor");
}

TEST_CASE("torch file with impossible tensors is refused") {
  const auto refuses = [](const pickled::TensorParts& parts) {
    TorchFile file(zip_file(dict({{"w", tensor(parts)}})));
    CHECK_THROWS_AS(file.tensor(file.find(file.root(), "w").value()), DamagedFile);
  };
  refuses({.record = "7"});
  refuses({.type = "FloatTensor"});
  refuses({.offset = 1});
  refuses({.offset = -1});
  refuses({.sizes = {2, 3}, .strides = {30, 1}});
  refuses({.sizes = {2, -3}});
  refuses({.sizes = {2, 3}, .strides = {3}});
  refuses({.sizes = {int64_t{1} << 40, 3}, .strides = {0, 0}});
  refuses({.type = "DoubleStorage"});
}

TEST_CASE("torch file that is damaged is refused") {
  for (const std::string& sound : {zip_file(dict({{"w", tensor({})}})), legacy_file(dict({{"w", tensor({})}}))}) {
    for (size_t size = 0; size < sound.size(); ++size) {
      INFO(size);
      CHECK_THROWS_AS(TorchFile(std::string_view(sound).substr(0, size)), DamagedFile);
    }
  }
  const auto refuses = [](const std::string& value) {
    INFO(value);
    CHECK_THROWS_AS(TorchFile(zip_file(value)), DamagedFile);
  };
  refuses("");
  refuses("u");
  refuses("(");
  refuses("N(t.t");
  refuses("}K\x01s");
  refuses(std::string("h\0", 2));
  refuses("X\xFF\xFF\xFF\xFFx");
  refuses("NN");
  refuses("Nb");
  refuses("i");
  const std::string big_endian =
      zip_of({{"model/data.pkl", pickle("N")}, {"model/byteorder", "big"}, {"model/data/0", six_floats()}});
  CHECK_THROWS_WITH(TorchFile(big_endian), Catch::Contains("not little-endian"));
}

}  // namespace transformer
