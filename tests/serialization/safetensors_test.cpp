#include "serialization/safetensors.h"

#include <fmt/core.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "export/safetensors_export.h"
#include "tiny_model.h"

namespace transformer {
namespace {

/// The bytes of a file with this header, followed by the tensors' bytes.
std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + header + data;
}

}  // namespace

TEST_CASE("safetensors: every type, shape and text is read back as it was written") {
  const TemporaryDirectory directory;
  SafeTensors content;
  content.metadata = {{"config", "model:\n  N: 2  # \"six\"\n"}, {"empty", ""}};
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kBFloat16, torch::kHalf, torch::kLong, torch::kInt,
                          torch::kShort, torch::kChar, torch::kByte, torch::kBool}) {
    content.tensors.insert(fmt::format("of.{}", c10::toString(type)), torch::arange(6).view({2, 3}).to(type));
  }
  content.tensors.insert("scalar", torch::tensor(2.5));
  content.tensors.insert("nothing", torch::empty({0, 4}));
  content.tensors.insert("transposed", torch::arange(6, torch::kFloat).view({2, 3}).t());
  save_safetensors(directory / "x", content);
  const SafeTensors again = load_safetensors(directory / "x");
  CHECK(again.metadata == content.metadata);
  REQUIRE(again.tensors.size() == content.tensors.size());
  for (const auto& entry : content.tensors) {
    INFO(entry.key());
    const auto& tensor = again.tensors.at(entry.key());
    CHECK(tensor.scalar_type() == entry.value().scalar_type());
    CHECK(torch::equal(tensor, entry.value()));
  }
}

TEST_CASE("safetensors: the bytes follow the format") {
  const TemporaryDirectory directory;
  SafeTensors content;
  content.tensors.insert("a", torch::tensor({1, 2}, torch::kByte));
  save_safetensors(directory / "x", content);
  const std::string header = R"({"__metadata__":{},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  CHECK(read_file(directory / "x") == file_of(header + std::string(64 - (8 + header.size()) % 64, ' '), "\x01\x02"));
}

TEST_CASE("safetensors: an error names a damaged file, for any kind of damage") {
  const TemporaryDirectory directory;
  const std::string path = directory / "x";
  const auto entry = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return file_of(fmt::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets),
                   "12345678");
  };
  const std::string bytes = GENERATE_COPY(
      std::string(), std::string("1234567"), file_of("{", ""), file_of("[]", ""), file_of("{\"a\":1}", ""),
      std::string(8, '\xFF'), entry("F33", "[2]", "[0,8]"), entry("F32", "[3]", "[0,8]"), entry("F32", "[3]", "[0,12]"),
      entry("F32", "[-2]", "[0,8]"), entry("F32", "[1.5]", "[0,8]"), entry("F32", "[2]", "[8,0]"),
      entry("F32", "[2]", "[0]"), entry("F32", "[2]", "[-8,0]"), entry("F32", "[4294967296,4294967296]", "[0,8]"),
      entry("F32", "[1]", "[0,4]"), entry("F32", "[1]", "[4,8]"), entry("BOOL", "[8]", "[0,8]"),
      entry("F32", "[0,4294967296,4294967296]", "[0,0]"), entry("U8", "[8]", "[0,9223372036854775807]"),
      entry("U8", "[8]", "[18446744073709551608,18446744073709551616]"), entry("U8", "[9]", "[0,9]"),
      entry("U8", "[7]", "[0,7]"), std::string("\0\0\0\0\0\0\0\x7F{}", 10), std::string("\1\xE1\xF5\5\0\0\0\0{}", 10),
      file_of(
          R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
          "12345678"),
      file_of(R"({"__metadata__":{"a":1}})", ""), file_of(R"({"__metadata__":{"a":"1","a":"2"}})", ""),
      file_of(
          R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
          "12345678"));
  write_file_atomically(path, bytes);
  CHECK_THROWS_AS(load_safetensors(path), DamagedFile);
  CHECK_THROWS_WITH(load_safetensors(path), Catch::StartsWith(path + ": not a valid safetensors file ("));
}

TEST_CASE("safetensors: tensors are those of the file, mapped into memory, and checked one by one") {
  const TemporaryDirectory directory;
  SafeTensors content;
  content.metadata = {{"config", "x"}};
  content.tensors.insert("odd", torch::arange(3, torch::kByte));
  content.tensors.insert("bfloat16", torch::arange(32).to(torch::kBFloat16));
  content.tensors.insert("small", torch::arange(3, torch::kFloat));
  content.tensors.insert("large", torch::arange(32, torch::kFloat));
  save_checked_safetensors(directory / "x", content);
  std::string bytes = read_file(directory / "x");
  torch::Tensor large;
  {
    const MappedSafetensors file(directory / "x");
    // Those come first that leave the next ones aligned, so that these need not be copied.
    CHECK(file.names() == std::vector<std::string>{"large", "bfloat16", "small", "odd"});
    CHECK(file.metadata().at("config") == "x");
    for (size_t i = 0; i < file.names().size(); ++i) {
      const auto tensor = file.tensor(i);
      CHECK(torch::equal(tensor, content.tensors.at(file.names()[i])));
      CHECK(file.tensor(i).data_ptr() == tensor.data_ptr());  // that of the file
    }
    large = file.tensor(0);
  }
  CHECK(torch::equal(large, content.tensors.at("large")));  // although the object is gone

  bytes.back() = '?';
  write_file_atomically(directory / "x", bytes);
  const MappedSafetensors file(directory / "x");
  CHECK(torch::equal(file.tensor(2), content.tensors.at("small")));
  CHECK_THROWS_AS(file.tensor(3), DamagedFile);
  CHECK_THROWS_WITH(file.tensor(3), Catch::Contains("/x: damaged (the checksum of its tensor 'odd' does not fit)"));
  CHECK_THROWS_WITH(load_safetensors(directory / "x"), Catch::Contains("tensor 'odd'"));
}

TEST_CASE("model export: an exported model is imported unchanged") {
  const TemporaryDirectory directory;
  const auto model = tiny_model(tiny_config());
  const ModelFile file{"model:\n  N: 2\n", {std::string("vocabulary\0bytes", 16)}, copy_parameters(*model)};
  export_safetensors(file, directory / "out");
  const ModelFile again = import_safetensors(directory / "out");
  CHECK(again.config == file.config);
  CHECK(again.vocabularies == file.vocabularies);
  REQUIRE(again.parameters.size() == file.parameters.size());
  for (const auto& entry : file.parameters) CHECK(torch::equal(again.parameters.at(entry.key()), entry.value()));

  save_safetensors(directory / "out/model.safetensors", {.metadata = {}, .tensors = file.parameters});
  CHECK_THROWS_WITH(import_safetensors(directory / "out"), Catch::Contains("has no config in its metadata"));
}

TEST_CASE("safetensors: a file is recognized by its beginning and its size") {
  const std::string bytes = file_of("{}", "");
  CHECK(is_safetensors(bytes, bytes.size()));
  CHECK(is_safetensors(bytes.substr(0, 9), 1000));
  CHECK_FALSE(is_safetensors(bytes.substr(0, 8), 1000));
  CHECK_FALSE(is_safetensors(bytes, 2));
  CHECK_FALSE(is_safetensors(file_of("[]", ""), 1000));
  CHECK_FALSE(is_safetensors("", 0));
}

}  // namespace transformer
