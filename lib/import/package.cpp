#include "import/package.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/inflate.h"
#include "base/other_format.h"
#include "serialization/npz.h"
#include "serialization/torch_file.h"

namespace transformer {
namespace {

std::string name_in(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

Package::Package(const std::string& path) : path_(path) {
  if (std::filesystem::is_directory(path)) {
    add_directory(path, /*depth=*/1);
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
  add_directory(parent.empty() ? "." : parent, /*depth=*/0);
}

void Package::add_directory(const std::string& directory, int depth) {
  std::vector<std::string> files, directories;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_directory()) directories.push_back(entry.path().string());
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  for (const std::string& file : files) files_.emplace(name_in(file), Entry{.path = file});
  if (depth == 0) return;
  std::sort(directories.begin(), directories.end());
  for (const std::string& inner : directories) add_directory(inner, depth - 1);
}

void Package::add_archive() {
  try {
    // In the order of the depth of their directories, so that the nearest file of a name is found.
    std::vector<std::pair<std::string, ZipRecord>> records;
    for (const auto& record : read_zip_directory(archive_->bytes())) records.push_back(record);
    const auto depth = [](const auto& record) { return std::count(record.first.begin(), record.first.end(), '/'); };
    std::stable_sort(records.begin(), records.end(),
                     [&](const auto& one, const auto& other) { return depth(one) < depth(other); });
    for (const auto& [name, record] : records) files_.emplace(name_in(name), Entry{.path = name, .record = record});
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: a damaged zip archive ({}); download it again", path_, misfit.what());
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
  Entry& entry = found->second;
  if (!archive_) {
    if (!entry.mapped) entry.mapped = std::make_unique<MappedFile>(entry.path);
    return entry.mapped->bytes();
  }
  const std::string_view stored = archive_->bytes().substr(entry.record.offset, entry.record.size);
  if (!entry.record.is_compressed) return stored;
  try {
    if (entry.inflated.empty()) entry.inflated = inflate_bytes(stored, entry.record.content_size);
  } catch (const DamagedFile& misfit) {
    throw DamagedFile("{}: {}; download it again", path_of(name), misfit.what());
  }
  return entry.inflated;
}

void Package::release(const std::string& name, std::string_view part) const {
  const auto& mapped = files_.at(name).mapped;
  if (mapped) mapped->release(part);
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
