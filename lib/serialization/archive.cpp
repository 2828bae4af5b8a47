#include "serialization/archive.h"

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/parse_number.h"
#include "base/read_file.h"
#include "serialization/safetensors.h"
#include "serialization/zip_archive.h"

namespace transformer {
namespace {

constexpr const char* kState = "state";
constexpr char kSeparator = '/';  // between the name of a group and that of a tensor, which has none
constexpr size_t kBeginning = kCheckedBeginning;

const char* name_of_type(const std::string* /*value*/) { return "a text"; }
const char* name_of_type(const int64_t* /*value*/) { return "an integer"; }
const char* name_of_type(const double* /*value*/) { return "a floating-point number"; }
const char* name_of_type(const torch::Tensor* /*value*/) { return "a tensor"; }
const char* name_of_type(const NamedTensors* /*value*/) { return "a dict of tensors"; }

bool is_zip_archive(std::string_view beginning) {
  return beginning.starts_with("PK\x03\x04");  // the local header of a zip archive's first record
}

/// Adds a value of an archive to the content of a safetensors file and to the JSON object with the numbers.
struct AddValue {
  const std::string& name;
  SafeTensors& content;
  Json& state;

  void operator()(const std::string& text) const { content.metadata.emplace(name, text); }
  void operator()(int64_t integer) const { state[name] = integer; }
  void operator()(double number) const {
    state[name] = std::isfinite(number) ? Json(number) : Json(number_text(number));  // JSON has no infinite numbers
  }
  void operator()(const torch::Tensor& /*tensor*/) const { TORCH_CHECK(false, "tensor '", name, "' without a group"); }
  void operator()(const NamedTensors& tensors) const {
    const std::string prefix = name == kParameters ? "" : name + kSeparator;
    for (const auto& entry : tensors) content.tensors.insert(prefix + entry.key(), entry.value());
  }
};

SafeTensors content_of(const Archive& archive) {
  SafeTensors content;
  Json state = Json::object();
  for (const auto& [name, value] : archive) std::visit(AddValue{name, content, state}, value);
  if (!state.empty()) content.metadata.emplace(kState, json_text(state));
  return content;
}

ArchiveValue number_in(const Json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return number_of(value);
  if (const auto number = parse_number<double>(string_of(value))) return *number;
  throw Error("expected a number, got {}", json_text(value));
}

void add_numbers(const std::string& state, Archive& archive, const std::string& path) {
  try {
    const Json numbers = parse_json(state);
    for (const auto& [name, value] : object_of(numbers)) archive.emplace(name, number_in(value));
  } catch (const Error& misfit) {
    throw DamagedFile("{}: its entry '{}' is not what this program writes ({}); use another file", path, kState,
                      misfit.what());
  }
}

Archive load_safetensors_archive(const std::string& path, const std::set<std::string>& names) {
  const MappedSafetensors file(path);
  Archive archive;
  for (const auto& [name, text] : file.metadata()) {
    if (name == kState) {
      add_numbers(text, archive, path);
    } else if (!is_checksum(name)) {
      archive.emplace(name, text);
    }
  }
  if (!names.empty()) std::erase_if(archive, [&](const auto& entry) { return !names.contains(entry.first); });
  const auto is_wanted = [&](const std::string& name) { return names.empty() || names.contains(name); };
  if (is_wanted(kParameters)) archive.try_emplace(kParameters, NamedTensors());
  for (size_t i = 0; i < file.names().size(); ++i) {
    const std::string& name = file.names()[i];
    const size_t separator = name.find(kSeparator);
    const bool is_parameter = separator == std::string::npos;
    const std::string group = is_parameter ? kParameters : name.substr(0, separator);
    if (!is_wanted(group)) continue;
    auto& entry = archive.try_emplace(group, NamedTensors()).first->second;
    auto* const tensors = std::get_if<NamedTensors>(&entry);
    if (tensors == nullptr) {
      throw DamagedFile("{}: it has the entry '{}' twice, as {} and as tensors; use another file", path, group,
                        std::visit([](const auto& value) { return name_of_type(&value); }, entry));
    }
    tensors->insert(is_parameter ? name : name.substr(separator + 1), file.tensor(i));
  }
  return archive;
}

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

bool is_archive(const std::string& path) {
  const std::string beginning = read_beginning(path, kBeginning);
  return is_zip_archive(beginning) || begins_as_checked(beginning);
}

void save_archive(const std::string& path, const Archive& archive) {
  save_checked_safetensors(path, content_of(archive));
}

int64_t size_of_archive(const Archive& archive) {
  return static_cast<int64_t>(size_of_checked_safetensors(content_of(archive)));
}

Archive load_archive(const std::string& path, const std::set<std::string>& names) {
  const std::string beginning = read_beginning(path, kBeginning);
  if (is_zip_archive(beginning)) return load_zip_archive(path, names);
  if (is_safetensors(beginning, std::filesystem::file_size(path))) return load_safetensors_archive(path, names);
  throw DamagedFile("{}: not a model file of this program, or cut short; copy it again or use another one", path);
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
