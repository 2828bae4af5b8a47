#pragma once

#include <optional>
#include <string>

#include "import/package.h"
#include "serialization/archive.h"
#include "serialization/torch_file.h"

namespace transformer {

/// A checkpoint of another program, which torch.save wrote: a dict with options, tensors and more. Errors name the
/// file.
class ForeignCheckpoint {
 public:
  /// The name of the checkpoint of a package: the main file, or the only file of PyTorch in it; std::nullopt if there
  /// is none or more than one.
  static std::optional<std::string> find(Package& package);
  /// Throws DamagedFile.
  ForeignCheckpoint(Package& package, const std::string& name);

  TorchFile& file() { return file_; }
  const std::string& path() const { return path_; }
  /// The tensors of a dict of the checkpoint.
  NamedTensors tensors(TorchFile::NodeId dict);
  /// The value of the root for this key.
  std::optional<TorchFile::NodeId> find(const char* key) const { return file_.find(file_.root(), key); }

 private:
  std::string path_;
  TorchFile file_;
};

/// The options of a checkpoint, which are attributes of an object or keys of a dict.
class ForeignCheckpointOptions {
 public:
  ForeignCheckpointOptions(const ForeignCheckpoint& checkpoint, const TorchFile& file, TorchFile::NodeId options)
      : path_(checkpoint.path()), file_(file), options_(options) {}

  std::string text(const char* key, const std::string& otherwise) const;
  /// False for an option that is missing.
  bool flag(const char* key) const;
  std::optional<double> number(const char* key) const;
  /// Throws Error if the option is missing or no whole number.
  int64_t integer(const char* key) const;
  const std::string& path() const { return path_; }
  /// Throws Error, which names the option.
  [[noreturn]] void refuse(const char* key, const std::string& why) const;
  void refuse_if(bool is_given, const char* key, const std::string& why) const {
    if (is_given) refuse(key, why);
  }

 private:
  std::string path_;
  const TorchFile& file_;
  TorchFile::NodeId options_;
};

}  // namespace transformer
