#include "serialization/pickle.h"

#include "archive_bytes.h"
#include "base/error.h"
#include "catch.h"

namespace transformer {
namespace {

using pickled::dict;
using pickled::global;
using pickled::integer;
using pickled::pickle;
using pickled::tensor;
using pickled::text;

PickledDict parse_entry(const std::string& value) { return parse_pickle(pickle(dict({{"a", value}}))); }

}  // namespace

TEST_CASE("pickle gives back every kind of value in the order of the file") {
  const PickledDict values = parse_pickle(pickle(dict({{"text", text("x\ny")},
                                                       {"byte", std::string("K\xFF")},
                                                       {"two bytes", "M\xFE\xFF"},
                                                       {"four bytes", "J\xFE\xFF\xFF\xFF"},
                                                       {"eight bytes", integer(int64_t{-1} << 62)},
                                                       {"number", std::string("G\x3F\xF8\0\0\0\0\0\0", 9)},
                                                       {"tensor", tensor({.record = "7", .offset = 1})},
                                                       {"tensors", dict({{"b", tensor({})}, {"a", tensor({})}})}})));
  REQUIRE(values.size() == 8);
  CHECK(values[0].first == "text");
  CHECK(std::get<std::string>(values[0].second) == "x\ny");
  CHECK(std::get<int64_t>(values[1].second) == 255);
  CHECK(std::get<int64_t>(values[2].second) == 65534);
  CHECK(std::get<int64_t>(values[3].second) == -2);
  CHECK(std::get<int64_t>(values[4].second) == int64_t{-1} << 62);
  CHECK(std::get<double>(values[5].second) == 1.5);
  const auto& found = std::get<PickledTensor>(values[6].second);
  CHECK(found.storage_type == "FloatStorage");
  CHECK(found.record == "7");
  CHECK(found.storage_elements == 6);
  CHECK(found.offset == 1);
  CHECK(found.sizes == std::vector<int64_t>{2, 3});
  CHECK(found.strides == std::vector<int64_t>{3, 1});
  const auto& tensors = std::get<PickledTensors>(values[7].second);
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].first == "b");
  CHECK(tensors[1].first == "a");
}

TEST_CASE("pickle's memo gives a text again, in its order and not without limit") {
  const std::string put = std::string("q\0", 2), get = std::string("h\0", 2);
  const PickledDict values = parse_pickle(pickle(dict({{"a", text("x") + put}, {"b", get}})));
  CHECK(std::get<std::string>(values.at(1).second) == "x");
  CHECK(parse_entry(text("x") + std::string("r\0\0\0\0", 5)).size() == 1);
  CHECK_THROWS_WITH(parse_entry(get), Catch::Contains("an unknown number of its memo"));
  CHECK_THROWS_WITH(parse_entry(text("x") + "q\x01"), Catch::Contains("an unexpected number in its memo"));
  CHECK_THROWS_WITH(parse_entry(text("x") + "r\xFF\xFF\xFF\xFF"), Catch::Contains("unexpected number in its memo"));

  std::vector<std::pair<std::string, std::string>> entries = {{"0", text(std::string(100000, 'x')) + put}};
  for (int i = 1; i < 1000; ++i) entries.emplace_back(std::to_string(i), get);  // 100 MB in all
  CHECK_THROWS_WITH(parse_pickle(pickle(dict(entries))), Catch::Contains("a text that is repeated too often"));
}

TEST_CASE("pickle may not use a dict or a tensor twice") {
  const std::string put = std::string("q\0", 2), get = std::string("h\0", 2);
  for (const std::string& value : {tensor({}), dict({{"x", tensor({})}})}) {
    CHECK_THROWS_WITH(parse_pickle(pickle(dict({{"a", value + put}, {"b", get}}))),
                      Catch::Contains("a dict or a tensor that occurs twice"));
  }
}

TEST_CASE("pickle of anything else than a model is refused without doing what it says") {
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
      std::string("cos"), dict({{"x", text("not a tensor")}}), dict({{"x", dict({})}}), tensor({.type = "FloatTensor"}),
      tensor({.type = "Float\nStorage"}), tensor({.record = std::string(100, '0')}),
      tensor({.sizes = std::vector<int64_t>(9, 1), .strides = std::vector<int64_t>(9, 1)}),
      tensor({.sizes = std::vector<int64_t>(300000, 1), .strides = {}}));
  INFO(value.substr(0, 100));
  CHECK_THROWS_AS(parse_entry(value), DamagedFile);
}

TEST_CASE("pickle that is cut short or followed by other bytes is refused") {
  const std::string sound = pickle(dict({{"a", tensor({})}, {"b", text("x")}}));
  CHECK(parse_pickle(sound).size() == 2);
  for (size_t size = 0; size < sound.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(parse_pickle(sound.substr(0, size)), DamagedFile);
  }
  CHECK_THROWS_WITH(parse_pickle(sound + "."), Catch::Contains("bytes after its end"));
  CHECK_THROWS_WITH(parse_pickle(pickle(text("x"))), Catch::Contains("something else than a dict"));
  CHECK_THROWS_WITH(parse_pickle("\x80\x04" + sound.substr(2)), Catch::Contains("another protocol"));
}

}  // namespace transformer
