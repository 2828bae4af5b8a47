#include "decoding/forbidden_tokens.h"

#include <unordered_map>

#include "base/error.h"
#include "base/format.h"

namespace transformer {

std::vector<TokenId> forbidden_tokens(const DecodingConfig& config, const Tokenizer& target) {
  const SpecialTokens& symbols = target.special_tokens();
  if (!config.forbidden_pieces) return symbols.never_generated;
  std::unordered_map<std::string, TokenId> id_of_piece;
  for (TokenId id = 0; id < target.size(); ++id) id_of_piece.emplace(target.piece(id), id);
  std::vector<TokenId> tokens;
  for (const std::string& piece : *config.forbidden_pieces) {
    const auto found = id_of_piece.find(piece);
    if (found == id_of_piece.end()) {
      throw Error("decoding.forbidden_pieces: the target vocabulary has no piece '{}'; leave it out",
                  shown_value(piece));
    }
    if (found->second == symbols.end) {
      throw Error("decoding.forbidden_pieces: '{}' is the end symbol, which every output needs; leave it out", piece);
    }
    tokens.push_back(found->second);
  }
  return tokens;
}

}  // namespace transformer
