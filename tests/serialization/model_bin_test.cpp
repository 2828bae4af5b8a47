#include "serialization/model_bin.h"

#include "archive_bytes.h"
#include "base/error.h"
#include "catch.h"

namespace transformer {
namespace {

std::string name_bytes(const std::string& name) {
  return bytes_of_number(static_cast<uint16_t>(name.size() + 1)) + name + std::string(1, '\0');
}

std::string variable(const std::string& name, uint8_t type, const std::vector<uint32_t>& sizes,
                     const std::string& data) {
  std::string bytes = name_bytes(name) + bytes_of_number(static_cast<uint8_t>(sizes.size()));
  for (const uint32_t size : sizes) bytes += bytes_of_number(size);
  return bytes + bytes_of_number(type) + bytes_of_number(static_cast<uint32_t>(data.size())) + data;
}

std::string model_bin_of(const std::vector<std::string>& variables, const std::string& aliases = bytes_of_number(0)) {
  std::string bytes = bytes_of_number(6) + name_bytes("TransformerSpec") + bytes_of_number(7) +
                      bytes_of_number(static_cast<uint32_t>(variables.size()));
  for (const std::string& one : variables) bytes += one;
  return bytes + aliases;
}

const std::string kTwo = bytes_of_number(1.5F) + bytes_of_number(-2.F);

}  // namespace

TEST_CASE("model.bin gives back variables of each type and their other names") {
  const std::string aliases = bytes_of_number(1) + name_bytes("c") + name_bytes("a");
  const ModelBin model = read_model_bin(model_bin_of(
      {variable("a", 0, {2}, kTwo), variable("b", 1, {}, "\x07"), variable("h", 4, {1, 1}, std::string("\x00\x3C", 2))},
      aliases));
  CHECK(model.spec == "TransformerSpec");
  CHECK(model.revision == 7);
  CHECK(torch::equal(model.variables.at("a"), torch::tensor({1.5F, -2.F})));
  CHECK(torch::equal(model.variables.at("c"), model.variables.at("a")));
  CHECK(model.variables.at("b").item<int64_t>() == 7);
  CHECK(model.variables.at("h").scalar_type() == torch::kHalf);
}

TEST_CASE("model.bin has the scales of a weight under its other names, too") {
  const std::string aliases = bytes_of_number(1) + name_bytes("c") + name_bytes("a");
  const ModelBin model =
      read_model_bin(model_bin_of({variable("a", 0, {2}, kTwo), variable("a_scale", 0, {2}, kTwo)}, aliases));
  CHECK(torch::equal(model.variables.at("c_scale"), model.variables.at("a_scale")));
}

TEST_CASE("model.bin of the first version of the format has the sizes of elements instead of types") {
  const std::string bytes = bytes_of_number(1) + bytes_of_number(1) + name_bytes("a") + std::string(1, '\1') +
                            bytes_of_number(2) + std::string(1, '\4') + bytes_of_number(2) + kTwo;
  const ModelBin model = read_model_bin(bytes);
  CHECK(model.revision == 1);
  CHECK(torch::equal(model.variables.at("a"), torch::tensor({1.5F, -2.F})));
}

TEST_CASE("model.bin that is damaged is refused") {
  const std::string sound = model_bin_of({variable("a", 0, {2}, kTwo)});
  for (size_t size = 0; size < sound.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(read_model_bin(sound.substr(0, size)), DamagedFile);
  }
  const auto refuses = [](const std::string& bytes, const std::string& reason) {
    CHECK_THROWS_WITH(read_model_bin(bytes), Catch::Contains(reason));
  };
  refuses(sound + "x", "1 bytes follow its end");
  refuses(model_bin_of({variable("a", 9, {2}, kTwo)}), "'a': its type 9 is unknown");
  refuses(model_bin_of({variable("a", 0, {3}, kTwo)}), "'a': its sizes do not fit its 8 bytes");
  refuses(model_bin_of({variable("a", 0, {0, ~0U, ~0U, ~0U}, "")}), "do not fit");
  refuses(model_bin_of({variable("a", 0, {2}, kTwo), variable("a", 0, {2}, kTwo)}), "two variables 'a'");
  refuses(model_bin_of({}, bytes_of_number(1) + name_bytes("c") + name_bytes("a")), "which it lacks");
  refuses(bytes_of_number(7) + sound.substr(4), "version 7");
}

}  // namespace transformer
