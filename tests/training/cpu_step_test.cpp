#include <optional>
#include <string>

#include "catch.h"
#include "corpora.h"
#include "operation_recorder.h"
#include "training/trainee.h"

namespace transformer {

TEST_CASE("the CPU kernels replace LibTorch's operators in a training step") {
  // What dropout on activations and on attention weights, LayerNorm, attention and the loss consist of without kernels.
  const std::string replaced = GENERATE("aten::ge", "aten::layer_norm", "aten::_softmax",
                                        "aten::scaled_dot_product_attention", "aten::_log_softmax");
  const auto precision = GENERATE(Precision::fp32, Precision::bf16);
  const bool is_plain = GENERATE(false, true);
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.precision = precision;
  ModelConfig architecture = tiny_config();
  architecture.P_drop = 0.1;
  // The operator of attention has no dropout that follows the sentences, so it runs only without dropout.
  architecture.attention_dropout = replaced == "aten::scaled_dot_product_attention" ? 0 : 0.1;
  Trainee trainee(config, architecture);
  std::optional<PlainOperations> plain;
  if (is_plain) plain.emplace();
  const OperationRecorder recorder;
  trainee.launch(*corpus, {{1, 17, 30}, {41, 5}}, 1);
  INFO(replaced << (is_plain ? " without" : " with") << " kernels");
  CHECK(recorder.has(replaced) == is_plain);
}

}  // namespace transformer
