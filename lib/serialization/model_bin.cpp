#include "serialization/model_bin.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"

namespace transformer {
namespace {

constexpr uint32_t kMaxVersion = 6;
// Since which version of the format a file has: a specification's name and revision, aliases, types instead of sizes.
constexpr uint32_t kHasSpec = 2, kHasAliases = 3, kHasTypes = 4;

constexpr const char* kScaleSuffix = "_scale";

/// The number of a type is its index in this array.
constexpr std::array kTypes = {torch::kFloat, torch::kChar, torch::kShort, torch::kInt, torch::kHalf, torch::kBFloat16};

class ModelBinReader {
 public:
  explicit ModelBinReader(std::string_view bytes) : rest_(bytes) {}

  ModelBin read() {
    const auto version = number<uint32_t>();
    if (version < 1 || version > kMaxVersion) throw DamagedFile("it has version {} of the format", version);
    ModelBin model;
    if (version >= kHasSpec) {
      model.spec = name();
      model.revision = number<uint32_t>();
    }
    for (auto count = number<uint32_t>(); count > 0; --count) {
      const std::string variable = name();
      try {
        add(model, variable, tensor(version));
      } catch (const DamagedFile& misfit) {
        throw DamagedFile("'{}': {}", variable, misfit.what());
      }
    }
    if (version >= kHasAliases) {
      for (auto count = number<uint32_t>(); count > 0; --count) {
        const std::string alias = name(), variable = name();
        const auto found = model.variables.find(variable);
        if (found == model.variables.end())
          throw DamagedFile("'{}' is another name of '{}', which it lacks", alias, variable);
        add(model, alias, found->value());
        // The scales of a quantized weight have no entry of their own here.
        const auto scale = model.variables.find(variable + kScaleSuffix);
        if (scale != model.variables.end()) model.variables.insert(alias + kScaleSuffix, scale->value());
      }
    }
    if (!rest_.empty()) throw DamagedFile("{} bytes follow its end", rest_.size());
    return model;
  }

 private:
  static void add(ModelBin& model, const std::string& name, const torch::Tensor& tensor) {
    if (!model.variables.insert(name, tensor).second) throw DamagedFile("it has two variables '{}'", name);
  }

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) throw DamagedFile("it is cut short");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(Number)).data(), sizeof(Number));
    return value;
  }

  /// Its length with a zero byte at the end, and the bytes.
  std::string name() {
    const std::string_view bytes = take(number<uint16_t>());
    return std::string(bytes.substr(0, bytes.find('\0')));
  }

  torch::Tensor tensor(uint32_t version) {
    static constexpr size_t kMaxDimensions = 8;
    std::vector<int64_t> sizes(number<uint8_t>());
    if (sizes.size() > kMaxDimensions) throw DamagedFile("it has {} dimensions", sizes.size());
    double count = 1, bound = 1;
    for (int64_t& size : sizes) {
      size = number<uint32_t>();
      count *= static_cast<double>(size);
      bound *= static_cast<double>(std::max<int64_t>(size, 1));
    }
    const auto type_or_size = number<uint8_t>();
    const torch::ScalarType type = version >= kHasTypes ? type_of(type_or_size) : type_of_size(type_or_size);
    const uint64_t num_bytes = uint64_t{number<uint32_t>()} * (version >= kHasTypes ? 1 : type_or_size);
    if (bound > 1e15 || count * static_cast<double>(torch::elementSize(type)) != static_cast<double>(num_bytes)) {
      throw DamagedFile("its sizes do not fit its {} bytes", num_bytes);
    }
    const std::string_view bytes = take(num_bytes);
    torch::Tensor read = torch::empty(sizes, type);
    if (!bytes.empty()) std::memcpy(read.mutable_data_ptr(), bytes.data(), bytes.size());
    return read;
  }

  static torch::ScalarType type_of(uint8_t number) {
    if (number >= kTypes.size()) throw DamagedFile("its type {} is unknown", number);
    return kTypes[number];
  }

  /// The first versions had one type of each size.
  static torch::ScalarType type_of_size(uint8_t size) {
    if (size == 1) return torch::kChar;
    if (size == 2) return torch::kShort;
    if (size == 4) return torch::kFloat;
    throw DamagedFile("its elements have {} bytes", size);
  }

  std::string_view rest_;
};

}  // namespace

bool is_model_bin(std::string_view beginning) {
  static constexpr size_t kSize = 8;
  if (beginning.size() < kSize) return false;
  uint32_t version = 0;
  std::memcpy(&version, beginning.data(), sizeof(version));
  return version >= 1 && version <= kMaxVersion;
}

ModelBin read_model_bin(std::string_view bytes) { return ModelBinReader(bytes).read(); }

}  // namespace transformer
