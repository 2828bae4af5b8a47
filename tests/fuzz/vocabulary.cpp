#include <numeric>

#include "fuzz.h"
#include "text/tokenizer.h"

namespace transformer {

/// A SentencePiece model.
void fuzz(std::string_view input) {
  const Tokenizer tokenizer(std::string(input), "vocabulary.model");
  for (const char* text : {"the cat  sat on the mat", "ein Hund saß auf der Matte ½ ﬁ 가 \u2581"}) {
    const std::vector<TokenId> ids = tokenizer.encode(text);
    for (const TokenId id : ids) require(id >= 0 && id < tokenizer.size());
    tokenizer.decode(ids);
  }
  std::vector<TokenId> all(static_cast<size_t>(tokenizer.size()));
  std::iota(all.begin(), all.end(), 0);
  tokenizer.decode(all);
}

}  // namespace transformer
