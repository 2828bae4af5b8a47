#include "serialization/python_pickle.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace transformer {

/// The stack machine of Python's pickles. Of the values that it would make it makes nodes.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) : bytes_(bytes) {}

  PickleGraph run() {
    while (step()) {
    }
    if (stack_.size() != 1) refuse("more than one value");
    graph_.root_ = stack_[0];
    return std::move(graph_);
  }

  size_t position() const { return position_; }

 private:
  using NodeId = PickleGraph::NodeId;
  using Kind = PickleGraph::Kind;
  using Node = PickleGraph::Node;

  [[noreturn]] void refuse(const char* what) const {
    throw DamagedFile("its pickle has {} at byte {}", what, position_);
  }

  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - position_) throw DamagedFile("its pickle is cut short");
    position_ += count;
    return bytes_.substr(position_ - count, count);
  }

  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(Number)).data(), sizeof(Number));
    return value;
  }

  std::string_view line() {
    const size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) throw DamagedFile("its pickle is cut short");
    const std::string_view text = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    return text;
  }

  void push(Node node) {
    stack_.push_back(static_cast<NodeId>(graph_.nodes_.size()));
    graph_.nodes_.push_back(std::move(node));
  }
  void push_integer(int64_t value) { push({.kind = Kind::integer, .integer = value}); }
  void push_text(std::string_view text) { push({.kind = Kind::text, .text = text}); }

  NodeId pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) refuse("too few values");
    const NodeId id = stack_.back();
    stack_.pop_back();
    return id;
  }

  /// The values since the last mark.
  std::vector<NodeId> pop_to_mark() {
    if (marks_.empty()) refuse("no mark");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    marks_.pop_back();
    std::vector<NodeId> values(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return values;
  }

  std::vector<NodeId> pop_some(size_t count) {
    std::vector<NodeId> values(count);
    for (size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }

  Node& top(Kind kind, const char* otherwise) {
    if (stack_.empty()) refuse("too few values");
    Node& node = graph_.nodes_[stack_.back()];
    if (node.kind != kind) refuse(otherwise);
    return node;
  }

  void add_items(const std::vector<NodeId>& items) {
    auto& list = top(Kind::sequence, "something else than a list").items;
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const std::vector<NodeId>& items) {
    if (items.size() % 2 != 0) refuse("a key without a value");
    if (stack_.empty()) refuse("too few values");
    Node& node = graph_.nodes_[stack_.back()];
    // The items of a class derived from dict are not needed.
    if (node.kind == Kind::call) return;
    auto& dict = top(Kind::dict, "something else than a dict").items;
    dict.insert(dict.end(), items.begin(), items.end());
  }

  /// A call of `collections.OrderedDict()` gives a dict, and one of LibTorch's `restore_type_tag(dict, type)` that
  /// dict.
  void call() {
    const NodeId arguments = pop(), callable = pop();
    const Node& called = graph_.nodes_[callable];
    const auto is_of = [&](std::string_view module, std::string_view name) {
      return called.kind == Kind::global && called.module == module && called.text == name;
    };
    const auto& given = graph_.nodes_[arguments].items;
    if (is_of("collections", "OrderedDict") && given.empty()) return push({.kind = Kind::dict});
    if (is_of("torch.jit._pickle", "restore_type_tag") && given.size() == 2) return stack_.push_back(given[0]);
    push({.kind = Kind::call, .items = {callable, arguments}});
  }

  /// Gives the value below the state.
  void build() {
    const NodeId state = pop();
    if (stack_.empty()) refuse("too few values");
    Node& node = graph_.nodes_[stack_.back()];
    if (node.kind == Kind::dict) return;  // PyTorch's `_metadata` of an OrderedDict
    if (node.kind != Kind::call || node.items.size() != 2) refuse("a state for something else than an object");
    node.items.push_back(state);
  }

  void memorize(uint64_t index) {
    if (stack_.empty()) refuse("too few values");
    if (index != memo_.size()) {
      // Python's pickler numbers the values in order, and reuses no number.
      refuse("an unexpected number in its memo");
    }
    memo_.push_back(stack_.back());
  }

  void remember(uint64_t index) {
    if (index >= memo_.size()) refuse("an unknown number of its memo");
    stack_.push_back(memo_[index]);
  }

  void long_integer(uint64_t size) {
    const std::string_view digits = take(size);
    if (size > sizeof(int64_t)) return push({.kind = Kind::other});
    int64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? -1 : 0;  // the sign
    std::memcpy(&value, digits.data(), digits.size());
    push_integer(value);
  }

  void floating_point() {
    std::string digits(take(sizeof(double)));  // big-endian
    std::reverse(digits.begin(), digits.end());
    double value = 0;
    std::memcpy(&value, digits.data(), sizeof(value));
    push({.kind = Kind::number, .number = value});
  }

  void stack_global() {
    const NodeId name = pop(), module = pop();
    const auto &name_node = graph_.nodes_[name], &module_node = graph_.nodes_[module];
    if (name_node.kind != Kind::text || module_node.kind != Kind::text) refuse("a global without a name");
    push({.kind = Kind::global, .text = name_node.text, .module = module_node.text});
  }

  /// Executes one opcode; false at the end.
  bool step() {
    const auto opcode = number<unsigned char>();
    switch (opcode) {
      case 0x80:  // PROTO
        graph_.protocol_ = number<uint8_t>();
        if (graph_.protocol_ > 5) refuse("an unknown protocol");
        break;
      case 0x95:  // FRAME
        number<uint64_t>();
        break;
      case '.':  // STOP
        return false;
      case '(':  // MARK
        marks_.push_back(stack_.size());
        break;
      case '0':  // POP
        pop();
        break;
      case 'N':  // NONE
        push({});
        break;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push({.kind = Kind::boolean, .integer = opcode == 0x88});
        break;
      case 'K':  // BININT1
        push_integer(number<uint8_t>());
        break;
      case 'M':  // BININT2
        push_integer(number<uint16_t>());
        break;
      case 'J':  // BININT
        push_integer(number<int32_t>());
        break;
      case 0x8A:  // LONG1
        long_integer(number<uint8_t>());
        break;
      case 'G':  // BINFLOAT
        floating_point();
        break;
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
      case 'B':  // BINBYTES
        push_text(take(number<uint32_t>()));
        break;
      case 'U':   // SHORT_BINSTRING
      case 'C':   // SHORT_BINBYTES
      case 0x8C:  // SHORT_BINUNICODE
        push_text(take(number<uint8_t>()));
        break;
      case 0x8D:  // BINUNICODE8
      case 0x8E:  // BINBYTES8
        push_text(take(number<uint64_t>()));
        break;
      case ']':   // EMPTY_LIST
      case ')':   // EMPTY_TUPLE
      case 0x8F:  // EMPTY_SET
        push({.kind = Kind::sequence});
        break;
      case 't':   // TUPLE
      case 'l':   // LIST
      case 0x91:  // FROZENSET
        push_sequence(pop_to_mark());
        break;
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        push_sequence(pop_some(opcode - 0x84));
        break;
      case 'a':  // APPEND
        add_items(pop_some(1));
        break;
      case 'e':   // APPENDS
      case 0x90:  // ADDITEMS
        add_items(pop_to_mark());
        break;
      case '}':  // EMPTY_DICT
        push({.kind = Kind::dict});
        break;
      case 's':  // SETITEM
        set_items(pop_some(2));
        break;
      case 'u':  // SETITEMS
        set_items(pop_to_mark());
        break;
      case 'c':  // GLOBAL
        push_global();
        break;
      case 0x93:  // STACK_GLOBAL
        stack_global();
        break;
      case 'R':   // REDUCE
      case 0x81:  // NEWOBJ
        call();
        break;
      case 'b':  // BUILD
        build();
        break;
      case 'Q':  // BINPERSID
        push({.kind = Kind::persistent_id, .items = {pop()}});
        break;
      case 'q':  // BINPUT
        memorize(number<uint8_t>());
        break;
      case 'r':  // LONG_BINPUT
        memorize(number<uint32_t>());
        break;
      case 0x94:  // MEMOIZE
        memorize(memo_.size());
        break;
      case 'h':  // BINGET
        remember(number<uint8_t>());
        break;
      case 'j':  // LONG_BINGET
        remember(number<uint32_t>());
        break;
      default:
        --position_;
        refuse("an unexpected opcode");
    }
    return true;
  }

  void push_sequence(std::vector<NodeId> items) { push({.kind = Kind::sequence, .items = std::move(items)}); }
  void push_global() {
    const std::string_view module = line(), name = line();
    push({.kind = Kind::global, .text = name, .module = module});
  }

  const std::string_view bytes_;
  size_t position_ = 0;
  PickleGraph graph_;
  std::vector<NodeId> stack_, memo_;
  std::vector<size_t> marks_;  // sizes of the stack
};

PickleGraph read_pickle(std::string_view& bytes) {
  PickleMachine machine(bytes);
  PickleGraph graph = machine.run();
  bytes.remove_prefix(machine.position());
  return graph;
}

}  // namespace transformer
