#include "import/package.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "base/format.h"
#include "base/inflate.h"
#include "base/other_format.h"
#include "serialization/npz.h"
#include "serialization/torch_file.h"

namespace transformer {
namespace {

constexpr size_t kMaxShown = 3;

std::string name_in(const std::string& path) { return std::filesystem::path(path).filename().string(); }
std::string parent_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

int64_t depth_of(const std::string& directory) {
  return directory.empty() ? 0 : 1 + std::count(directory.begin(), directory.end(), '/');
}

/// Whether the name of a file is one that other programs give to the parameters of a model.
bool may_be_parameters(std::string_view name) {
  static constexpr std::array kSuffixes = {".npz", ".bin", ".pt", ".safetensors"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](const char* suffix) { return name.ends_with(suffix); });
}

/// Frees the whole pages of a part of an allocation, which then has zeros there.
void discard(std::string_view part) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t begin = (first + page - 1) / page * page, end = (first + part.size()) / page * page;
  if (begin < end) madvise(const_cast<char*>(part.data()) + (begin - first), end - begin, MADV_DONTNEED);
}

}  // namespace

Package::Package(const std::string& path) : path_(path) {
  if (std::filesystem::is_directory(path)) {
    add_directories();
    return;
  }
  auto file = std::make_unique<MappedFile>(path);
  const std::string_view bytes = file->bytes();
  if (is_zip(bytes) && !is_npz(bytes) && !TorchFile::is_torch_file(bytes)) {
    archive_ = std::move(file);
    add_archive();
    return;
  }
  main_file_ = name_in(path);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  Directories directories;
  add_directory(parent.empty() ? "." : parent, directories, "");
  take_files(std::move(directories));
}

void Package::add_directory(const std::string& path, Directories& directories, const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file()) directories[name].push_back({.path = entry.path().string()});
  }
}

void Package::add_directories() {
  Directories directories;
  add_directory(path_, directories, "");
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const std::string inner = entry.path().string();
    if (entry.is_directory()) add_directory(inner, directories, name_in(inner));
  }
  take_files(std::move(directories));
}

void Package::add_archive() {
  Directories directories;
  try {
    for (const auto& [name, record] : read_zip_directory(archive_->bytes())) {
      directories[parent_of(name)].push_back({.path = name, .record = record});
    }
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: a damaged zip archive ({}); download it again", path_, misfit.what());
  }
  take_files(std::move(directories));
}

void Package::take_files(Directories directories) {
  std::map<int64_t, std::vector<std::string>> found;  // directories with parameters, by their depth
  for (const auto& [directory, files] : directories) {
    const bool has_parameters =
        std::any_of(files.begin(), files.end(), [](const Entry& file) { return may_be_parameters(file.path); });
    if (has_parameters) found[depth_of(directory)].push_back(directory);
  }
  std::string directory;
  if (!found.empty()) {
    const auto& nearest = found.begin()->second;
    if (nearest.size() > 1) {
      throw Error("{}: has several models, in its directories {}; give one of them", path_,
                  enumeration(nearest, "and", kMaxShown));
    }
    directory = nearest[0];
  }
  while (true) {
    for (Entry& file : directories[directory]) {
      std::string name = name_in(file.path);
      files_.emplace(std::move(name), std::move(file));
    }
    if (directory.empty()) return;
    directory = parent_of(directory);
  }
}

std::vector<std::string> Package::names_with_suffix(std::string_view suffix) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : files_) {
    if (name.ends_with(suffix)) names.push_back(name);
  }
  return names;
}

std::string_view Package::bytes(const std::string& name) {
  const auto found = files_.find(name);
  if (found == files_.end())
    throw Error("{}: there is no file {} in it; copy or download the whole model", path_, name);
  const std::string_view content = read(found->second, name);
  if (content.starts_with("version https://git-lfs")) {
    throw Error(
        "{}: is a Git LFS pointer, which stands in the place of the file; get the file itself with `git lfs pull`, or "
        "download it",
        path_of(name));
  }
  return content;
}

std::string_view Package::read(Entry& entry, const std::string& name) {
  if (!archive_) {
    if (!entry.mapped) entry.mapped = std::make_unique<MappedFile>(entry.path);
    return entry.mapped->bytes();
  }
  const std::string_view stored = archive_->bytes().substr(entry.record.offset, entry.record.size);
  if (!entry.is_read) {
    try {
      if (entry.record.is_compressed) entry.inflated = inflate_bytes(stored, entry.record.content_size);
      check_content(entry.record, entry.record.is_compressed ? entry.inflated : stored);
    } catch (const DamagedFile& misfit) {
      throw DamagedFile("{}: {}; download it again", path_of(name), misfit.what());
    }
    archive_->release(stored);
    entry.is_read = true;
  }
  return entry.record.is_compressed ? entry.inflated : stored;
}

void Package::release(const std::string& name, std::string_view part) const {
  const Entry& entry = files_.at(name);
  if (entry.record.is_compressed) {
    discard(part);
  } else {
    (archive_ ? *archive_ : *entry.mapped).release(part);
  }
}

std::optional<std::string_view> Package::bytes_if_any(const std::string& name) {
  return has(name) ? std::optional(bytes(name)) : std::nullopt;
}

std::string Package::path_of(const std::string& name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) return (std::filesystem::path(path_) / name).string();
  return archive_ ? fmt::format("{}/{}", path_, found->second.path) : found->second.path;
}

std::vector<std::string> Package::paths_read() const {
  if (archive_) return {path_};
  std::vector<std::string> paths;
  for (const auto& [name, entry] : files_) {
    if (entry.mapped) paths.push_back(entry.path);
  }
  return paths;
}

}  // namespace transformer
