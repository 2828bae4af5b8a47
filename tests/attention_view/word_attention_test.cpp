#include "attention_view/word_attention.h"

#include "catch.h"
#include "tensors.h"
#include "word_tokenizer.h"

namespace transformer {

TEST_CASE("word attention: sum over a word's pieces as keys, mean over its pieces as queries") {
  const std::vector<ShownToken> queries = {
      {"<s>", "<s>", 0, false}, {"\u2581ein", "ein", 1, false}, {"en", "en", 1, false}};
  const std::vector<ShownToken> keys = {
      {"\u2581a", "a", 0, false}, {"b", "b", 0, false}, {"c", "c", 0, false}, {"</s>", "</s>", 1, false}};
  CHECK(words_of(queries) == std::vector<std::string>{"<s>", "einen"});
  CHECK(words_of(keys) == std::vector<std::string>{"abc", "</s>"});
  const auto pieces = torch::tensor({0.1, 0.2, 0.3, 0.4, 0.5, 0.0, 0.5, 0.0, 0.2, 0.2, 0.2, 0.4}).to(torch::kFloat);
  const auto words = merge_into_words(pieces.view({1, 3, 4}), queries, keys);
  const auto expected = torch::tensor({0.6, 0.4, 0.8, 0.2}).to(torch::kFloat).view({1, 2, 2});
  CHECK(max_difference(words, expected) < 1e-6);
}

TEST_CASE("a piece of subword-nmt behind one that ends in @@ continues its word") {
  const std::string mark(kSpaceMark);
  const PieceList list{
      .pieces = {"</s>", "<unk>", mark + "ca@@", mark + "t", mark + "the", mark + "a", mark + "b", mark + "c"},
      .unknown = 1,
      .end = 0,
      .are_divided_texts = true};
  const Tokenizer tokenizer(with_piece_list(word_tokenizer().model_bytes(), list), "v");
  const auto tokens = shown_source(tokenizer, tokenizer.encode("the ca@@ t the"));
  CHECK(words_of(tokens) == std::vector<std::string>{"the", "cat", "the", "</s>"});
}

}  // namespace transformer
