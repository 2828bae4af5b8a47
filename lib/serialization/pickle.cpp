#include "serialization/pickle.h"

#include "base/error.h"
#include "serialization/python_pickle.h"

namespace transformer {
namespace {

using NodeId = PickleGraph::NodeId;
using Node = PickleGraph::Node;
using Kind = PickleGraph::Kind;

constexpr size_t kMaxDimensions = 8;
constexpr size_t kMaxStorageNameBytes = 32;  // of a storage's type or record

/// Reads the values of such a dict out of the pickle's graph, in which a value may occur several times: LibTorch shares
/// texts and storages only. What is larger than its reference may not be repeated without limit.
class DictReader {
 public:
  DictReader(const PickleGraph& graph, size_t pickle_bytes)
      : graph_(graph), is_read_(graph.size()), pickle_bytes_(pickle_bytes) {}

  PickledDict read() {
    if (!is_dict(graph_.root_id())) refuse("something else than a dict");
    PickledDict values;
    read_dict(graph_.root_id(),
              [&](std::string key, NodeId value) { values.emplace_back(std::move(key), read_value(value)); });
    return values;
  }

 private:
  [[noreturn]] static void refuse(const char* what) { throw DamagedFile("its pickle has {}", what); }

  const Node& node(NodeId id, Kind kind, const char* otherwise) const {
    if (graph_[id].kind != kind) refuse(otherwise);
    return graph_[id];
  }

  bool is_global(NodeId id, std::string_view module, std::string_view name) const {
    const Node& global = graph_[id];
    return global.kind == Kind::global && global.module == module && global.text == name;
  }

  /// Whether the value is a call of this function, without a state that the result is given.
  bool is_call(NodeId id, std::string_view module, std::string_view name) const {
    const Node& call = graph_[id];
    return call.kind == Kind::call && call.items.size() == 2 && is_global(call.items[0], module, name);
  }
  /// A dict that torch::jit::pickle_save wrote: its items, and its type as text.
  bool is_dict(NodeId id) const { return is_call(id, "torch.jit._pickle", "restore_type_tag"); }

  const std::vector<NodeId>& arguments(NodeId call, size_t count, const char* otherwise) {
    if (is_read_[call]) refuse("a dict or a tensor that occurs twice");
    is_read_[call] = true;
    const auto& given = graph_[graph_[call].items[1]];
    if (given.kind != Kind::sequence || given.items.size() != count) refuse(otherwise);
    return given.items;
  }

  std::string text(NodeId id) {
    const std::string_view text = node(id, Kind::text, "something else than a text").text;
    text_bytes_ += text.size();
    if (text_bytes_ > 2 * pickle_bytes_) refuse("a text that is repeated too often");
    return std::string(text);
  }
  int64_t integer(NodeId id) const { return node(id, Kind::integer, "something else than an integer").integer; }

  template <class AddEntry>
  void read_dict(NodeId id, const AddEntry& add_entry) {
    const auto& parts = arguments(id, 2, "something else than a dict");
    const auto& items = node(parts[0], Kind::dict, "something else than a dict").items;
    text(parts[1]);  // the type, such as "Dict[str, Tensor]"
    for (size_t i = 0; i < items.size(); i += 2) add_entry(text(items[i]), items[i + 1]);
  }

  PickledValue read_value(NodeId id) {
    const Node& value = graph_[id];
    if (value.kind == Kind::text) return text(id);
    if (value.kind == Kind::integer) return value.integer;
    if (value.kind == Kind::number) return value.number;
    if (!is_dict(id)) return read_tensor(id);
    PickledTensors tensors;
    read_dict(id, [&](std::string key, NodeId tensor) { tensors.emplace_back(std::move(key), read_tensor(tensor)); });
    return tensors;
  }

  PickledTensor read_tensor(NodeId id) {
    static constexpr const char* kOtherwise = "something else than a tensor";
    if (!is_call(id, "torch._utils", "_rebuild_tensor_v2")) refuse(kOtherwise);
    const auto& parts = arguments(id, 6, kOtherwise);
    PickledTensor tensor = read_storage(parts[0]);
    tensor.offset = integer(parts[1]);
    tensor.sizes = read_integers(parts[2]);
    tensor.strides = read_integers(parts[3]);
    node(parts[4], Kind::boolean, "something else than a tensor's requires_grad");
    if (!node(parts[5], Kind::dict, "something else than a tensor's hooks").items.empty()) refuse("a tensor's hooks");
    return tensor;
  }

  /// ("storage", type, record, "cpu", number of elements) as a persistent id.
  PickledTensor read_storage(NodeId id) const {
    static constexpr const char* kOtherwise = "something else than a storage";
    const auto& parts = node(node(id, Kind::persistent_id, kOtherwise).items.at(0), Kind::sequence, kOtherwise).items;
    if (parts.size() != 5 || node(parts[0], Kind::text, kOtherwise).text != "storage") refuse(kOtherwise);
    const Node& type = node(parts[1], Kind::global, "something else than a storage's type");
    if (type.module != "torch" || !type.text.ends_with("Storage") || type.text.size() > kMaxStorageNameBytes) {
      refuse("an unknown type of storage");
    }
    const std::string_view record = node(parts[2], Kind::text, kOtherwise).text;
    if (record.size() > kMaxStorageNameBytes) refuse("a long name of a record");
    if (node(parts[3], Kind::text, kOtherwise).text != "cpu") refuse("a storage of another device than the CPU");
    PickledTensor tensor;
    tensor.storage_type = type.text;
    tensor.record = record;
    tensor.storage_elements = integer(parts[4]);
    return tensor;
  }

  std::vector<int64_t> read_integers(NodeId id) const {
    const auto& items = node(id, Kind::sequence, "something else than a tensor's sizes").items;
    if (items.size() > kMaxDimensions) refuse("a tensor of too many dimensions");
    std::vector<int64_t> integers;
    for (const NodeId item : items) integers.push_back(integer(item));
    return integers;
  }

  const PickleGraph& graph_;
  std::vector<bool> is_read_;  // of each dict and tensor
  const size_t pickle_bytes_;
  size_t text_bytes_ = 0;
};

}  // namespace

PickledDict parse_pickle(std::string_view bytes) {
  static constexpr std::string_view kProtocol2 = "\x80\x02";
  if (bytes.size() >= kProtocol2.size() && !bytes.starts_with(kProtocol2)) {
    throw DamagedFile("its pickle has another protocol");
  }
  std::string_view rest = bytes;
  const PickleGraph graph = read_pickle(rest);
  if (!rest.empty()) throw DamagedFile("its pickle has bytes after its end");
  return DictReader(graph, bytes.size()).read();
}

}  // namespace transformer
