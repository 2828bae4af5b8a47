#include "text/protobuf_message.h"

#include <cstring>

namespace transformer {
namespace {

enum class WireType : uint64_t { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

void add_varint(std::string& message, uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}

void add_tag(std::string& message, uint64_t number, WireType type) {
  add_varint(message, number << 3 | static_cast<uint64_t>(type));
}

}  // namespace

std::optional<MessageField> MessageReader::next() {
  if (rest_.empty()) return std::nullopt;
  const char* begin = rest_.data();
  const uint64_t tag = varint();
  MessageField field{.number = tag >> 3};
  uint64_t size = 0;
  switch (static_cast<WireType>(tag & 7)) {
    case WireType::varint:
      field.value = varint();
      break;
    case WireType::eight_bytes:
      size = 8;
      break;
    case WireType::four_bytes:
      size = 4;
      break;
    case WireType::bytes:
      size = varint();
      break;
    default:
      is_damaged_ = true;
  }
  if (size > rest_.size()) is_damaged_ = true;
  if (is_damaged_) return std::nullopt;
  field.bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  field.whole = {begin, static_cast<size_t>(rest_.data() - begin)};
  return field;
}

uint64_t MessageReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  is_damaged_ = true;
  return 0;
}

void add_bytes(std::string& message, uint64_t number, std::string_view bytes) {
  add_tag(message, number, WireType::bytes);
  add_varint(message, bytes.size());
  message += bytes;
}

void add_number(std::string& message, uint64_t number, uint64_t value) {
  add_tag(message, number, WireType::varint);
  add_varint(message, value);
}

void add_float(std::string& message, uint64_t number, float value) {
  add_tag(message, number, WireType::four_bytes);
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  message.append(bytes, sizeof(bytes));
}

}  // namespace transformer
