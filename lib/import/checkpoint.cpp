#include "import/checkpoint.h"

#include "base/error.h"

namespace transformer {
namespace {

TorchFile open_checkpoint(std::string_view bytes, const std::string& path) {
  try {
    return TorchFile(bytes);
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: not a file that torch.save wrote, or a damaged one ({}); copy or download it again", path,
                      misfit.what());
  }
}

}  // namespace

std::optional<std::string> ForeignCheckpoint::find(Package& package) {
  if (!package.main_file().empty()) {
    return TorchFile::is_torch_file(package.bytes(package.main_file())) ? std::optional(package.main_file())
                                                                        : std::nullopt;
  }
  std::optional<std::string> found;
  for (const char* suffix : {".pt", ".bin"}) {
    for (const std::string& name : package.names_with_suffix(suffix)) {
      if (!TorchFile::is_torch_file(package.bytes(name))) continue;
      if (found) return std::nullopt;
      found = name;
    }
  }
  return found;
}

ForeignCheckpoint::ForeignCheckpoint(Package& package, const std::string& name)
    : path_(package.path_of(name)), file_(open_checkpoint(package.bytes(name), path_)) {}

NamedTensors ForeignCheckpoint::tensors(TorchFile::NodeId dict) {
  std::string current = "its tensors";
  try {
    NamedTensors tensors;
    for (const auto& [name, value] : file_.entries(dict)) {
      current = name;
      tensors.insert(current, file_.tensor(value));
    }
    return tensors;
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: '{}': {}; copy or download it again", path_, current, misfit.what());
  }
}

std::string ForeignCheckpointOptions::text(const char* key, const std::string& otherwise) const {
  const auto value = file_.find(options_, key);
  return value ? file_.text(*value).value_or(otherwise) : otherwise;
}

bool ForeignCheckpointOptions::flag(const char* key) const {
  const auto value = file_.find(options_, key);
  return value && file_.integer(*value).value_or(0) != 0;
}

std::optional<double> ForeignCheckpointOptions::number(const char* key) const {
  const auto value = file_.find(options_, key);
  return value ? file_.number(*value) : std::nullopt;
}

int64_t ForeignCheckpointOptions::integer(const char* key) const {
  const auto value = file_.find(options_, key);
  const auto number = value ? file_.integer(*value) : std::nullopt;
  if (!number)
    throw Error("{}: has no option '{}' that is a whole number; it belongs to another architecture", path_, key);
  return *number;
}

void ForeignCheckpointOptions::refuse(const char* key, const std::string& why) const {
  throw Error("{}: its option '{}' describes a model that this program has no network for: {}", path_, key, why);
}

}  // namespace transformer
