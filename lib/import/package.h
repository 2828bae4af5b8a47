#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/zip_directory.h"

namespace transformer {

/// The configuration in directories of Hugging Face, CTranslate2 and eole.
inline constexpr const char* kConfigFile = "config.json";

/// The files of a model of another program, in a directory or in a zip archive such as an .argosmodel package: those of
/// the directory with the model's parameters, which may be an inner one, and of the directories around it. A file is
/// found by its name without directories, nearest to the parameters first.
class Package {
 public:
  /// `path`: a directory, or a file. A zip archive is a package by itself; any other file, and a zip archive that is a
  /// model (.npz, or one of PyTorch), stands for its directory and is the model's main file. Throws Error if the path
  /// cannot be read, or if several of its directories have parameters.
  explicit Package(const std::string& path);

  const std::string& path() const { return path_; }
  /// Whether the package is a zip archive, whose files have no paths for other programs.
  bool is_archive() const { return archive_ != nullptr; }
  /// The name of the file that was given instead of a directory; "" if none was.
  const std::string& main_file() const { return main_file_; }

  bool has(const std::string& name) const { return files_.contains(name); }
  /// The names that end so, in order.
  std::vector<std::string> names_with_suffix(std::string_view suffix) const;
  /// The file's bytes, which stay valid as long as this object. Throws Error if there is no such file, or if it is a
  /// damaged record or a pointer of Git LFS.
  std::string_view bytes(const std::string& name);
  std::optional<std::string_view> bytes_if_any(const std::string& name);
  /// Lets a part of a file's bytes leave the memory, so that a large model is not in memory twice while its tensors are
  /// copied. The part must not be read again.
  void release(const std::string& name, std::string_view part) const;
  /// The file's path, for messages.
  std::string path_of(const std::string& name) const;
  /// Paths of all files that were read, for the check that the output replaces none of them.
  std::vector<std::string> paths_read() const;

 private:
  struct Entry {
    std::string path;  // on disk, or of the record within the archive
    ZipRecord record = {};
    bool is_read = false;                     // and its checksum fits, if it is a record
    std::unique_ptr<MappedFile> mapped = {};  // of a directory's file, once it is read
    std::string inflated = {};                // of a compressed record, once it is read
  };

  /// Files by their directories, which are relative to the package.
  using Directories = std::map<std::string, std::vector<Entry>>;
  static void add_directory(const std::string& path, Directories& directories, const std::string& name);
  std::string_view read(Entry& entry, const std::string& name);
  void add_directories();
  void add_archive();
  /// Takes the files of the directory with the parameters and of those around it.
  void take_files(Directories directories);

  std::string path_, main_file_;
  std::unique_ptr<MappedFile> archive_;  // if the package is one
  std::map<std::string, Entry> files_;
};

}  // namespace transformer
