#include "serialization/pickle.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace transformer {
namespace {

/// The opcodes of Python's pickle protocol 2 that LibTorch writes for such a dict.
enum class Opcode : unsigned char {
  protocol = 0x80,       // PROTO
  stop = '.',            // STOP
  mark = '(',            // MARK
  empty_dict = '}',      // EMPTY_DICT
  set_items = 'u',       // SETITEMS
  empty_tuple = ')',     // EMPTY_TUPLE
  tuple = 't',           // TUPLE
  pair = 0x86,           // TUPLE2
  reduce = 'R',          // REDUCE: calls a global with a tuple of arguments
  global = 'c',          // GLOBAL
  persistent_id = 'Q',   // BINPERSID: a storage
  text = 'X',            // BINUNICODE
  byte = 'K',            // BININT1
  two_bytes = 'M',       // BININT2
  four_bytes = 'J',      // BININT
  long_integer = 0x8A,   // LONG1
  floating_point = 'G',  // BINFLOAT
  true_value = 0x88,     // NEWTRUE
  false_value = 0x89,    // NEWFALSE
  put = 'q',             // BINPUT: adds the value to the memo
  long_put = 'r',        // LONG_BINPUT
  get = 'h',             // BINGET: a value of the memo
  long_get = 'j',        // LONG_BINGET
};

/// The global whose call gives a dict its type, and the two of a tensor.
constexpr std::string_view kTypedDict = "torch.jit._pickle\nrestore_type_tag\n";
constexpr std::string_view kTensor = "torch._utils\n_rebuild_tensor_v2\n";
constexpr std::string_view kOrderedDict = "collections\nOrderedDict\n";  // for a tensor's hooks, always empty
/// The global of a storage's type: "torch\nFloatStorage\n".
constexpr std::string_view kStorageModule = "torch\n", kStorageSuffix = "Storage\n";

constexpr size_t kMaxDimensions = 8;
constexpr size_t kMaxStorageNameBytes = 32;  // of a storage's type or record

/// The module and the name of a global, each followed by a newline.
struct Global {
  std::string_view name;
};

struct Storage {
  std::string type, record;
  int64_t elements = 0;
};

/// A dict or a tensor in the memo. LibTorch would fetch it only for a value that occurs twice, which is not supported.
struct Composite {};

/// What is pushed by one opcode, or fetched from the memo.
using Item = std::variant<std::string_view, int64_t, double, bool, Global, Storage, Composite>;

/// Recursive descent along the sequences of opcodes that LibTorch writes. Dicts are the only nested values, at most two
/// within each other.
class PickleParser {
 public:
  explicit PickleParser(std::string_view bytes) : bytes_(bytes) {}

  PickledDict parse() {
    static constexpr uint8_t kProtocol = 2;
    expect(Opcode::protocol);
    if (number<uint8_t>() != kProtocol) refuse("another protocol");
    PickledDict values;
    if (!is_global(item(), kTypedDict)) refuse("something else than a dict");
    parse_dict([&](std::string key) { values.emplace_back(std::move(key), parse_value()); });
    expect(Opcode::stop);
    if (position_ != bytes_.size()) refuse("bytes after its end");
    return values;
  }

 private:
  [[noreturn]] void refuse(const char* what) const {
    throw DamagedFile("its pickle has {} at byte {}", what, position_);
  }

  std::string_view take(size_t count) {
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

  bool skip(Opcode opcode) {
    const bool found = position_ < bytes_.size() && static_cast<Opcode>(bytes_[position_]) == opcode;
    if (found) ++position_;
    return found;
  }

  void expect(Opcode opcode) {
    if (!skip(opcode)) refuse("an unexpected opcode");
  }

  static bool is_global(const Item& item, std::string_view name) {
    const auto* global = std::get_if<Global>(&item);
    return global != nullptr && global->name == name;
  }

  /// Adds the item to the memo if the pickle does, under the next number.
  Item memorize(Item item) {
    size_t index = 0;
    if (skip(Opcode::put)) {
      index = number<uint8_t>();
    } else if (skip(Opcode::long_put)) {
      index = number<uint32_t>();
    } else {
      return item;
    }
    if (index != memo_.size()) refuse("an unexpected number in its memo");
    memo_.push_back(item);
    return item;
  }

  Item remembered(size_t index) {
    if (index >= memo_.size()) refuse("an unknown number of its memo");
    if (const auto* text = std::get_if<std::string_view>(&memo_[index])) {
      // Repeated without limit, a long text could fill the memory.
      repeated_bytes_ += text->size();
      if (repeated_bytes_ > bytes_.size()) refuse("a text that is repeated too often");
    }
    return memo_[index];
  }

  Item item() {
    const auto opcode = static_cast<Opcode>(number<uint8_t>());
    switch (opcode) {
      case Opcode::text:
        return memorize(take(number<uint32_t>()));
      case Opcode::byte:
        return int64_t{number<uint8_t>()};
      case Opcode::two_bytes:
        return int64_t{number<uint16_t>()};
      case Opcode::four_bytes:
        return int64_t{number<int32_t>()};
      case Opcode::long_integer:
        if (number<uint8_t>() != sizeof(int64_t)) refuse("an integer of another size than 64 bits");
        return number<int64_t>();
      case Opcode::floating_point:
        return big_endian_double();
      case Opcode::true_value:
      case Opcode::false_value:
        return opcode == Opcode::true_value;
      case Opcode::global:
        return memorize(global());
      case Opcode::get:
        return remembered(number<uint8_t>());
      case Opcode::long_get:
        return remembered(number<uint32_t>());
      default:
        --position_;
        refuse("an unexpected opcode");
    }
  }

  double big_endian_double() {
    std::string digits(take(sizeof(double)));
    std::reverse(digits.begin(), digits.end());
    double value = 0;
    std::memcpy(&value, digits.data(), sizeof(value));
    return value;
  }

  Item global() {
    const size_t begin = position_;
    for (int line = 0; line < 2; ++line) {
      const size_t end = bytes_.find('\n', position_);
      if (end == std::string_view::npos) throw DamagedFile("its pickle is cut short");
      position_ = end + 1;
    }
    return Global{bytes_.substr(begin, position_ - begin)};
  }

  /// The next item, which must be a `Kind`.
  template <class Kind>
  Kind next(const char* otherwise) {
    Item next = item();
    if (auto* value = std::get_if<Kind>(&next)) return std::move(*value);
    refuse(otherwise);
  }

  std::string text() { return std::string(next<std::string_view>("something else than a text")); }
  int64_t integer() { return next<int64_t>("something else than an integer"); }

  /// What follows the global kTypedDict.
  template <class AddEntry>
  void parse_dict(const AddEntry& add_entry) {
    expect(Opcode::empty_dict);
    expect(Opcode::mark);
    while (!skip(Opcode::set_items)) add_entry(text());
    text();  // the type, such as "Dict[str, Tensor]"
    expect(Opcode::pair);
    expect(Opcode::reduce);
    memorize(Composite());
  }

  PickledValue parse_value() {
    const Item value = item();
    if (is_global(value, kTypedDict)) {
      PickledTensors tensors;
      parse_dict([&](std::string key) { tensors.emplace_back(std::move(key), parse_tensor(item())); });
      return tensors;
    }
    if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
    if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return parse_tensor(value);
  }

  /// A tensor, after its first item: the global to call.
  PickledTensor parse_tensor(const Item& first) {
    if (!is_global(first, kTensor)) refuse("something else than a tensor");
    expect(Opcode::mark);
    Storage storage = parse_storage();
    PickledTensor tensor{.storage_type = std::move(storage.type),
                         .record = std::move(storage.record),
                         .storage_elements = storage.elements,
                         .offset = integer(),
                         .sizes = parse_integers(),
                         .strides = parse_integers()};
    next<bool>("something else than a tensor's requires_grad");
    if (!is_global(item(), kOrderedDict)) refuse("something else than a tensor's hooks");
    expect(Opcode::empty_tuple);
    expect(Opcode::reduce);
    expect(Opcode::tuple);
    expect(Opcode::reduce);
    memorize(Composite());
    return tensor;
  }

  /// ("storage", type, record, "cpu", number of elements) as a persistent id, or a storage of the memo.
  Storage parse_storage() {
    if (!skip(Opcode::mark)) return next<Storage>("something else than a storage");
    if (text() != "storage") refuse("something else than a storage");
    const std::string_view type = next<Global>("something else than a storage's type").name;
    if (!type.starts_with(kStorageModule) || !type.ends_with(kStorageSuffix) || type.size() > kMaxStorageNameBytes) {
      refuse("an unknown type of storage");
    }
    Storage storage{.type = std::string(type.substr(kStorageModule.size(), type.size() - kStorageModule.size() - 1)),
                    .record = text()};
    if (storage.record.size() > kMaxStorageNameBytes) refuse("a long name of a record");
    if (text() != "cpu") refuse("a storage of another device than the CPU");
    storage.elements = integer();
    expect(Opcode::tuple);
    expect(Opcode::persistent_id);
    return std::get<Storage>(memorize(std::move(storage)));
  }

  std::vector<int64_t> parse_integers() {
    std::vector<int64_t> integers;
    expect(Opcode::mark);
    while (!skip(Opcode::tuple)) {
      if (integers.size() == kMaxDimensions) refuse("a tensor of too many dimensions");
      integers.push_back(integer());
    }
    return integers;
  }

  const std::string_view bytes_;
  size_t position_ = 0;
  std::vector<Item> memo_;
  size_t repeated_bytes_ = 0;  // of texts that were fetched from the memo
};

}  // namespace

PickledDict parse_pickle(std::string_view bytes) { return PickleParser(bytes).parse(); }

}  // namespace transformer
