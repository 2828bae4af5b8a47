#include "attention_view/word_attention.h"

#include "model/decoder_start.h"

namespace transformer {
namespace {

/// The piece, or the pieces of a word, without the leading "▁", which stands for a space; a "▁" alone stays.
std::string without_space_mark(const std::string& piece) {
  const bool has_more = piece.starts_with(kSpaceMark) && piece.size() > kSpaceMark.size();
  return has_more ? piece.substr(kSpaceMark.size()) : piece;
}

ShownToken shown(const Tokenizer& tokenizer, TokenId id, int64_t word) {
  const std::string piece = tokenizer.piece(id);
  return {piece, without_space_mark(piece), word, id == tokenizer.special_tokens().unknown};
}

constexpr std::string_view kContinues = "@@";  // with which subword-nmt ends pieces that are not a word's last one

bool begins_word(const Tokenizer& tokenizer, TokenId id, TokenId previous) {
  if (tokenizer.marks_every_piece() && tokenizer.piece(previous).ends_with(kContinues)) return false;
  return tokenizer.piece(id).starts_with(kSpaceMark);
}

std::vector<ShownToken> shown_pieces(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  const auto is_symbol = [&](TokenId id) { return tokenizer.special_tokens().is_control(id); };
  std::vector<ShownToken> tokens;
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool next_word =
        i > 0 && (is_symbol(ids[i]) || is_symbol(ids[i - 1]) || begins_word(tokenizer, ids[i], ids[i - 1]));
    tokens.push_back(shown(tokenizer, ids[i], tokens.empty() ? 0 : tokens.back().word + (next_word ? 1 : 0)));
  }
  return tokens;
}

/// [words, tokens], 1 where the token belongs to the word.
torch::Tensor word_matrix(const std::vector<ShownToken>& tokens) {
  auto matrix = torch::zeros({tokens.back().word + 1, std::ssize(tokens)});
  for (size_t i = 0; i < tokens.size(); ++i) matrix[tokens[i].word][static_cast<int64_t>(i)] = 1;
  return matrix;
}

}  // namespace

std::vector<ShownToken> shown_source(const Tokenizer& tokenizer, const std::vector<TokenId>& pieces) {
  std::vector<TokenId> ids = pieces;
  const SpecialTokens& special = tokenizer.special_tokens();
  if (special.source_has_end || ids.empty()) ids.push_back(special.end);
  return shown_pieces(tokenizer, ids);
}

std::vector<ShownToken> shown_target(const ModelConfig& config, const Tokenizers& tokenizers,
                                     const std::vector<TokenId>& pieces) {
  std::vector<TokenId> ids = {special_tokens_of(config, tokenizers).target().decoder_start};
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  auto tokens = shown_pieces(tokenizers.target(), ids);
  if (config.decoder_start == DecoderStart::zeros) tokens.front().piece = tokens.front().text = "<zeros>";
  return tokens;
}

std::vector<std::string> words_of(const std::vector<ShownToken>& tokens) {
  std::vector<std::string> words(static_cast<size_t>(tokens.back().word) + 1);
  for (const ShownToken& token : tokens) {
    std::string& word = words[static_cast<size_t>(token.word)];
    const bool continues = word.ends_with(kContinues) && token.piece.starts_with(kSpaceMark);
    if (continues) word.resize(word.size() - kContinues.size());
    word += continues ? token.text : token.piece;
  }
  for (std::string& word : words) word = without_space_mark(word);
  return words;
}

torch::Tensor stack_layers(const std::vector<torch::Tensor>& layers) { return torch::stack(layers).squeeze(1).cpu(); }

torch::Tensor merge_into_words(const torch::Tensor& weights, const std::vector<ShownToken>& queries,
                               const std::vector<ShownToken>& keys) {
  const auto of_queries = word_matrix(queries), of_keys = word_matrix(keys);
  const auto mean = of_queries / of_queries.sum(1, /*keepdim=*/true);
  return mean.matmul(weights).matmul(of_keys.t());
}

}  // namespace transformer
