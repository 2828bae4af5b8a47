#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "data/tokenizer.h"
#include "decoding/search_model.h"

namespace transformer {

inline constexpr int64_t kVocabulary = 6;  // pad, unknown, begin, end, and two words

/// A language model by formula: what comes next depends on the whole prefix and on the sentence.
inline torch::Tensor next_log_probs_of(int64_t sentence, const std::vector<int64_t>& prefix) {
  std::vector<double> logits;
  for (int64_t token = 0; token < kVocabulary; ++token) {
    double phase = static_cast<double>(sentence) * 1.7 + static_cast<double>(token) * 2.3;
    for (size_t i = 0; i < prefix.size(); ++i) phase += std::sin(static_cast<double>(prefix[i] * (i + 2)) + phase);
    logits.push_back(2.0 * std::sin(phase) - (token == kEnd && prefix.size() < 2 ? 1.0 : 0.0));
  }
  return torch::log_softmax(torch::tensor(logits, torch::kFloat), 0);
}

/// The formula as the search sees it; remembers how much work it was asked for.
class FormulaModel : public SearchModel {
 public:
  explicit FormulaModel(std::vector<int64_t> sentences) {
    for (const int64_t sentence : sentences) rows_.push_back({sentence, {}});
  }

  torch::Tensor next_log_probs(const torch::Tensor& tokens) override {
    ++steps;
    std::vector<torch::Tensor> log_probs;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const int64_t token = tokens[static_cast<int64_t>(row)].item<int64_t>();
      if (token != kBegin) rows_[row].second.push_back(token);
      log_probs.push_back(next_log_probs_of(rows_[row].first, rows_[row].second));
    }
    return torch::stack(log_probs);
  }

  void keep(const torch::Tensor&, const torch::Tensor& rows) override {
    std::vector<std::pair<int64_t, std::vector<int64_t>>> kept;
    for (int64_t i = 0; i < rows.size(0); ++i) kept.push_back(rows_[static_cast<size_t>(rows[i].item<int64_t>())]);
    rows_ = kept;
  }

  int steps = 0;

 private:
  std::vector<std::pair<int64_t, std::vector<int64_t>>> rows_;  // sentence and prefix
};

}  // namespace transformer
