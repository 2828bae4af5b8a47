#include "serialization/zip_archive.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/checksum.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/system_error.h"
#include "base/zip_directory.h"
#include "serialization/element_type.h"
#include "serialization/pickle.h"

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

}  // namespace

Archive load_zip_archive(const std::string& path, const std::set<std::string>& names) {
  const ArchiveFile file(path);
  file.check();
  try {
    return read_archive(file, names);
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: its checksum fits, but it is not a model file of this program ({}); use another one", path,
                      misfit.what());
  }
}

}  // namespace transformer
