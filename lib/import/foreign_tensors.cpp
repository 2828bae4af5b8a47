#include "import/foreign_tensors.h"

#include "base/error.h"
#include "base/format.h"

namespace transformer {

torch::Tensor ForeignTensors::peek(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw Error("{}: has no tensor '{}', which its settings need; copy or download the model again", path_, name);
  }
  return found->value();
}

torch::Tensor ForeignTensors::take(const std::string& name) {
  torch::Tensor tensor = peek(name);
  (void)tensors_.erase(name);
  if (!tensor.is_floating_point()) {
    throw Error("{}: tensor '{}' has the type {}, expected floating-point numbers", path_, name,
                c10::toString(tensor.scalar_type()));
  }
  return tensor.to(torch::kFloat).contiguous();
}

std::optional<torch::Tensor> ForeignTensors::take_if_any(const std::string& name) {
  return has(name) ? std::optional(take(name)) : std::nullopt;
}

void ForeignTensors::drop(const std::function<bool(const std::string& name)>& is_known) {
  std::vector<std::string> names;
  for (const auto& entry : tensors_) {
    if (is_known(entry.key())) names.push_back(entry.key());
  }
  for (const std::string& name : names) (void)tensors_.erase(name);
}

void ForeignTensors::check_all_are_taken() const {
  if (tensors_.empty()) return;
  static constexpr size_t kMaxShown = 3;
  std::vector<std::string> names;
  for (const auto& entry : tensors_) names.push_back("'" + entry.key() + "'");
  throw Error("{}: has {}, which no model of this family has; it belongs to another architecture", path_,
              enumeration(names, "and", kMaxShown));
}

int64_t ForeignTensors::count_layers(const std::function<std::string(int64_t n)>& name) const {
  int64_t count = 0;
  while (has(name(count))) ++count;
  if (count == 0) throw Error("{}: has no tensor '{}', so it has no layers", path_, name(0));
  return count;
}

}  // namespace transformer
