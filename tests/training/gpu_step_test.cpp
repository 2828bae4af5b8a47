#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "catch.h"
#include "corpora.h"
#include "operation_recorder.h"
#include "stand_in_attention.h"
#include "training/trainee.h"

namespace transformer {
namespace {

using Operations = std::vector<OperationRecorder::Operation>;

/// The operations of a training step as on a GPU, whose kernels run on the host.
Operations operations_of_step(Precision precision, std::optional<double> gradient_clip, int64_t num_layers = 2) {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.precision = precision;
  config.gradient_clip = gradient_clip;
  ModelConfig architecture = tiny_config();
  architecture.N = num_layers;
  architecture.h = 2;  // FlashAttention takes widths of a multiple of 8
  Trainee trainee(config, architecture);
  const StandInAttention attention;
  const HostGpuForm on_host;
  const std::vector<std::vector<int64_t>> micro_batches = {{1, 17, 30}, {41, 5}};
  trainee.step(*corpus, micro_batches, 1);  // the first step tries kernels
  const OperationRecorder recorder;
  trainee.launch(*corpus, micro_batches, 2);
  return recorder.operations();
}

/// How many tensors a step in bf16 converts to another type.
int64_t conversions_of_step(int64_t num_layers) {
  const auto operations = operations_of_step(Precision::bf16, std::nullopt, num_layers);
  return std::count_if(operations.begin(), operations.end(), [](const auto& operation) {
    return operation.name == "aten::_to_copy" && !is_part_of_stand_in(operation);
  });
}

}  // namespace

TEST_CASE("no operation of a training step on a GPU waits for it or pads a batch") {
  // What Packing::pad and unpad, masks and the plain forms consist of.
  const std::set<std::string> pads = {"aten::index_copy", "aten::index_fill_", "aten::masked_fill",
                                      "aten::tril_",      "aten::softmax",     "aten::scaled_dot_product_attention",
                                      "aten::layer_norm", "aten::_log_softmax"};
  const auto precision = GENERATE(Precision::fp32, Precision::bf16);
  const auto gradient_clip = GENERATE(std::optional<double>(), std::optional<double>(1.0));
  const auto attention =
      precision == Precision::bf16 ? "aten::_flash_attention_forward" : "aten::_efficient_attention_forward";
  std::map<std::string, int> counts;
  for (const auto& operation : operations_of_step(precision, gradient_clip)) {
    if (operation.around.find(operation.name) == std::string::npos) ++counts[operation.name];
    if (is_part_of_stand_in(operation)) continue;
    INFO(operation.name << " in " << operation.around);
    CHECK(kWaitingOperations.count(operation.name) == 0);
    CHECK(pads.count(operation.name) == 0);
  }
  const int layers = 2, micro_batches = 2;
  CHECK(counts[attention] == 3 * layers * micro_batches);
  CHECK(counts["gpu::add_norm_forward"] == 5 * layers * micro_batches);
  CHECK(counts["gpu::add_norm_backward"] == 5 * layers * micro_batches);
  CHECK(counts["gpu::embed_tokens"] == 2 * micro_batches);
  CHECK(counts["gpu::cross_entropy"] == micro_batches);
  CHECK(counts["gpu::dropout"] == 2 * micro_batches);  // in the backward pass of the embeddings
  CHECK(counts["aten::_addmm_activation"] == 2 * layers * micro_batches);
  CHECK(counts["aten::_fused_adam_"] == 1);
}

TEST_CASE("a layer on a GPU converts parameters and their gradients to and from bf16, but no activations") {
  const int matrices = 4 + 7, biases = 2 + 2;  // of an encoder and a decoder layer; q, k and v are one matrix
  const int micro_batches = 2;
  CHECK(conversions_of_step(2) - conversions_of_step(1) == 2 * (matrices + biases) * micro_batches);
}

}  // namespace transformer
