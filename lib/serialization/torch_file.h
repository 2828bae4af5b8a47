#pragma once

#include <torch/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/zip_directory.h"
#include "serialization/python_pickle.h"

namespace transformer {

/// A file that Python's `torch.save` wrote, in its zip format or in the older one without zip (before PyTorch 1.6). It
/// is read without executing anything: a value is a plain one, a tensor, or an object of which only the class and the
/// attributes are known. Tensors are read when they are asked for, so that those of an optimizer cost nothing.
///
/// Every function throws DamagedFile, whose message is the reason without the name of the file.
class TorchFile {
 public:
  using NodeId = PickleGraph::NodeId;

  static bool is_torch_file(std::string_view bytes);
  static constexpr uint64_t kMaxPickleBytes = uint64_t{256} << 20;
  /// Reads the pickle, which has at most `max_pickle_bytes` bytes in the zip format. The bytes must outlive this
  /// object.
  explicit TorchFile(std::string_view bytes, uint64_t max_pickle_bytes = kMaxPickleBytes);

  int protocol() const { return graph_.protocol(); }
  NodeId root() const { return graph_.root_id(); }
  PickleGraph::Kind kind(NodeId value) const { return graph_[value].kind; }

  /// The value for this key of a dict, or the attribute of this name of an object such as argparse.Namespace;
  /// std::nullopt if there is none, or if it is None.
  std::optional<NodeId> find(NodeId value, std::string_view key) const;
  /// The keys, which must be texts, and values of a dict.
  std::vector<std::pair<std::string_view, NodeId>> entries(NodeId dict) const;
  bool is_dict(NodeId value) const { return graph_[value].kind == PickleGraph::Kind::dict; }
  /// The elements of a list or tuple.
  const std::vector<NodeId>& items(NodeId sequence) const;

  std::optional<std::string> text(NodeId value) const;
  std::optional<int64_t> integer(NodeId value) const;  // of a boolean, too
  std::optional<double> number(NodeId value) const;    // of an integer, too

  bool is_tensor(NodeId value) const;
  /// A tensor, with strides as in the file or contiguous. Tensors of the same storage share memory, as they did when
  /// they were saved.
  torch::Tensor view(NodeId value);
  torch::Tensor tensor(NodeId value) { return view(value).contiguous(); }

  /// What a value is, for messages: "a number", "posix.system".
  std::string describe(NodeId value) const;

 private:
  struct Storage {
    std::string_view bytes;
    ZipRecord record;        // of a file in the zip format, for the check of its content
    torch::Tensor elements;  // once it is read
  };

  void read_zip(std::string_view bytes, uint64_t max_pickle_bytes);
  void read_legacy(std::string_view bytes);
  const PickleGraph::Node& node(NodeId value) const { return graph_[value]; }
  /// The dict itself, or that of an object's attributes; null for other values.
  const PickleGraph::Node* attributes(NodeId value) const;
  std::optional<NodeId> item(const PickleGraph::Node* dict, std::string_view key) const;
  const PickleGraph::Node* called(NodeId value) const;
  bool is_call_of(NodeId value, std::string_view module, std::string_view name) const;
  torch::Tensor storage(NodeId persistent_id);

  PickleGraph graph_;
  std::map<std::string, Storage, std::less<>> storages_;
};

}  // namespace transformer
