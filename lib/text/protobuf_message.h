#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace transformer {

/// A field of a protobuf message.
struct MessageField {
  uint64_t number = 0;
  std::string_view bytes = {};  // of a string or an embedded message
  uint64_t value = 0;           // of a whole number
  std::string_view whole = {};  // with its number and size, as the message has it
};

/// Reads a protobuf message field by field.
class MessageReader {
 public:
  explicit MessageReader(std::string_view message) : rest_(message) {}

  /// The next field; nullopt at the end, and if the message is damaged.
  std::optional<MessageField> next();
  bool is_complete() const { return !is_damaged_ && rest_.empty(); }

 private:
  /// 0 if the number is damaged, which is_damaged_ then says.
  uint64_t varint();

  std::string_view rest_;
  bool is_damaged_ = false;
};

// Each function appends a field to a message.
void add_bytes(std::string& message, uint64_t number, std::string_view bytes);
void add_number(std::string& message, uint64_t number, uint64_t value);
void add_float(std::string& message, uint64_t number, float value);

}  // namespace transformer
