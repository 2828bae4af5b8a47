#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace transformer {

/// A word of a text as SentencePiece's trainer sees it: normalized, and with kUnknownCharacter for the characters that
/// the vocabulary will not have.
struct CountedWord {
  std::u32string characters;
  int64_t count;
};

inline constexpr char32_t kUnknownCharacter = 0x2585, kSpaceMarkCharacter = 0x2581;

/// The first `num_pieces` pieces that SentencePiece's trainer makes of these words by byte-pair encoding, in their
/// order. Finds the most frequent pair with a heap, where the trainer compares thousands of pairs for each piece.
/// `counts_overlaps`: whether "aaa" has the pair "aa" twice, which depends on the trainer's version.
///
/// Nullopt where the trainer's choice depends on more than the words: it compares only the pairs that were the most
/// frequent ones some pieces ago, and of two pairs with the same text and count takes the one at the lower address.
std::optional<std::vector<std::u32string>> learn_bpe_pieces(const std::vector<CountedWord>& words, size_t num_pieces,
                                                            bool counts_overlaps);

}  // namespace transformer
