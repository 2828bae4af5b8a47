#include "serialization/archive.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/system_error.h"
#include "serialization/element_type.h"
#include "serialization/pickle.h"
#include "serialization/zip_directory.h"

namespace transformer {
namespace {

/// What follows the archive: zip readers look for their directory from the end and pass over it.
struct Trailer {
  char magic[8];
  uint32_t checksum;
  uint32_t reserved;
};
constexpr char kMagic[8] = {'T', 'R', 'F', 'C', 'R', 'C', '3', '2'};

/// The archive in a file, without the trailer.
class ArchiveFile {
 public:
  explicit ArchiveFile(const std::string& path) : path_(path), file_(open_to_read(path)) {
    if (fseeko(file_.get(), 0, SEEK_END) != 0) throw read_error(path_);
    const auto bytes = static_cast<size_t>(ftello(file_.get()));
    if (bytes > sizeof(Trailer)) {
      size_ = bytes - sizeof(Trailer);
      read(size_, &trailer_, sizeof(Trailer));
    }
  }

  uint64_t size() const { return size_; }

  void read(uint64_t position, void* to, size_t count) const {
    if (fseeko(file_.get(), static_cast<off_t>(position), SEEK_SET) != 0) throw read_error(path_);
    if (std::fread(to, 1, count, file_.get()) == count) return;
    if (std::ferror(file_.get()) != 0) throw read_error(path_);
    throw DamagedFile("{}: became shorter while it was read; copy it again or use another one", path_);
  }

  /// Throws DamagedFile.
  void check() const {
    if (std::memcmp(trailer_.magic, kMagic, sizeof(kMagic)) != 0) {
      throw DamagedFile("{}: not a model file of this program, or cut short; copy it again or use another one", path_);
    }
    std::vector<char> block(std::min(size_, size_t{1} << 20));
    uint32_t checksum = 0;
    for (size_t done = 0; done < size_; done += block.size()) {
      const size_t count = std::min(block.size(), size_ - done);
      read(done, block.data(), count);
      checksum = crc32_of({block.data(), count}, checksum);
    }
    if (checksum != trailer_.checksum) {
      throw DamagedFile("{}: damaged (its checksum does not fit its content); copy it again or use another one", path_);
    }
  }

 private:
  std::string path_;
  File file_;
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

/// The number of elements of a tensor with these sizes, which must not be negative, and at most `limit`.
int64_t count_elements(const std::vector<int64_t>& sizes, int64_t limit) {
  int64_t count = 1, count_without_zeros = 1;  // LibTorch computes strides from sizes as if zeros were ones
  for (const int64_t size : sizes) {
    static constexpr int64_t kMax = int64_t{1} << 48;
    if (size < 0 || size > kMax / count_without_zeros) throw DamagedFile("a size of {} is impossible", size);
    count *= size;
    count_without_zeros *= std::max<int64_t>(size, 1);
  }
  if (count > limit) throw DamagedFile("it needs {} elements, and its record has {}", count, limit);
  return count;
}

/// Checks that the tensor's elements follow each other as in a contiguous tensor.
void check_strides(const PickledTensor& tensor) {
  bool is_contiguous = tensor.strides.size() == tensor.sizes.size();
  int64_t expected = 1;
  for (size_t i = tensor.sizes.size(); is_contiguous && i-- > 0;) {
    is_contiguous = tensor.sizes[i] == 1 || tensor.strides[i] == expected;
    expected *= std::max<int64_t>(tensor.sizes[i], 1);
  }
  if (!is_contiguous) throw DamagedFile("it is not contiguous");
}

/// Reads tensors straight from the file, so that a model is never in memory twice.
class TensorReader {
 public:
  explicit TensorReader(const ArchiveFile& file)
      : file_(file),
        records_(read_zip_directory(
            file.size(), [&](uint64_t position, void* to, size_t count) { file.read(position, to, count); })),
        bytes_left_(file.size()) {}

  std::string read_text(const std::string& name, uint64_t max_bytes) const {
    const ZipRecord record = find(name);
    if (record.size > max_bytes) throw DamagedFile("its record '{}' has {} bytes", name, record.size);
    std::string text(record.size, '\0');
    file_.read(record.offset, text.data(), text.size());
    return text;
  }

  torch::Tensor read(const std::string& name, const PickledTensor& pickled) {
    try {
      return read_tensor(pickled);
    } catch (const DamagedFile& misfit) {
      throw DamagedFile("tensor '{}': {}", name, misfit.what());
    }
  }

 private:
  ZipRecord find(const std::string& name) const {
    const auto record = records_.find("archive/" + name);
    if (record == records_.end()) throw DamagedFile("it has no record '{}'", name);
    if (record->second.is_compressed) throw DamagedFile("its record '{}' is compressed", name);
    return record->second;
  }

  torch::Tensor read_tensor(const PickledTensor& pickled) {
    const torch::ScalarType type = element_type(pickled.storage_type);
    const uint64_t element_size = torch::elementSize(type);
    const ZipRecord record = find("data/" + pickled.record);
    const auto elements = static_cast<int64_t>(record.size / element_size);
    if (record.size % element_size != 0 || pickled.storage_elements != elements) {
      throw DamagedFile("its record has {} bytes, not {} elements", record.size, pickled.storage_elements);
    }
    if (pickled.offset < 0 || pickled.offset > elements) throw DamagedFile("it begins outside of its record");
    const auto count = static_cast<uint64_t>(count_elements(pickled.sizes, elements - pickled.offset));
    if (count > 0) check_strides(pickled);
    // Several tensors may share a record, but not so that they need more memory than the file has bytes.
    if (count * element_size > bytes_left_) throw DamagedFile("the tensors together need more bytes than the file has");
    bytes_left_ -= count * element_size;
    torch::Tensor tensor = torch::empty(pickled.sizes, type);
    const uint64_t begin = record.offset + static_cast<uint64_t>(pickled.offset) * element_size;
    if (count > 0) file_.read(begin, tensor.mutable_data_ptr(), count * element_size);
    return tensor;
  }

  const ArchiveFile& file_;
  const std::map<std::string, ZipRecord> records_;
  uint64_t bytes_left_;
};

/// Converts the values of a pickle to those of an archive.
struct ToArchiveValue {
  const std::string& name;
  TensorReader& reader;

  template <class T>
  ArchiveValue operator()(const T& value) const {
    return value;
  }
  ArchiveValue operator()(const PickledTensor& tensor) const { return reader.read(name, tensor); }
  ArchiveValue operator()(const PickledTensors& tensors) const {
    NamedTensors read;
    for (const auto& [key, tensor] : tensors) {
      if (!read.insert(key, reader.read(key, tensor)).second) throw DamagedFile("it has two tensors '{}'", key);
    }
    return read;
  }
};

Archive read_archive(const ArchiveFile& file, const std::set<std::string>& names) {
  static constexpr uint64_t kMaxPickleBytes = 16 << 20;  // it has the config and about a hundred bytes for each tensor
  TensorReader reader(file);
  Archive archive;
  for (const auto& [name, value] : parse_pickle(reader.read_text("data.pkl", kMaxPickleBytes))) {
    if (!names.empty() && !names.contains(name)) continue;
    if (!archive.emplace(name, std::visit(ToArchiveValue{name, reader}, value)).second) {
      throw DamagedFile("it has two entries '{}'", name);
    }
  }
  return archive;
}

const char* name_of_type(const std::string* /*value*/) { return "a text"; }
const char* name_of_type(const int64_t* /*value*/) { return "an integer"; }
const char* name_of_type(const double* /*value*/) { return "a floating-point number"; }
const char* name_of_type(const torch::Tensor* /*value*/) { return "a tensor"; }
const char* name_of_type(const NamedTensors* /*value*/) { return "a dict of tensors"; }

}  // namespace

torch::Tensor find_tensor(const NamedTensors& tensors, const char* kind, const std::string& name,
                          torch::IntArrayRef sizes, const std::string& path) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    throw Error("{}: has no {} '{}'; it belongs to another architecture", path, kind, name);
  }
  if (found->value().sizes() != sizes) {
    throw Error("{}: {} '{}' is {}, expected {}; it belongs to another architecture", path, kind, name,
                c10::str(found->value().sizes()), c10::str(sizes));
  }
  return found->value();
}

bool is_archive(std::string_view beginning) {
  return beginning.starts_with("PK\x03\x04");  // the local header of a zip archive's first record
}

void save_archive(const std::string& path, const Archive& archive) {
  c10::impl::GenericDict entries(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, value] : archive) {
    entries.insert(name, std::visit([](const auto& content) { return c10::IValue(content); }, value));
  }
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

Archive load_archive(const std::string& path, const std::set<std::string>& names) {
  const ArchiveFile file(path);
  file.check();
  try {
    return read_archive(file, names);
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: its checksum fits, but it is not a model file of this program ({}); use another one", path,
                      misfit.what());
  }
}

template <class T>
const T& archive_entry(const Archive& archive, const std::string& name, const std::string& path) {
  const auto entry = archive.find(name);
  if (entry == archive.end()) {
    throw Error("{}: has no entry '{}'; it was written by another version of this program", path, name);
  }
  if (const T* value = std::get_if<T>(&entry->second)) return *value;
  throw DamagedFile("{}: its entry '{}' is {}, expected {}; it was not written by this program, use another one", path,
                    name, std::visit([](const auto& value) { return name_of_type(&value); }, entry->second),
                    name_of_type(static_cast<const T*>(nullptr)));
}

template const std::string& archive_entry<std::string>(const Archive&, const std::string&, const std::string&);
template const int64_t& archive_entry<int64_t>(const Archive&, const std::string&, const std::string&);
template const double& archive_entry<double>(const Archive&, const std::string&, const std::string&);
template const torch::Tensor& archive_entry<torch::Tensor>(const Archive&, const std::string&, const std::string&);
template const NamedTensors& archive_entry<NamedTensors>(const Archive&, const std::string&, const std::string&);

}  // namespace transformer
