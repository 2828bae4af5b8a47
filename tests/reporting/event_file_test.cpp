#include "reporting/event_file.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/checksum.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

template <class Number>
Number take(std::string_view& bytes) {
  REQUIRE(bytes.size() >= sizeof(Number));
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return number;
}

std::string_view take_bytes(std::string_view& bytes, uint64_t size) {
  REQUIRE(bytes.size() >= size);
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

void check_checksum(std::string_view data, uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  CHECK(((rotated >> 17) | (rotated << 15)) == crc32c_of(data));
}

/// The data of each record of a TFRecord file.
std::vector<std::string> records_of(const std::string& path) {
  const std::string file = read_file(path);
  std::string_view rest = file;
  std::vector<std::string> records;
  while (!rest.empty()) {
    const std::string_view length_bytes = rest.substr(0, sizeof(uint64_t));
    const auto length = take<uint64_t>(rest);
    check_checksum(length_bytes, take<uint32_t>(rest));
    const std::string_view data = take_bytes(rest, length);
    check_checksum(data, take<uint32_t>(rest));
    records.emplace_back(data);
  }
  return records;
}

uint64_t take_varint(std::string_view& bytes) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<uint8_t>(bytes);
    number |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
}

/// A message in protobuf's wire format: the values of each field number. Numbers are in their fixed-width bytes, and
/// varints as eight bytes.
using Message = std::multimap<uint64_t, std::string>;

Message parse_message(std::string_view bytes) {
  Message message;
  while (!bytes.empty()) {
    const uint64_t key = take_varint(bytes);
    std::string value;
    switch (key % 8) {
      case 0: {
        const uint64_t number = take_varint(bytes);
        value.assign(reinterpret_cast<const char*>(&number), sizeof(number));
        break;
      }
      case 1:
        value = take_bytes(bytes, 8);
        break;
      case 2:
        value = take_bytes(bytes, take_varint(bytes));
        break;
      case 5:
        value = take_bytes(bytes, 4);
        break;
      default:
        FAIL("unknown wire type " << key % 8);
    }
    message.emplace(key / 8, value);
  }
  return message;
}

/// The only value of a field, as bytes, as a number, and as a message.
std::string field(const Message& message, uint64_t number) {
  INFO("field " << number);
  REQUIRE(message.count(number) == 1);
  return message.find(number)->second;
}
template <class Number>
Number number_field(const Message& message, uint64_t number) {
  const std::string bytes = field(message, number);
  REQUIRE(bytes.size() == sizeof(Number));
  Number value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}
Message message_field(const Message& message, uint64_t number) { return parse_message(field(message, number)); }

/// The events of the only file in the directory.
std::vector<Message> events_in(const std::string& directory) {
  std::vector<Message> events;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    CHECK_THAT(entry.path().filename().string(), Catch::StartsWith("events.out.tfevents."));
    for (const std::string& record : records_of(entry.path())) events.push_back(parse_message(record));
    ++files;
  }
  CHECK(files == 1);
  return events;
}

TEST_CASE("event file begins with its version and the first step of the process") {
  const TemporaryDirectory directory;
  EventFile file(directory / "run/tensorboard", 51);
  CHECK_FALSE(std::filesystem::exists(directory / "run"));
  file.write_scalars(60, {{"loss/train", 2.5}, {"loss/valid", std::nan("")}});
  const std::vector<Message> events = events_in(directory / "run/tensorboard");
  REQUIRE(events.size() == 3);
  CHECK(field(events[0], 3) == "brain.Event:2");
  CHECK(number_field<int64_t>(events[1], 2) == 51);
  CHECK(number_field<int64_t>(message_field(events[1], 7), 1) == 1);  // SessionLog.START

  CHECK(number_field<double>(events[2], 1) > 1.6e9);  // the time
  CHECK(number_field<int64_t>(events[2], 2) == 60);
  const Message summary = message_field(events[2], 5);
  REQUIRE(summary.count(1) == 2);
  const auto [first, second] = std::pair(summary.begin()->second, std::next(summary.begin())->second);
  CHECK(field(parse_message(first), 1) == "loss/train");
  CHECK(number_field<float>(parse_message(first), 2) == 2.5f);
  CHECK(field(parse_message(second), 1) == "loss/valid");
  CHECK(std::isnan(number_field<float>(parse_message(second), 2)));
}

TEST_CASE("event file has texts as tensors of strings for TensorBoard's text plugin") {
  const TemporaryDirectory directory;
  EventFile file(directory / "tensorboard", 1);
  file.write_texts(7, {{"translations/1", "häuser \xff"}});
  const Message event = events_in(directory / "tensorboard").back();
  CHECK(number_field<int64_t>(event, 2) == 7);
  const Message value = message_field(message_field(event, 5), 1);
  CHECK(field(value, 1) == "translations/1");
  const Message metadata = message_field(value, 9);
  CHECK(field(message_field(metadata, 1), 1) == "text");
  CHECK(number_field<int64_t>(metadata, 4) == 2);  // DATA_CLASS_TENSOR
  const Message tensor = message_field(value, 8);
  CHECK(number_field<int64_t>(tensor, 1) == 7);  // DT_STRING
  CHECK(number_field<int64_t>(message_field(message_field(tensor, 2), 2), 1) == 1);
  CHECK(field(tensor, 8) == "häuser \uFFFD");
}

}  // namespace
}  // namespace transformer
