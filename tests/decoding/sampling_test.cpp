#include "decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "catch.h"
#include "decoding/non_finite_scores.h"
#include "formula_model.h"
#include "tensors.h"

namespace transformer {
namespace {

std::vector<Hypothesis> sample_all(SearchModel& model, std::vector<SearchRequest> requests,
                                   const std::vector<uint64_t>& keys, const SamplingOptions& options) {
  for (size_t i = 0; i < keys.size(); ++i) requests[i].sampling_key = keys[i];
  std::vector<Hypothesis> outputs;
  for (auto& hypotheses :
       results_of(requests, /*at_a_time=*/64, [&](SentenceQueue& queue) { sample(model, queue, options, kSymbols); })) {
    REQUIRE(hypotheses.size() == 1);
    outputs.push_back(std::move(hypotheses.front()));
  }
  return outputs;
}

/// A requests' processor for outputs of at least so many tokens.
LogitsProcessors at_least(int64_t min_length) { return {std::make_shared<MinLength>(min_length, kSymbols.end)}; }

/// A FormulaModel whose logits are on the device of GpuForm.
class DeviceModel : public FormulaModel {
 public:
  using FormulaModel::FormulaModel;

  torch::Tensor step(const std::vector<StepRow>& rows) override {
    return FormulaModel::step(rows).to(GpuForm::device());
  }
};

/// How often each first token is drawn for sentence 1.
std::map<TokenId, int> draw_first_tokens(const SamplingOptions& options, int64_t times) {
  std::vector<uint64_t> keys;
  for (int64_t i = 0; i < times; ++i) keys.push_back(static_cast<uint64_t>(i));
  FormulaModel model(std::vector<int64_t>(keys.size(), 1));
  const auto outputs = sample_all(model, requests_with(std::vector<int64_t>(keys.size(), 1)), keys, options);
  std::map<TokenId, int> counts;
  for (const auto& output : outputs) ++counts[output.tokens.front()];
  return counts;
}

SamplingOptions sampling_options(double temperature, int64_t top_k, double top_p = 1) {
  SamplingOptions made;
  made.temperature = temperature;
  made.top_k = top_k;
  made.top_p = top_p;
  return made;
}

}  // namespace

TEST_CASE("tokens are drawn as often as they are likely, sharpened by temperature, among the top k and the top p") {
  static constexpr int64_t kTimes = 300;
  const auto [temperature, top_k, top_p] = GENERATE(table<double, int64_t, double>({{1, 0, 1},
                                                                                    {0.5, 0, 1},
                                                                                    {2, 3, 1},
                                                                                    {1, 1, 1},
                                                                                    {1, 1000, 1},
                                                                                    {1, 0, 0.7},
                                                                                    {2, 0, 0.7},
                                                                                    {2, 3, 0.7},
                                                                                    {1, 0, 1e-6},
                                                                                    {1, 0, 0.999}}));
  INFO("temperature " << temperature << ", top_k " << top_k << ", top_p " << top_p);
  auto log_probs = next_log_probs_of(1, {}).to(torch::kDouble);
  for (const TokenId never : {kSymbols.pad, kSymbols.begin}) log_probs[never] = kImpossible;
  if (top_k > 0 && top_k < kVocabulary) {
    const auto least = std::get<0>(log_probs.topk(top_k))[top_k - 1].item<double>();
    log_probs = log_probs.masked_fill(log_probs < least, kImpossible);
  }
  auto expected = torch::softmax(log_probs / temperature, 0);
  std::vector<std::pair<double, int64_t>> best_first;
  for (int64_t token = 0; token < kVocabulary; ++token) best_first.emplace_back(-expected[token].item<double>(), token);
  std::sort(best_first.begin(), best_first.end());
  double sum = 0;
  for (const auto& [negated, token] : best_first) {
    if (sum >= top_p) expected[token] = 0;
    sum -= negated;
  }
  expected = expected / expected.sum();
  auto counts = draw_first_tokens(sampling_options(temperature, top_k, top_p), kTimes);
  for (TokenId token = 0; token < kVocabulary; ++token) {
    const double share = expected[token].item<double>();
    const double deviation = std::sqrt(share * (1 - share) / kTimes);
    INFO("token " << token << ", share " << share);
    CHECK(std::abs(counts[token] / static_cast<double>(kTimes) - share) <= 4.5 * deviation);
  }
}

TEST_CASE("a sample carries the model's own log-probabilities, and ends in time") {
  FormulaModel model({1, 2, 3});
  const std::vector<int64_t> most = {4, 7, 1};
  const auto outputs = sample_all(model, requests_with(most), {1, 2, 3}, sampling_options(3, 2));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& tokens = outputs[i].tokens;
    REQUIRE(std::ssize(tokens) <= most[i]);
    double log_prob = 0;
    for (int64_t t = 0; t < std::ssize(tokens); ++t) {
      const std::vector<TokenId> prefix(tokens.begin(), tokens.begin() + t);
      log_prob += next_log_probs_of(static_cast<int64_t>(i) + 1, prefix)[tokens[static_cast<size_t>(t)]].item<double>();
    }
    CHECK(outputs[i].log_prob == Approx(log_prob).epsilon(1e-5));
  }
}

TEST_CASE("sampling refuses scores that are not finite", "[gpu]") {
  const float bad = GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  const int64_t top_k = GENERATE(0, 2);
  const double top_p = GENERATE(1.0, 0.5);
  DeviceModel model({1}, [&](int64_t sentence, const std::vector<TokenId>& prefix) {
    auto logits = next_log_probs_of(sentence, prefix);
    if (prefix.size() == 1) logits[5] = bad;
    return logits;
  });
  CHECK_THROWS_AS(sample_all(model, requests_with({5}, at_least(4)), {1}, sampling_options(1, top_k, top_p)),
                  NonFiniteScores);
}

TEST_CASE("a sample depends neither on the other sentences nor on the device", "[gpu]") {
  const int64_t vocabulary = GENERATE(6, 20000);  // from the latter a CPU draws row by row
  const int64_t top_k = GENERATE(0, 3);
  INFO("vocabulary " << vocabulary << ", top_k " << top_k);
  const auto formula = [&](int64_t sentence, const std::vector<TokenId>& prefix) {
    return formula_log_probs(sentence, prefix, vocabulary, 0);
  };
  const SamplingOptions options = sampling_options(0.8, top_k, GENERATE(1.0, 0.9));
  const std::vector<int64_t> sentences = {0, 1, 2, 3, 4}, max_lengths = {4, 1, 3, 4, 2};
  const std::vector<uint64_t> keys = {11, 12, 13, 14, 15};
  DeviceModel model(sentences, formula);
  const auto together = sample_all(model, requests_with(max_lengths), keys, options);
  for (size_t i = 0; i < together.size(); ++i) {
    FormulaModel single({sentences[i]}, formula);
    const auto alone = sample_all(single, requests_with({max_lengths[i]}), {keys[i]}, options).front();
    CHECK(together[i].tokens == alone.tokens);
    CHECK(together[i].log_prob == Approx(alone.log_prob).epsilon(1e-5));
  }
}

TEST_CASE("a sample has no n-gram twice, and repetitions as often as their penalty leaves them likely", "[gpu]") {
  static constexpr int64_t kTimes = 300;
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < kTimes; ++i) keys.push_back(i);
  DeviceModel model(std::vector<int64_t>(keys.size(), 1)), again(std::vector<int64_t>(keys.size(), 1));
  const auto prefix = std::make_shared<ForcedPrefix>(std::vector<TokenId>{5, 5});
  const auto unrepeated = sample_all(
      model, requests_with(std::vector<int64_t>(keys.size(), 3), {prefix, std::make_shared<NoRepeatNgram>(1)}), keys,
      sampling_options(1, 0));
  for (const auto& output : unrepeated) CHECK(output.tokens[2] != 5);
  auto log_probs = next_log_probs_of(1, {5, 5}).to(torch::kDouble);
  for (const TokenId never : {kSymbols.pad, kSymbols.begin}) log_probs[never] = kImpossible;
  log_probs[5] *= 0.25;
  const double share = torch::softmax(log_probs, 0)[5].item<double>();
  const auto penalized = sample_all(
      again, requests_with(std::vector<int64_t>(keys.size(), 3), {prefix, std::make_shared<RepetitionPenalty>(0.25)}),
      keys, sampling_options(1, 0));
  const auto count =
      std::count_if(penalized.begin(), penalized.end(), [](const auto& out) { return out.tokens[2] == 5; });
  CHECK(std::abs(static_cast<double>(count) / kTimes - share) <= 4.5 * std::sqrt(share * (1 - share) / kTimes));
}

TEST_CASE("a sample begins with its prefix", "[gpu]") {
  const std::vector<TokenId> prefix = {5, 4, 5};
  DeviceModel model({1, 2});
  auto requests = requests_with({9, 9});
  requests[0].processors.push_back(std::make_shared<ForcedPrefix>(prefix));
  const auto outputs = sample_all(model, requests, {1, 2}, sampling_options(1, 0));
  REQUIRE(outputs[0].tokens.size() >= prefix.size());
  CHECK(std::equal(prefix.begin(), prefix.end(), outputs[0].tokens.begin()));
  FormulaModel free({2});
  CHECK(outputs[1].tokens == sample_all(free, requests_with({9}), {2}, sampling_options(1, 0)).front().tokens);
}

TEST_CASE("a sample does not end before the shortest output") {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < 100; ++i) keys.push_back(i);
  FormulaModel model(std::vector<int64_t>(keys.size(), 1));
  for (const auto& output : sample_all(model, requests_with(std::vector<int64_t>(keys.size(), 5), at_least(4)), keys,
                                       sampling_options(1, 0))) {
    CHECK(output.tokens.size() >= 4);
    for (size_t t = 0; t < 3; ++t) CHECK(output.tokens[t] != kSymbols.end);
  }
}

}  // namespace transformer
