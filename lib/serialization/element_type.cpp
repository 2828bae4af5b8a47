#include "serialization/element_type.h"

#include <string>

#include "base/error.h"

namespace transformer {

torch::ScalarType element_type(std::string_view storage_type) {
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kLong, torch::kInt,
                          torch::kShort, torch::kChar, torch::kByte}) {
    if (storage_type == std::string(c10::toString(type)) + "Storage") return type;
  }
  throw DamagedFile("the type {} is unknown", storage_type);
}

}  // namespace transformer
