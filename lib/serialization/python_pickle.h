#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// What a pickle of Python describes, as a graph of plain nodes. Nothing is executed: a call is a node that names what
/// would be called. A node refers to others by their numbers, because a pickle may use a value several times.
class PickleGraph {
 public:
  using NodeId = uint32_t;

  enum class Kind {
    none,
    boolean,
    integer,
    number,
    text,
    sequence,       // a list, a tuple or a set: `items`
    dict,           // keys and values in turn: `items`
    global,         // `module` and `text`, its name
    persistent_id,  // `items`: the id, a tuple
    call,           // `items`: what is called, its arguments, and perhaps the state that the result is given
    other           // an integer of more than 64 bits
  };

  struct Node {
    Kind kind = Kind::none;
    int64_t integer = 0;  // of an integer; 0 or 1 for a boolean
    double number = 0;
    std::string_view text = {};
    std::string_view module = {};  // of a global, whose name is `text`
    std::vector<NodeId> items = {};
  };

  size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const Node& root() const { return nodes_[root_]; }
  NodeId root_id() const { return root_; }
  int protocol() const { return protocol_; }

 private:
  friend class PickleMachine;

  std::vector<Node> nodes_;
  NodeId root_ = 0;
  int protocol_ = 0;
};

/// Reads the pickle, of protocol 2 to 4, at the beginning of the bytes, which must outlive the graph, and removes it
/// from them. The memory in use is proportional to the pickle's size. Throws DamagedFile, whose message is the reason
/// without the name of the file.
PickleGraph read_pickle(std::string_view& bytes);

}  // namespace transformer
