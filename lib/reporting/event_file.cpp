#include "reporting/event_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string_view>

#include "base/append_bytes.h"
#include "base/checksum.h"
#include "base/host_name.h"
#include "base/make_directory.h"
#include "base/utf8.h"
#include "reporting/tensorboard.pb.h"

namespace transformer {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The number's bytes in this machine's order, which is little-endian as the format demands.
template <class Integer>
std::string bytes_of(Integer number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

/// The checksum of a TFRecord file. Its mask keeps the checksum of data that contains checksums from degenerating.
uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c_of(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/// A record of a TFRecord file: length (uint64), its checksum, the data, its checksum.
std::string record(const std::string& data) {
  const std::string length = bytes_of(static_cast<uint64_t>(data.size()));
  return length + bytes_of(masked_crc(length)) + data + bytes_of(masked_crc(data));
}

tensorboard::Event event_of(int64_t step) {
  tensorboard::Event event;
  event.set_wall_time(seconds_since_1970());
  event.set_step(step);
  return event;
}

void append_event(const std::string& path, const tensorboard::Event& event) {
  append_bytes(path, record(event.SerializeAsString()));
}

}  // namespace

EventFile::EventFile(std::string directory, int64_t first_step)
    : directory_(std::move(directory)), first_step_(first_step) {}

/// TensorBoard reads the files of a directory in the order of their names, so time and process have fixed widths.
void EventFile::create() {
  make_directory(directory_);
  path_ = fmt::format("{}/events.out.tfevents.{:010}.{}.{:07}", directory_, static_cast<int64_t>(seconds_since_1970()),
                      host_name(), getpid());
  tensorboard::Event version = event_of(0);
  version.set_file_version("brain.Event:2");
  append_event(path_, version);
  tensorboard::Event start = event_of(first_step_);
  start.mutable_session_log()->set_status(tensorboard::SessionLog::START);
  append_event(path_, start);
}

void EventFile::write_scalars(int64_t step, const std::vector<std::pair<std::string, double>>& values) {
  if (path_.empty()) create();
  tensorboard::Event event = event_of(step);
  for (const auto& [tag, number] : values) {
    tensorboard::Summary::Value* value = event.mutable_summary()->add_value();
    value->set_tag(tag);
    value->set_simple_value(static_cast<float>(number));
  }
  append_event(path_, event);
}

void EventFile::write_texts(int64_t step, const std::vector<std::pair<std::string, std::string>>& texts) {
  if (path_.empty()) create();
  tensorboard::Event event = event_of(step);
  for (const auto& [tag, text] : texts) {
    tensorboard::Summary::Value* value = event.mutable_summary()->add_value();
    value->set_tag(tag);
    value->mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
    value->mutable_metadata()->set_data_class(tensorboard::DATA_CLASS_TENSOR);
    value->mutable_tensor()->set_dtype(tensorboard::DT_STRING);
    value->mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(1);
    value->mutable_tensor()->add_string_val(replace_invalid_utf8(text));
  }
  append_event(path_, event);
}

}  // namespace transformer
