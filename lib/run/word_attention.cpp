#include "run/word_attention.h"

namespace transformer {
namespace {

/// [words, tokens], 1 where the token belongs to the word.
torch::Tensor membership(const std::vector<ShownToken>& tokens) {
  auto matrix = torch::zeros({tokens.back().word + 1, std::ssize(tokens)});
  for (size_t i = 0; i < tokens.size(); ++i) matrix[tokens[i].word][static_cast<int64_t>(i)] = 1;
  return matrix;
}

}  // namespace

std::vector<std::string> words_of(const std::vector<ShownToken>& tokens) {
  std::vector<std::string> words(static_cast<size_t>(tokens.back().word) + 1);
  for (const ShownToken& token : tokens) words[static_cast<size_t>(token.word)] += token.piece;
  for (std::string& word : words) word = without_space_mark(word);
  return words;
}

torch::Tensor merge_into_words(const torch::Tensor& weights, const std::vector<ShownToken>& queries,
                               const std::vector<ShownToken>& keys) {
  const auto of_queries = membership(queries), of_keys = membership(keys);
  const auto mean = of_queries / of_queries.sum(1, /*keepdim=*/true);
  return mean.matmul(weights).matmul(of_keys.t());
}

}  // namespace transformer
