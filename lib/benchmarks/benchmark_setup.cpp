#include "benchmarks/benchmark_setup.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/format.h"
#include "model/model_cost.h"
#include "platform/device.h"

namespace transformer {

std::string describe_machine(torch::Device device) {
  if (!device.is_cpu()) return device_name(device);
  return fmt::format("{} of {}", counted(at::get_num_threads(), "thread"), device_name(device));
}

std::string benchmark_setup(const ModelConfig& model, VocabularySizes vocabularies, const std::string& how,
                            torch::Device device) {
  return fmt::format("N {}, d_model {}, d_ff {}, h {}, {} parameters; {}; {}", model.N, model.d_model, model.d_ff,
                     model.h, with_thousands(num_parameters(model, vocabularies)), how, describe_machine(device));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values.at(middle) : (values.at(middle - 1) + values.at(middle)) / 2;
}

}  // namespace transformer
