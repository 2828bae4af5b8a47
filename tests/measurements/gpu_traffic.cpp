#include <fmt/core.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "catch.h"
#include "corpora.h"
#include "operation_recorder.h"
#include "ops/linear_cross_entropy.h"
#include "stand_in_attention.h"
#include "training/trainee.h"

namespace transformer {
namespace {

using Operations = std::vector<OperationRecorder::Operation>;

/// Of a step: how many kernels it launches, and the bytes that they read and write, matrix products apart.
struct Traffic {
  double launches = 0, product_bytes = 0, other_bytes = 0;
  std::map<std::string, std::pair<int, double>> of_operation;  // launches and bytes
};

Traffic traffic_of(const Operations& operations) {
  // They allocate memory, or describe that of another tensor.
  static const std::set<std::string> no_kernels = {
      "aten::alias",     "aten::as_strided", "aten::detach",        "aten::detach_",    "aten::empty",
      "aten::expand",    "aten::empty_like", "aten::empty_strided", "aten::lift_fresh", "aten::resize_",
      "aten::select",    "aten::slice",      "aten::split",         "aten::squeeze",    "aten::t",
      "aten::unsqueeze", "aten::to",         "aten::transpose",     "aten::view",       "aten::view_as",
      "detach"};
  static const std::set<std::string> products = {"aten::mm",      "aten::addmm",  "aten::bmm",
                                                 "aten::baddbmm", "aten::addmm_", "aten::_addmm_activation"};
  Traffic traffic;
  for (const auto& operation : operations) {
    const bool is_whole = operation.name.starts_with("aten::_foreach") || operation.name == "aten::_fused_adam_" ||
                          operation.name.find("attention_forward") != std::string::npos ||
                          operation.name.find("attention_backward") != std::string::npos ||
                          operation.name.starts_with("aten::_scaled_dot_product") || operation.name == "aten::sum" ||
                          products.contains(operation.name);
    const bool is_part =
        operation.around.find("_foreach") != std::string::npos ||
        operation.around.find("aten::_scaled_dot_product") != std::string::npos ||
        operation.around.find("aten::sum ") != std::string::npos || operation.around.find("mm ") != std::string::npos ||
        operation.around.find("aten::_addmm_activation ") != std::string::npos || is_part_of_stand_in(operation);
    if (is_part || operation.bytes == 0 || no_kernels.contains(operation.name)) continue;
    if (!is_whole && operation.has_nested) continue;
    ++traffic.launches;
    (products.contains(operation.name) ? traffic.product_bytes : traffic.other_bytes) +=
        static_cast<double>(operation.bytes);
    auto& [launches, bytes] = traffic.of_operation[operation.name];
    ++launches;
    bytes += static_cast<double>(operation.bytes);
  }
  return traffic;
}

constexpr int32_t kBaseVocabulary = 37000;

/// A step of the base model on sentences of 25 + 25 tokens, in bf16.
Traffic base_traffic(int64_t num_sentences, bool is_plain) {
  static constexpr int64_t kLength = 25;
  std::vector<std::vector<int64_t>> micro_batch(1);
  for (int64_t i = 0; i < num_sentences; ++i) micro_batch[0].push_back(i);
  const FormulaCorpus corpus(num_sentences, kBaseVocabulary, kLength - 1, kLength - 1);  // and the end symbol
  TrainingConfig config;
  config.precision = Precision::bf16;
  Trainee trainee(config, ModelConfig(), torch::kFloat, kBaseVocabulary);
  const StandInAttention attention;
  std::optional<PlainOperations> plain;
  std::optional<HostGpuForm> on_host;
  if (is_plain) {
    plain.emplace();
  } else {
    on_host.emplace();
  }
  trainee.step(*corpus, micro_batch, 1);
  const OperationRecorder recorder;
  trainee.launch(*corpus, micro_batch, 2);
  return traffic_of(recorder.operations());
}

}  // namespace

TEST_CASE("traffic of a step of the base model on a GPU") {
  // Traffic is linear in the number of sentences, so that two small batches tell that of a large one, in which only the
  // loss has more blocks. With GPU kernels, the small batches have more rows than add_norm's backward pass has blocks.
  static constexpr double kSentences = 1000, kTokens = 25000;
  // Each further block of logits reads a gradient of the embedding in bf16 and adds it to the sum in fp32. With the GPU
  // kernel a block takes nine operations: three products, the kernel, two sums, which are added to those of the blocks
  // before, and the addition of the gradient. Without it, LibTorch takes 21.
  static constexpr double kBlockBytes = (2 + 4 + 4) * 512 * kBaseVocabulary;
  const double more_blocks =
      std::ceil(kTokens / static_cast<double>(loss_block_rows(/*is_gpu=*/true, kBaseVocabulary))) - 1;
  for (const bool is_plain : {true, false}) {
    const int64_t num_few = is_plain ? 4 : 44, num_many = is_plain ? 8 : 52, block_operations = is_plain ? 21 : 9;
    const Traffic few = base_traffic(num_few, is_plain), many = base_traffic(num_many, is_plain);
    const auto at_full_size = [&](double a, double b) {
      const auto few_sentences = static_cast<double>(num_few), many_sentences = static_cast<double>(num_many);
      return a + (b - a) / (many_sentences - few_sentences) * (kSentences - few_sentences);
    };
    fmt::print("{}: {} operations, {:.1f} GB outside and {:.1f} GB in matrix products\n",
               is_plain ? "LibTorch's operators" : "GPU kernels",
               many.launches + more_blocks * static_cast<double>(block_operations),
               (at_full_size(few.other_bytes, many.other_bytes) + more_blocks * kBlockBytes) / 1e9,
               at_full_size(few.product_bytes, many.product_bytes) / 1e9);
    for (const auto& [name, counted] : many.of_operation) {
      const auto [launches, bytes] = counted;
      fmt::print("  {:6} {:8.2f} GB  {}\n", launches, at_full_size(few.of_operation.at(name).second, bytes) / 1e9,
                 name);
    }
  }
}

}  // namespace transformer
