#include <fmt/core.h>

#include "base/temporary_directory.h"
#include "catch.h"
#include "config/stored_config.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "model/attention_weights.h"
#include "model/decoder_start.h"
#include "ops/linear_cross_entropy.h"
#include "serialization/safetensors.h"
#include "step_batch.h"
#include "tensors.h"
#include "text/special_tokens.h"
#include "training/learning_rate.h"
#include "training/train_step.h"

namespace transformer {
namespace {

/// What scripts/golden/transformer.py, which shares no code with the library, computed in fp64 for one config.
struct Golden {
  explicit Golden(const std::string& name)
      : path(TRANSFORMER_SOURCE_DIR "/tests/golden/model/" + name + ".safetensors"),
        content(load_safetensors(path)),
        config(parse_stored_config(content.metadata.at("config"), path)) {}

  torch::Tensor operator[](const std::string& name) const { return content.tensors.at(name); }

  /// The tensors named "GROUP/...", without the group.
  NamedTensors group(const std::string& name) const {
    NamedTensors members;
    for (const auto& entry : content.tensors) {
      if (entry.key().starts_with(name + "/")) members.insert(entry.key().substr(name.size() + 1), entry.value());
    }
    return members;
  }

  std::string path;
  SafeTensors content;
  Config config;
};

Transformer golden_model(const Golden& golden, torch::Dtype type) {
  const NamedTensors parameters = golden.group("parameter");
  const std::string own_source = "source_embedding.weight";
  const int64_t target = 13, source = parameters.contains(own_source) ? parameters.at(own_source).size(0) : target;
  Transformer model(golden.config.model,
                    source == target ? VocabularySizes(target) : VocabularySizes::separate(source, target));
  model->to(type);
  set_parameters(*model, parameters, golden.path);
  return model;
}

/// The pairs of the reference's script, from which our own batches are made.
class GoldenCorpus {
 public:
  explicit GoldenCorpus(const ModelConfig& model = {}) {
    CorpusWriter writer(directory_ / "corpus.bin", /*vocabulary_size=*/13);
    int64_t line = 0;
    for (const auto& [source, target] : pairs_) writer.add({source, target, ++line});
    writer.finish();
    corpus_ = std::make_unique<Corpus>(directory_ / "corpus.bin", /*parts=*/std::vector<CorpusPart>(),
                                       with_decoder_start(SpecialTokens(), model.decoder_start));
  }

  const Corpus& operator*() const { return *corpus_; }

 private:
  using Ids = std::vector<TokenId>;
  const std::vector<std::pair<Ids, Ids>> pairs_ = {
      {{4, 5, 6, 7, 8, 9, 10, 11}, {12, 4, 6}}, {{7}, {9, 8, 7, 6, 5, 4, 12, 11}}, {{12, 12, 5}, {10}},
      {{8, 6, 4, 10, 12}, {5, 7, 9, 11, 4}},    {{11, 9, 4, 4}, {6, 6, 10, 12}},   {{5, 10}, {8, 4, 11, 7, 5, 9, 6}}};
  TemporaryDirectory directory_;
  std::unique_ptr<Corpus> corpus_;
};

struct PrecisionCase {
  torch::Dtype type;
  double tolerance;
};

/// Difference beyond what the precision explains, as a multiple of it: at most 1 is good.
double excess(const torch::Tensor& ours, const torch::Tensor& golden, double tolerance) {
  const double scale = std::max(1.0, golden.abs().max().item<double>());
  return max_difference(ours, golden) / (tolerance * scale);
}

/// Packs the reference's rows, which are padded with 0. `like` has the same lengths and no padding symbol elsewhere.
PackedSequence sentences_of(const torch::Tensor& padded, const torch::Tensor& like) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < like.size(0); ++i) lengths.push_back(like[i].ne(SpecialTokens().pad).sum().item<int64_t>());
  Packing packing(lengths);
  return {packing.unpad(padded), packing};
}

PackedSequence source_of(const Golden& golden) { return sentences_of(golden["source"], golden["source"]); }
PackedSequence target_in_of(const Golden& golden) { return sentences_of(golden["target_in"], golden["target_out"]); }

const auto kCases = {"base",
                     "a_h1",
                     "a_h4",
                     "b_d_k_d_v",
                     "c_N1",
                     "c_N3",
                     "c_d_model12",
                     "c_d_ff24",
                     "d_eps_ls0.0",
                     "d_eps_ls0.2",
                     "e_learned_positions",
                     "restricted_r3",
                     "pre_norm",
                     "separate_vocabularies",
                     "family_marian",
                     "family_marianmt",
                     "family_fairseq",
                     "family_pre_norm",
                     "family_final_norm"};

constexpr double kWeightTolerance = 5e-6;

}  // namespace

TEST_CASE("golden: batches are made as the reference makes them", "[golden]") {
  const Golden golden(GENERATE(values<const char*>({"base", "family_marian", "family_marianmt", "family_fairseq"})));
  const GoldenCorpus corpus(golden.config.model);
  const Batch batch = make_batch(*corpus, {0, 1, 2, 3});
  CHECK(torch::equal(batch.source.pad(), golden["source"]));
  CHECK(torch::equal(batch.target_in.pad(), golden["target_in"]));
  CHECK(torch::equal(batch.target_in.packing.pad(batch.target_out), golden["target_out"]));
}

TEST_CASE("golden: attention weights of all layers are the reference's", "[golden]") {
  const std::string name = GENERATE(values<const char*>(kCases));
  INFO(name);
  const Golden golden(name);
  auto model = golden_model(golden, torch::kFloat);
  const PackedSequence source = source_of(golden), target_in = target_in_of(golden);
  torch::NoGradGuard no_grad;
  const AttentionWeights weights = attention_weights(model, source, target_in);
  // [sentences, h, queries, keys] -> [query positions, h, keys]
  const auto of_queries = [](const torch::Tensor& x, const PackedSequence& queries) {
    return queries.packing.unpad(x.transpose(1, 2));
  };
  const auto check = [&](const torch::Tensor& ours, const std::string& attention, const PackedSequence& queries) {
    INFO(attention);
    CHECK(max_difference(of_queries(ours, queries), of_queries(golden["weights/" + attention], queries)) <
          kWeightTolerance);
  };
  const auto encoder_layers = static_cast<size_t>(golden.config.model.N),
             decoder_layers = static_cast<size_t>(golden.config.model.num_decoder_layers());
  REQUIRE(weights.encoder.size() == encoder_layers);
  REQUIRE(weights.decoder.size() == decoder_layers);
  REQUIRE(weights.cross.size() == decoder_layers);
  const auto layer = [](const char* stack, size_t n) { return fmt::format("{}.layers.{}.", stack, n); };
  for (size_t n = 0; n < encoder_layers; ++n) {
    check(weights.encoder[n], layer("encoder", n) + "self_attention", source);
  }
  for (size_t n = 0; n < decoder_layers; ++n) {
    check(weights.decoder[n], layer("decoder", n) + "self_attention", target_in);
    check(weights.cross[n], layer("decoder", n) + "memory_attention", target_in);
  }
  CHECK(torch::equal(last_cross_attention_weights(model, source, target_in), weights.cross.back()));
}

TEST_CASE("golden: encoder output, logits, loss and every gradient are the reference's", "[golden]") {
  const std::string name = GENERATE(values<const char*>(kCases));
  const auto [type, tolerance] = GENERATE(values<PrecisionCase>({{torch::kDouble, 1e-10}, {torch::kFloat, 1e-5}}));
  INFO(name << " in " << type);
  const Golden golden(name);
  auto model = golden_model(golden, type);
  const PackedSequence source = source_of(golden), target_in = target_in_of(golden);
  const PackedSequence target_out = sentences_of(golden["target_out"], golden["target_out"]);
  const auto memory = model->encode(source);
  const auto decoded = model->decode(target_in, memory);
  const auto logits = model->project(decoded.data);
  CHECK(excess(memory.data, source.packing.unpad(golden["encoder_output"]), tolerance) < 1);
  CHECK(excess(logits, target_in.packing.unpad(golden["logits"]), tolerance) < 1);

  const auto sums = linear_cross_entropy(decoded.data, model->output_weight(), target_out.data,
                                         golden.config.training.eps_ls, model->output_bias());
  const auto loss = sums.loss / target_out.data.size(0);
  CHECK(excess(loss, golden["loss"], tolerance) < 1);
  loss.backward();
  const NamedTensors gradients = golden.group("gradient");
  CHECK(gradients.size() == model->named_parameters().size());
  for (const auto& named : model->named_parameters()) {
    INFO(named.key());
    CHECK(excess(named.value().grad(), gradients.at(named.key()), tolerance) < 1);
  }
}

TEST_CASE("golden: ten updates with Adam and equation 3 end in the reference's parameters", "[golden]") {
  const std::string name = GENERATE(values<const char*>(kCases));
  const auto [type, tolerance] = GENERATE(values<PrecisionCase>({{torch::kDouble, 1e-10}, {torch::kFloat, 1e-5}}));
  INFO(name << " in " << type);
  const Golden golden(name);
  const GoldenCorpus corpus(golden.config.model);
  auto model = golden_model(golden, type);
  model->train();
  const TrainingConfig& training = golden.config.training;
  const ProcessGroup alone{Membership()};
  Replica replica(model, training, alone);
  for (int64_t step = 1; step <= 10; ++step) {
    // Micro-batches of different sizes, so that a wrong divisor of the loss shows.
    using MicroBatches = std::vector<std::vector<int64_t>>;
    const auto micro_batches = step % 2 == 1 ? MicroBatches{{0}, {1, 2, 3}} : MicroBatches{{2, 3, 4}, {5}};
    const StepResult result =
        train_step(replica, *corpus, step_batch_of(*corpus, micro_batches), training, step,
                   learning_rate(training, golden.config.model.d_model, step, /*num_reductions=*/0))
            .wait(alone);
    INFO("step " << step);
    CHECK(result.loss_per_token() == Approx(golden["losses"][step - 1].item<double>()).epsilon(tolerance));
  }
  const NamedTensors updated = golden.group("updated");
  for (const auto& named : model->named_parameters()) {
    // A bias of the keys adds the same to all scores of a query, so its gradient is 0 but for rounding. Adam divides it
    // by its own size, so that the updates are those of the rounding.
    if (named.key().ends_with("w_k.bias")) continue;
    INFO(named.key());
    CHECK(excess(named.value(), updated.at(named.key()), tolerance) < 1);
  }
}

}  // namespace transformer
