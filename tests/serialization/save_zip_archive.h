#pragma once

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <string>

#include "archive_bytes.h"
#include "base/atomic_file.h"
#include "serialization/archive.h"

namespace transformer {

/// Writes a model file or checkpoint as older versions of the program did.
inline void save_zip_archive(const std::string& path, const Archive& archive) {
  c10::impl::GenericDict entries(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, value] : archive) {
    entries.insert(name, std::visit([](const auto& content) { return c10::IValue(content); }, value));
  }
  std::string pickle;
  torch::jit::Pickler pickler([&](const char* bytes, size_t count) { pickle.append(bytes, count); });
  pickler.protocol();
  pickler.pushIValue(entries);
  pickler.stop();

  std::string bytes;
  {
    caffe2::serialize::PyTorchStreamWriter zip([&](const void* part, size_t count) {
      bytes.append(static_cast<const char*>(part), count);
      return count;
    });
    torch::jit::writeArchiveAndTensors("data", pickle.data(), pickle.size(), pickler.tensorData(), zip);
    zip.writeEndOfFile();
  }
  write_file_atomically(path, with_checksum(bytes));
}

}  // namespace transformer
