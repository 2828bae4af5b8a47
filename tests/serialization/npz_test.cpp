#include "serialization/npz.h"

#include "archive_bytes.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

/// A `.npy` file.
std::string npy(const std::string& header, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of_number(static_cast<uint16_t>(header.size())) + header + data;
}

std::string header_of(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

NamedTensors read_array(const std::string& array) { return read_npz(zip_of({{"a.npy", array}})); }

const std::string kSixNumbers = [] {
  std::string bytes;
  for (const float value : {1.F, 2.F, 3.F, 4.F, 5.F, 6.F}) bytes += bytes_of_number(value);
  return bytes;
}();

}  // namespace

TEST_CASE("npz gives back arrays of numbers in both orders") {
  const auto c_order = read_array(npy(header_of("<f4", "(2, 3)"), kSixNumbers)).at("a");
  CHECK(torch::equal(c_order, torch::tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}})));
  const auto fortran = read_array(npy(header_of("<f4", "(2, 3)", "True"), kSixNumbers)).at("a");
  CHECK(torch::equal(fortran, torch::tensor({{1.F, 3.F, 5.F}, {2.F, 4.F, 6.F}})));
  CHECK(fortran.is_contiguous());
  CHECK(read_array(npy(header_of("<f4", "(6,)"), kSixNumbers)).at("a").sizes() == torch::IntArrayRef{6});
  CHECK(read_array(npy(header_of("|i1", "()"), "x")).at("a").item<int64_t>() == 'x');
  CHECK(read_array(npy(header_of("<i1", "(2,)"), "ab")).at("a").scalar_type() == torch::kChar);  // as Marian writes it
  CHECK(read_array(npy(header_of("<f4", "(0, 3)"), "")).at("a").numel() == 0);
}

TEST_CASE("npz that is saved is read again") {
  const TemporaryDirectory directory;
  NamedTensors arrays;
  arrays.insert("matrix", torch::arange(6, torch::kFloat).view({2, 3}));
  arrays.insert("row", torch::arange(3, torch::kFloat).unsqueeze(0));
  arrays.insert("bytes", torch::tensor({1, -2}, torch::kChar));
  arrays.insert("number", torch::tensor(0.5));
  save_npz(directory / "a.npz", arrays);
  const std::string bytes = read_file(directory / "a.npz");
  CHECK(is_npz(bytes));
  const NamedTensors found = read_npz(bytes);
  REQUIRE(found.size() == arrays.size());
  for (const auto& entry : arrays) {
    CHECK(found.at(entry.key()).scalar_type() == entry.value().scalar_type());
    CHECK(torch::equal(found.at(entry.key()), entry.value()));
  }
}

TEST_CASE("npz says of each array, and of its record, when their bytes are no longer needed") {
  const std::string one = npy(header_of("<f4", "(6,)"), kSixNumbers), other = npy(header_of("<i1", "(2,)"), "ab");
  const std::string archive = zip_of({{"a.npy", one}, {"b.npy", other}});
  std::vector<std::string> released;
  read_npz(archive, [&](std::string_view part) { released.emplace_back(part); });
  CHECK(released == std::vector<std::string>{std::string(kSixNumbers), one, "ab", other});
}

TEST_CASE("npz that NumPy compressed is read, too") {
  // zlib.compress(b"...", wbits=-15) of a header and one byte, as a stored block of deflate.
  const std::string array = npy(header_of("|u1", "(1,)"), "x");
  const auto size = static_cast<uint16_t>(array.size());
  const std::string block =
      std::string("\x01") + bytes_of_number(size) + bytes_of_number(static_cast<uint16_t>(~size)) + array;
  const std::string archive = zip_of({{.name = "a.npy",
                                       .content = block,
                                       .compression = 8,
                                       .size = static_cast<int64_t>(array.size()),
                                       .checksum = crc32_of(array)}});
  CHECK(is_npz(archive));
  CHECK(read_npz(archive).at("a").item<int64_t>() == 'x');
  const std::string larger =
      zip_of({{.name = "a.npy", .content = block, .compression = 8, .size = static_cast<int64_t>(array.size()) + 1}});
  CHECK_THROWS_WITH(read_npz(larger), Catch::Contains("compressed bytes are damaged"));
  const std::string bomb = zip_of({{.name = "a.npy", .content = block, .compression = 8, .size = int64_t{1} << 50}});
  CHECK_THROWS_WITH(read_npz(bomb), Catch::Contains("cannot give"));
}

TEST_CASE("npz whose bytes have changed is refused by its checksum") {
  std::string archive = zip_of({{"a.npy", npy(header_of("<f4", "(6,)"), kSixNumbers)}});
  CHECK(read_npz(archive).size() == 1);
  archive.at(archive.find(kSixNumbers) + 1) ^= 1;
  CHECK_THROWS_WITH(read_npz(archive), "array 'a': its checksum does not fit");
}

TEST_CASE("npz with other arrays is refused") {
  const auto refuses = [](const std::string& array, const std::string& reason) {
    INFO(reason);
    CHECK_THROWS_WITH(read_array(array), Catch::StartsWith("array 'a': ") && Catch::Contains(reason));
  };
  refuses(npy(header_of(">f4", "(6,)"), kSixNumbers), "big-endian");
  refuses(npy(header_of("|O", "(6,)"), kSixNumbers), "its type '|O'");
  refuses(npy(header_of("<c8", "(3,)"), kSixNumbers), "its type '<c8'");
  refuses(npy(header_of("<f4", "(7,)"), kSixNumbers), "needs 28 bytes");
  refuses(npy(header_of("<f4", "(-1,)"), kSixNumbers), "impossible");
  refuses(npy(header_of("<f4", "(1099511627776, 1099511627776, 0)"), ""), "impossible");
  refuses(npy("{}", kSixNumbers), "no 'descr'");
  refuses("x", "cut short");
  refuses("nothing of NumPy", "not in NumPy's format");
  const std::string sound = npy(header_of("<f4", "(2, 3)"), kSixNumbers);
  for (size_t size = 0; size < sound.size(); ++size) CHECK_THROWS_AS(read_array(sound.substr(0, size)), DamagedFile);
  CHECK_FALSE(is_npz(zip_of({{"a.txt", ""}})));
  CHECK_FALSE(is_npz("nothing"));
}

}  // namespace transformer
