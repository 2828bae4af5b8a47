#include "serialization/torch_file.h"

#include <fmt/core.h>

#include <cstring>

#include "base/error.h"
#include "base/zip_directory.h"

namespace transformer {
namespace {

using Kind = PickleGraph::Kind;

/// With which a file of the older format begins: a pickle of a long integer, the magic number 0x1950A86A20F9469CFC6C.
constexpr std::string_view kLegacyMagic("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.", 15);
constexpr std::string_view kPickleRecord = "/data.pkl";

/// The type of the elements of a storage that PyTorch's pickles call "FloatStorage" and the like. There is none for
/// truth values: no model has them, and bytes other than 0 and 1 would be invalid.
torch::ScalarType element_type(std::string_view storage_type) {
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kLong, torch::kInt,
                          torch::kShort, torch::kChar, torch::kByte}) {
    if (storage_type == std::string(c10::toString(type)) + "Storage") return type;
  }
  throw DamagedFile("the type {} is unknown", storage_type);
}

/// Throws DamagedFile if the checksum of a record does not fit. PyTorch writes 0 if it is told to compute none
/// (torch.serialization.set_crc32_options).
void check_if_known(const ZipRecord& record, std::string_view content) {
  if (record.checksum != 0) check_content(record, content);
}

}  // namespace

bool TorchFile::is_torch_file(std::string_view bytes) {
  if (bytes.starts_with(kLegacyMagic)) return true;
  try {
    for (const auto& [name, record] : read_zip_directory(bytes)) {
      if (name.ends_with(kPickleRecord)) return true;
    }
  } catch (const DamagedFile&) {
  }
  return false;
}

TorchFile::TorchFile(std::string_view bytes, uint64_t max_pickle_bytes) {
  if (bytes.starts_with(kLegacyMagic)) {
    read_legacy(bytes);
  } else {
    read_zip(bytes, max_pickle_bytes);
  }
}

// A zip archive with records NAME/data.pkl, NAME/data/0, NAME/data/1, ..., and NAME/byteorder in newer files.
void TorchFile::read_zip(std::string_view bytes, uint64_t max_pickle_bytes) {
  const auto records = read_zip_directory(bytes);
  std::string folder;
  for (const auto& [name, record] : records) {
    if (name.ends_with(kPickleRecord)) folder = name.substr(0, name.size() - kPickleRecord.size() + 1);
  }
  if (folder.empty()) throw DamagedFile("it has no record data.pkl");
  const auto content = [&](const ZipRecord& record) {
    if (record.is_compressed) throw DamagedFile("it is compressed, which torch.save does not do");
    return bytes.substr(record.offset, record.size);
  };
  const auto byte_order = records.find(folder + "byteorder");
  if (byte_order != records.end() && content(byte_order->second) != "little") {
    throw DamagedFile("its numbers are not little-endian");
  }
  std::string_view pickle = content(records.at(folder + "data.pkl"));
  if (pickle.size() > max_pickle_bytes) throw DamagedFile("its pickle has {} bytes", pickle.size());
  check_if_known(records.at(folder + "data.pkl"), pickle);
  graph_ = read_pickle(pickle);
  if (!pickle.empty()) throw DamagedFile("its pickle has bytes after its end");
  const std::string data = folder + "data/";
  for (auto record = records.lower_bound(data); record != records.end() && record->first.starts_with(data); ++record) {
    storages_.emplace(record->first.substr(data.size()), Storage{content(record->second), record->second, {}});
  }
}

// Five pickles: the magic number, the version of the format, facts about the machine, the value, the names of the
// storages; then for each of these its number of elements (8 bytes) and the elements.
void TorchFile::read_legacy(std::string_view bytes) {
  static constexpr int64_t kVersion = 1001;
  read_pickle(bytes);
  if (read_pickle(bytes).root().integer != kVersion) throw DamagedFile("it is of an unknown version of torch.save");
  read_pickle(bytes);
  graph_ = read_pickle(bytes);
  const PickleGraph names = read_pickle(bytes);
  // The types of the storages' elements are in the value alone.
  std::map<std::string_view, uint64_t> element_sizes;
  for (NodeId id = 0; id < graph_.size(); ++id) {
    if (graph_[id].kind != Kind::persistent_id) continue;
    const auto& parts = items(graph_[id].items.at(0));
    if (parts.size() < 3) throw DamagedFile("it has an unknown kind of storage");
    element_sizes.emplace(graph_[parts[2]].text, torch::elementSize(element_type(graph_[parts[1]].text)));
  }
  for (const NodeId name : names.root().items) {
    uint64_t count = 0;
    if (bytes.size() < sizeof(count)) throw DamagedFile("it is cut short");
    std::memcpy(&count, bytes.data(), sizeof(count));
    bytes.remove_prefix(sizeof(count));
    const auto size = element_sizes.find(names[name].text);
    if (size == element_sizes.end()) throw DamagedFile("it has a storage that no tensor has");
    if (count > bytes.size() / size->second) throw DamagedFile("it is cut short");
    storages_.emplace(names[name].text, Storage{bytes.substr(0, count * size->second), {}, {}});
    bytes.remove_prefix(count * size->second);
  }
}

const PickleGraph::Node* TorchFile::called(NodeId value) const {
  const auto& call = node(value);
  if (call.kind != Kind::call) return nullptr;
  const auto& global = node(call.items[0]);
  return global.kind == Kind::global ? &global : nullptr;
}

bool TorchFile::is_call_of(NodeId value, std::string_view module, std::string_view name) const {
  const auto* global = called(value);
  return global != nullptr && global->module == module && global->text == name;
}

const PickleGraph::Node* TorchFile::attributes(NodeId value) const {
  const auto& object = node(value);
  const auto& dict = object.kind == Kind::call && object.items.size() == 3 ? node(object.items[2]) : object;
  return dict.kind == Kind::dict ? &dict : nullptr;
}

std::optional<TorchFile::NodeId> TorchFile::item(const PickleGraph::Node* dict, std::string_view key) const {
  for (size_t i = 0; dict != nullptr && i + 1 < dict->items.size(); i += 2) {
    const auto& name = node(dict->items[i]);
    if (name.kind == Kind::text && name.text == key) return dict->items[i + 1];
  }
  return std::nullopt;
}

std::optional<TorchFile::NodeId> TorchFile::find(NodeId value, std::string_view key) const {
  const auto* const own = attributes(value);
  std::optional<NodeId> found = item(own, key);
  if (const auto content = item(own, "_content"); !found && content) {
    // omegaconf's DictConfig has its keys in the attribute `_content`, and a value of a key in its attribute `_val`.
    found = item(attributes(*content), key);
    if (found && node(*found).kind == Kind::call) {
      const auto plain = item(attributes(*found), "_val");
      if (plain) found = plain;
    }
  }
  return found && node(*found).kind != Kind::none ? found : std::nullopt;
}

std::vector<std::pair<std::string_view, TorchFile::NodeId>> TorchFile::entries(NodeId dict) const {
  if (!is_dict(dict)) throw DamagedFile("it has {} instead of a dict", describe(dict));
  std::vector<std::pair<std::string_view, NodeId>> entries;
  const auto& items = node(dict).items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (node(items[i]).kind != Kind::text) throw DamagedFile("a key of a dict is no text");
    entries.emplace_back(node(items[i]).text, items[i + 1]);
  }
  return entries;
}

const std::vector<TorchFile::NodeId>& TorchFile::items(NodeId sequence) const {
  if (node(sequence).kind != Kind::sequence) throw DamagedFile("it has {} instead of a list", describe(sequence));
  return node(sequence).items;
}

std::optional<std::string> TorchFile::text(NodeId value) const {
  return node(value).kind == Kind::text ? std::optional(std::string(node(value).text)) : std::nullopt;
}

std::optional<int64_t> TorchFile::integer(NodeId value) const {
  const Kind kind = node(value).kind;
  return kind == Kind::integer || kind == Kind::boolean ? std::optional(node(value).integer) : std::nullopt;
}

std::optional<double> TorchFile::number(NodeId value) const {
  if (node(value).kind == Kind::number) return node(value).number;
  const auto whole = integer(value);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

bool TorchFile::is_tensor(NodeId value) const {
  return is_call_of(value, "torch._utils", "_rebuild_tensor_v2") ||
         is_call_of(value, "torch._utils", "_rebuild_tensor") ||
         is_call_of(value, "torch._utils", "_rebuild_parameter");
}

torch::Tensor TorchFile::view(NodeId value) {
  static constexpr size_t kMaxDimensions = 8;
  if (!is_tensor(value)) throw DamagedFile("it is {}, not a tensor", describe(value));
  const auto& arguments = items(node(value).items[1]);
  if (arguments.empty()) throw DamagedFile("it has no data");
  if (called(value)->text == "_rebuild_parameter") {
    if (is_call_of(arguments[0], "torch._utils", "_rebuild_parameter")) throw DamagedFile("it is nested");
    return view(arguments[0]);
  }
  if (arguments.size() < 4) throw DamagedFile("it has too few parts");
  const torch::Tensor elements = storage(arguments[0]);
  const auto numbers_of = [&](NodeId sequence) {
    std::vector<int64_t> numbers;
    for (const NodeId item : items(sequence)) numbers.push_back(integer(item).value_or(-1));
    return numbers;
  };
  const int64_t offset = integer(arguments[1]).value_or(-1);
  const std::vector<int64_t> sizes = numbers_of(arguments[2]), strides = numbers_of(arguments[3]);
  if (offset < 0 || sizes.size() != strides.size() || sizes.size() > kMaxDimensions) {
    throw DamagedFile("its shape is impossible");
  }
  // The last element's position, and the number of elements, which repeated ones could make larger than the storage.
  const double limit = static_cast<double>(elements.numel());
  double last = static_cast<double>(offset), count = 1, bound = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) throw DamagedFile("its shape is impossible");
    count *= static_cast<double>(sizes[i]);
    bound *= static_cast<double>(std::max<int64_t>(sizes[i], 1));
    last += static_cast<double>(std::max<int64_t>(sizes[i] - 1, 0)) * static_cast<double>(strides[i]);
  }
  if (bound > 1e15 || count > limit || (count > 0 && last >= limit) || static_cast<double>(offset) > limit) {
    throw DamagedFile("it needs more elements than its storage has");
  }
  if (count == 0) return torch::empty(sizes, elements.scalar_type());
  return elements.as_strided(sizes, strides, offset);
}

/// ("storage", type, name, place, number of elements) of the newer format, with one more part in the older.
torch::Tensor TorchFile::storage(NodeId persistent_id) {
  if (node(persistent_id).kind != Kind::persistent_id) throw DamagedFile("it has no storage");
  const auto& parts = items(node(persistent_id).items.at(0));
  if (parts.size() < 5 || node(parts[0]).text != "storage") throw DamagedFile("it has an unknown kind of storage");
  const auto found = storages_.find(node(parts[2]).text);
  if (found == storages_.end()) throw DamagedFile("the file has no storage '{}'", node(parts[2]).text.substr(0, 32));
  auto& [bytes, record, elements] = found->second;
  const torch::ScalarType type = element_type(node(parts[1]).text);
  if (elements.defined() && elements.scalar_type() == type) return elements;
  const size_t size = torch::elementSize(type);
  const auto count = static_cast<int64_t>(bytes.size() / size);
  if (bytes.size() % size != 0 || integer(parts[4]) != count) {
    throw DamagedFile("its storage has {} bytes, not as many elements as it says", bytes.size());
  }
  check_if_known(record, bytes);
  torch::Tensor read = torch::empty({count}, type);
  if (!bytes.empty()) std::memcpy(read.mutable_data_ptr(), bytes.data(), bytes.size());
  return elements = read;
}

std::string TorchFile::describe(NodeId value) const {
  static constexpr size_t kMaxName = 100;
  switch (node(value).kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
    case Kind::integer:
    case Kind::number:
    case Kind::other:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::sequence:
      return "a list";
    case Kind::dict:
      return "a dict";
    case Kind::global:
      return fmt::format("{}.{}", node(value).module.substr(0, kMaxName), node(value).text.substr(0, kMaxName));
    case Kind::persistent_id:
      return "a storage";
    case Kind::call:
      break;
  }
  const NodeId callable = node(value).items[0];
  return node(callable).kind == Kind::global ? describe(callable) : "an object";
}

}  // namespace transformer
