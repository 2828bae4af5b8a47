#include "model/model_file.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/system_error.h"

namespace transformer {
namespace {

constexpr const char* kFormat = "transformer-1";

/// What follows the archive: zip readers look for their directory from the end and pass over it.
struct Trailer {
  char magic[8];
  uint32_t checksum;
  uint32_t reserved;
};
constexpr char kMagic[8] = {'T', 'R', 'F', 'C', 'R', 'C', '3', '2'};

/// The archive of a file, without its trailer, read piece by piece: a model need not be in memory twice.
class ArchiveFile : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit ArchiveFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file_ || fseeko(file_.get(), 0, SEEK_END) != 0) throw_unreadable();
    const auto bytes = static_cast<size_t>(ftello(file_.get()));
    if (bytes > sizeof(Trailer)) {
      size_ = bytes - sizeof(Trailer);
      read(size_, &trailer_, sizeof(Trailer), "trailer");
    }
  }

  size_t size() const override { return size_; }

  size_t read(uint64_t position, void* to, size_t count, const char* /*what*/) const override {
    const bool found = fseeko(file_.get(), static_cast<off_t>(position), SEEK_SET) == 0;
    if (!found || std::fread(to, 1, count, file_.get()) != count) throw_unreadable();
    return count;
  }

  /// Throws DamagedFile.
  void check() const {
    if (std::memcmp(trailer_.magic, kMagic, sizeof(kMagic)) != 0) {
      throw DamagedFile("{}: not a model file of this program, or cut short; copy it again or use another one", path_);
    }
    std::vector<char> block(1 << 20);
    uint32_t checksum = 0;
    for (size_t done = 0; done < size_; done += block.size()) {
      const size_t count = std::min(block.size(), size_ - done);
      read(done, block.data(), count, "");
      checksum = crc32_of({block.data(), count}, checksum);
    }
    if (checksum != trailer_.checksum) {
      throw DamagedFile("{}: damaged (its checksum does not fit its content); copy it again or use another one", path_);
    }
  }

 private:
  [[noreturn]] void throw_unreadable() const { throw Error("{}: cannot be read: {}", path_, last_system_error()); }

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  size_t size_ = 0;
  Trailer trailer_{};
};

/// Writes an archive piece by piece, so that a checkpoint is not in memory a second time, and then its trailer.
class ArchiveWriter {
 public:
  /// Throws Error if the file cannot be created.
  explicit ArchiveWriter(const std::string& path) : file_(path) {}

  /// Returns `bytes.size()` even after a failure, which `commit` reports: no exception may pass through zip code in C.
  size_t write(std::string_view bytes) {
    try {
      if (!failure_) file_.write(bytes);
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
    checksum_ = crc32_of(bytes, checksum_);
    return bytes.size();
  }

  /// Throws Error if writing has failed.
  void commit() {
    Trailer trailer{{}, checksum_, 0};
    std::memcpy(trailer.magic, kMagic, sizeof(kMagic));
    write({reinterpret_cast<const char*>(&trailer), sizeof(trailer)});
    if (failure_) std::rethrow_exception(failure_);
    file_.commit();
  }

 private:
  AtomicFile file_;
  uint32_t checksum_ = 0;
  std::exception_ptr failure_;
};

torch::Tensor to_tensor(const std::string& bytes) {
  torch::Tensor tensor = torch::empty({static_cast<int64_t>(bytes.size())}, torch::kByte);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

std::string to_bytes(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), static_cast<size_t>(tensor.numel())};
}

}  // namespace

void save_archive(const std::string& path, const Archive& archive) {
  c10::impl::GenericDict entries(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, value] : archive) entries.insert(name, value);
  std::string pickle;
  torch::jit::Pickler pickler([&](const char* bytes, size_t count) { pickle.append(bytes, count); });
  pickler.protocol();
  pickler.pushIValue(entries);
  pickler.stop();

  ArchiveWriter writer(path);
  {
    caffe2::serialize::PyTorchStreamWriter zip([&](const void* bytes, size_t count) {
      return writer.write({static_cast<const char*>(bytes), count});
    });
    torch::jit::writeArchiveAndTensors("data", pickle.data(), pickle.size(), pickler.tensorData(), zip);
    zip.writeEndOfFile();
  }
  writer.commit();
}

Archive load_archive(const std::string& path) {
  const auto file = std::make_shared<ArchiveFile>(path);
  file->check();
  try {
    caffe2::serialize::PyTorchStreamReader reader(file);
    const auto value = torch::jit::readArchiveAndTensors("data", /*pickle_prefix=*/"", /*tensor_prefix=*/"",
                                                         std::nullopt, std::nullopt, std::nullopt, reader);
    Archive entries;
    for (const auto& entry : value.toGenericDict()) entries.emplace(entry.key().toStringRef(), entry.value());
    return entries;
  } catch (const c10::Error&) {  // its message is LibTorch's own
    throw DamagedFile("{}: its checksum fits, but it is not a model file of this program; use another one", path);
  }
}

const c10::IValue& archive_entry(const Archive& archive, const std::string& name, const std::string& path) {
  const auto entry = archive.find(name);
  if (entry == archive.end()) {
    throw Error("{}: has no entry '{}'; it was written by another version of this program", path, name);
  }
  return entry->second;
}

Archive to_archive(const ModelFile& model) {
  Archive archive;
  archive.emplace("format", std::string(kFormat));
  archive.emplace("config", model.config);
  archive.emplace("vocabulary", to_tensor(model.vocabulary));
  archive.emplace("parameters", model.parameters);
  return archive;
}

ModelFile model_from_archive(const Archive& archive, const std::string& path) {
  if (archive_entry(archive, "format", path).toStringRef() != kFormat) {
    throw Error("{}: a model file of another version of this program; this one reads {}", path, kFormat);
  }
  ModelFile model{archive_entry(archive, "config", path).toStringRef(),
                  to_bytes(archive_entry(archive, "vocabulary", path).toTensor()), NamedTensors()};
  for (const auto& entry : archive_entry(archive, "parameters", path).toGenericDict()) {
    model.parameters.insert(entry.key().toStringRef(), entry.value().toTensor());
  }
  return model;
}

void save_model(const std::string& path, const ModelFile& model) { save_archive(path, to_archive(model)); }

ModelFile load_model(const std::string& path) { return model_from_archive(load_archive(path), path); }

void check_finite(const NamedTensors& parameters, const std::string& path) {
  for (const auto& entry : parameters) {
    if (entry.value().numel() == 0) continue;
    const auto [least, largest] = torch::aminmax(entry.value());  // both are NaN if any value is
    if (std::isfinite(least.item<double>()) && std::isfinite(largest.item<double>())) continue;
    throw Error(
        "{}: the parameter '{}' has values that are NaN or infinite, so the model cannot be used; use a checkpoint "
        "from "
        "before its training diverged",
        path, entry.key());
  }
}

NamedTensors copy_parameters(const torch::nn::Module& module) {
  NamedTensors copies;
  for (const auto& named : module.named_parameters()) {
    copies.insert(named.key(), named.value().detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
  return copies;
}

namespace {

/// Calls assign(own, given) for every parameter.
template <class Assign>
void for_each_parameter(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path,
                        const Assign& assign) {
  torch::NoGradGuard no_grad;
  auto own = module.named_parameters();
  for (auto& named : own) {
    if (!parameters.contains(named.key())) {
      throw Error("{}: has no parameter '{}'; it belongs to another architecture", path, named.key());
    }
    const torch::Tensor& given = parameters.at(named.key());
    if (given.sizes() != named.value().sizes()) {
      throw Error("{}: parameter '{}' is {}, expected {}; it belongs to another architecture", path, named.key(),
                  c10::str(given.sizes()), c10::str(named.value().sizes()));
    }
    assign(named.value(), given);
  }
  if (parameters.size() != own.size()) {
    throw Error("{}: has {} parameters, expected {}; it belongs to another architecture", path, parameters.size(),
                own.size());
  }
}

}  // namespace

void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  for_each_parameter(module, parameters, path,
                     [](torch::Tensor& own, const torch::Tensor& given) { own.copy_(given); });
}

void adopt_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  for_each_parameter(module, parameters, path,
                     [](torch::Tensor& own, const torch::Tensor& given) { own.set_data(given.to(own.scalar_type())); });
}

}  // namespace transformer
