#include <torch/csrc/autograd/function.h>

#include <set>

#include "catch.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {
namespace {

using torch::autograd::Node;

bool is(const Node* node, const std::string& kind) {
  return node != nullptr && node->name().find(kind) != std::string::npos;
}

/// Every operation that led to the tensor.
std::set<Node*> graph_of(const torch::Tensor& tensor) {
  std::set<Node*> found;
  std::vector<Node*> open = {tensor.grad_fn().get()};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node == nullptr || !found.insert(node).second) continue;
    for (const auto& edge : node->next_edges()) open.push_back(edge.function.get());
  }
  return found;
}

Node* operand(const Node* node, size_t number) { return node->next_edge(static_cast<uint32_t>(number)).function.get(); }

constexpr const char *kDropout = "DropoutFunction", *kAdd = "AddBackward", *kNorm = "LayerNormBackward";

}  // namespace

TEST_CASE("dropout is exactly where §5.4 puts it: on sub-layer outputs before the sum, on the embedding sums") {
  ModelConfig config = tiny_config();  // P_drop as in the paper
  auto model = tiny_model(config);
  model->train();
  const PlainOperations plain;  // in which every operation shows
  const auto logits = model->forward(sentences({{4, 5, 6, 3}}), sentences({{2, 9, 10}}));
  const auto graph = graph_of(logits);

  std::set<Node*> dropouts, on_sublayers;
  int64_t norms = 0, attentions = 0;
  for (Node* node : graph) {
    if (is(node, kDropout)) dropouts.insert(node);
    // Dropped attention weights would be made step by step, with a softmax of their own.
    CHECK_FALSE(is(node, "Softmax"));
    if (is(node, "ScaledDotProduct")) ++attentions;
    if (!is(node, kNorm)) continue;
    ++norms;
    const Node* sum = operand(node, 0);
    REQUIRE(is(sum, kAdd));
    const bool first = is(operand(sum, 0), kDropout), second = is(operand(sum, 1), kDropout);
    // One side of each sum is dropped: Sublayer(x). In the very first sub-layers x is itself an embedding's dropout.
    CHECK((first || second));
    on_sublayers.insert(operand(sum, 1));
    CHECK(is(operand(sum, 1), kDropout));
    if (first) CHECK(is(operand(operand(sum, 0), 0), kAdd));
  }
  CHECK(norms == 5 * config.N);
  CHECK(attentions == 3 * config.N);
  CHECK(static_cast<int64_t>(on_sublayers.size()) == 5 * config.N);
  CHECK(static_cast<int64_t>(dropouts.size()) == 5 * config.N + 2);
  for (Node* node : dropouts) {
    if (on_sublayers.contains(node)) continue;
    const Node* sum = operand(node, 0);  // embedding * sqrt(d_model) + position
    REQUIRE(is(sum, kAdd));
    CHECK(is(operand(sum, 0), "MulBackward"));
    CHECK(is(operand(operand(sum, 0), 0), "EmbeddingBackward"));
  }
}

TEST_CASE("dropout is nowhere with P_drop 0, and in evaluation") {
  ModelConfig config = tiny_config();
  config.P_drop = GENERATE(0.0, 0.1);
  auto model = tiny_model(config);
  model->train(config.P_drop == 0);
  const PlainOperations plain;
  const auto logits = model->forward(sentences({{4, 3}}), sentences({{2, 9}}));  // holds the graph
  for (const Node* node : graph_of(logits)) CHECK_FALSE(is(node, "ropout"));
}

TEST_CASE("dropout that the paper does not have shows in the graph where a config asks for it") {
  const PlainOperations plain;
  const auto kinds = [](const ModelConfig& config) {
    auto model = tiny_model(config);
    model->train();
    const auto logits = model->forward(sentences({{4, 5, 6, 3}}), sentences({{2, 9, 10}}));
    std::pair<int64_t, int64_t> dropouts_and_softmaxes;
    for (const Node* node : graph_of(logits)) {
      dropouts_and_softmaxes.first += is(node, kDropout) ? 1 : 0;
      dropouts_and_softmaxes.second += is(node, "Softmax") ? 1 : 0;
    }
    return dropouts_and_softmaxes;
  };
  ModelConfig config = tiny_config();
  config.relu_dropout = 0.1;
  CHECK(kinds(config) == std::pair(7 * config.N + 2, int64_t{0}));
  config.relu_dropout = 0;
  config.attention_dropout = 0.1;
  CHECK(kinds(config) == std::pair(8 * config.N + 2, 3 * config.N));
}

TEST_CASE("pre-norm has the same dropouts, and one more norm for each stack") {
  const PlainOperations plain;
  ModelConfig config = tiny_config();
  config.layer_norm = NormOrder::pre;
  auto model = tiny_model(config);
  model->train();
  const auto logits = model->forward(sentences({{4, 5, 6, 3}}), sentences({{2, 9, 10}}));
  int64_t dropouts = 0, norms = 0;
  for (const Node* node : graph_of(logits)) {
    dropouts += is(node, kDropout) ? 1 : 0;
    norms += is(node, kNorm) ? 1 : 0;
  }
  CHECK(dropouts == 5 * config.N + 2);
  CHECK(norms == 5 * config.N + 2);
}

}  // namespace transformer
