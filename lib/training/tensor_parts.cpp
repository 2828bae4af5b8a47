#include "training/tensor_parts.h"

#include <algorithm>
#include <limits>

namespace transformer {

std::vector<TensorParts> divide_tensors(const std::vector<std::vector<torch::Tensor>>& lists) {
  static constexpr int64_t kElementsOnCpu = 1 << 20;
  torch::NoGradGuard no_grad;
  const auto& first = lists.at(0);
  const int64_t max_elements =
      first.empty() || first[0].is_cpu() ? kElementsOnCpu : std::numeric_limits<int64_t>::max();
  std::vector<TensorParts> divided;
  int64_t free = 0;  // elements for which the last part has room
  for (size_t number = 0; number < first.size(); ++number) {
    const int64_t size = first[number].numel();
    for (int64_t begin = 0, end = 0; begin < size; begin = end) {
      if (free == 0) {
        divided.push_back({std::vector<std::vector<torch::Tensor>>(lists.size()), {}});
        free = max_elements;
      }
      end = std::min(size, begin + free);
      free -= end - begin;
      for (size_t l = 0; l < lists.size(); ++l) {
        divided.back().parts[l].push_back(lists[l][number].view(-1).slice(0, begin, end));
      }
      divided.back().numbers.push_back(number);
    }
  }
  return divided;
}

}  // namespace transformer
