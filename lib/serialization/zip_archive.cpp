#include "serialization/zip_archive.h"

#include <cstring>

#include "base/checksum.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "serialization/torch_file.h"

namespace transformer {
namespace {

/// What follows the archive: zip readers look for their directory from the end and pass over it.
struct Trailer {
  char magic[8];
  uint32_t checksum;
  uint32_t reserved;
};
constexpr char kMagic[8] = {'T', 'R', 'F', 'C', 'R', 'C', '3', '2'};

/// The archive in a file, without the trailer. Throws DamagedFile if the checksum does not fit.
std::string_view checked_archive(std::string_view file, const std::string& path) {
  Trailer trailer{};
  if (file.size() > sizeof(Trailer)) {
    std::memcpy(&trailer, file.data() + file.size() - sizeof(Trailer), sizeof(Trailer));
    file.remove_suffix(sizeof(Trailer));
  }
  if (std::memcmp(trailer.magic, kMagic, sizeof(kMagic)) != 0) {
    throw DamagedFile("{}: not a model file of this program, or cut short; copy it again or use another one", path);
  }
  if (crc32_of(file) != trailer.checksum) {
    throw DamagedFile("{}: damaged (its checksum does not fit its content); copy it again or use another one", path);
  }
  return file;
}

/// Reads the dict in an archive: texts, numbers, tensors and dicts of tensors. Its pickle may use a value several
/// times; what is larger than such a reference may not be repeated without limit.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes)
      : file_(bytes, kMaxPickleBytes), bytes_left_(bytes.size()), text_bytes_left_(2 * bytes.size()) {
    if (file_.protocol() != 2) throw DamagedFile("its pickle has another protocol");
  }

  Archive read(const std::set<std::string>& names) {
    Archive archive;
    for (const auto& [key, value] : file_.entries(file_.root())) {
      const std::string name = text(key);
      if (!names.empty() && !names.contains(name)) continue;
      if (!archive.emplace(name, read_value(name, value)).second) throw DamagedFile("it has two entries '{}'", name);
    }
    return archive;
  }

 private:
  using NodeId = TorchFile::NodeId;

  static constexpr uint64_t kMaxPickleBytes = 16 << 20;  // it has the config and about a hundred bytes for each tensor

  ArchiveValue read_value(const std::string& name, NodeId value) {
    switch (file_.kind(value)) {
      case PickleGraph::Kind::text:
        return text(*file_.text(value));
      case PickleGraph::Kind::integer:
        return *file_.integer(value);
      case PickleGraph::Kind::number:
        return *file_.number(value);
      case PickleGraph::Kind::dict:
        return read_tensors(value);
      default:
        return read_tensor(name, value);
    }
  }

  std::string text(std::string_view text) {
    if (text.size() > text_bytes_left_) throw DamagedFile("its pickle has a text that is repeated too often");
    text_bytes_left_ -= text.size();
    return std::string(text);
  }

  void note_use(NodeId value) {
    if (!used_.insert(value).second) throw DamagedFile("its pickle has a dict or a tensor that occurs twice");
  }

  NamedTensors read_tensors(NodeId dict) {
    note_use(dict);
    NamedTensors tensors;
    for (const auto& [key, value] : file_.entries(dict)) {
      const std::string name = text(key);
      if (!tensors.insert(name, read_tensor(name, value)).second) throw DamagedFile("it has two tensors '{}'", name);
    }
    return tensors;
  }

  torch::Tensor read_tensor(const std::string& name, NodeId value) {
    note_use(value);
    try {
      const torch::Tensor tensor = file_.view(value);
      if (!tensor.is_contiguous()) throw DamagedFile("it is not contiguous");
      // Several tensors may share a record, but not so that they need more memory than the file has bytes.
      if (tensor.nbytes() > bytes_left_) throw DamagedFile("the tensors together need more bytes than the file has");
      bytes_left_ -= tensor.nbytes();
      return tensor;
    } catch (const DamagedFile& misfit) {
      throw DamagedFile("tensor '{}': {}", name, misfit.what());
    }
  }

  TorchFile file_;
  uint64_t bytes_left_, text_bytes_left_;
  std::set<NodeId> used_;  // dicts and tensors
};

}  // namespace

Archive load_zip_archive(const std::string& path, const std::set<std::string>& names) {
  const MappedFile file(path);
  const std::string_view archive = checked_archive(file.bytes(), path);
  try {
    return ArchiveReader(archive).read(names);
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: its checksum fits, but it is not a model file of this program ({}); use another one", path,
                      misfit.what());
  }
}

}  // namespace transformer
