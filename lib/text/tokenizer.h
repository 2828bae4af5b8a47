#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/normalization.h"
#include "text/piece_list.h"
#include "text/special_tokens.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace transformer {

class BpeCodes;
class WordCache;

/// The least size of a vocabulary: the special symbols and a few pieces of text.
inline constexpr int64_t kMinVocabularySize = 8;

/// U+2581, "▁": what SentencePiece writes for a space, with which most words begin.
inline constexpr std::string_view kSpaceMark = "\u2581";

/// The default of `data.vocabulary_sample`; more lines change the pieces little.
inline constexpr int64_t kDefaultVocabularySample = 10000000;

struct VocabularyOptions {
  int64_t size;  // number of pieces, including the special symbols
  double character_coverage;
  std::vector<std::string> whole_words = {};          // words that become one piece each
  std::string normalization = kDefaultNormalization;  // one of kNormalizationRules, or the path of a file of rules
  double capitals = 0;  // for each line of the text, how many in capitals the pieces are learned from as well
  int64_t max_sentences = kDefaultVocabularySample;  // learn from a random sample of so many lines
  bool byte_fallback = false;                        // whether 256 pieces spell the characters that no piece has
  int64_t max_lines_of_file = INT64_MAX;             // learn from the first lines of each file
};

/// Converts text to byte-pair pieces and back (§5.1) with SentencePiece (Deviation D7). A vocabulary whose
/// SentencePiece model has other ids of the special symbols than SpecialTokens' initial values, or has no pad or begin
/// symbol, is renumbered: the symbols first, then the other pieces in their order.
///
/// The vocabulary of another program's model may have a PieceList, which then gives the ids. A piece of SentencePiece
/// that the list lacks is unknown, and characters that SentencePiece does not know become a piece of that text if the
/// list has one. No text becomes a control symbol, not even "</s>". A text that begins with a piece such as ">>fra<<",
/// the target language of a multilingual model, keeps it as one piece. If the bytes also have BPE codes of subword-nmt
/// (with_bpe_codes), these divide text instead of SentencePiece, and "@@" at the ends of pieces joins them again. If
/// the list says so, texts are divided at their spaces only, and decoded ones have spaces between their pieces.
class Tokenizer {
 public:
  /// Learns one vocabulary from the lines of all files. Returns the bytes of the SentencePiece model. Throws Error if
  /// the text is too short for so many pieces or has more characters than pieces, or if a file cannot be read or is not
  /// one of normalization rules.
  static std::string learn(const std::vector<std::string>& files, const VocabularyOptions& options);

  /// Takes the bytes of a SentencePiece model. Throws Error if they are not one, or one without an end symbol or with
  /// fewer than kMinVocabularySize pieces; `name` is the file in its message.
  Tokenizer(std::string model_bytes, const std::string& name);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;

  /// The ids of the text's pieces, without the begin and end symbols. Several threads may call it at once. Throws Error
  /// if SentencePiece fails.
  std::vector<TokenId> encode(std::string_view text) const;
  /// The pieces of `encode` as strings, in which an unknown piece keeps its characters. Throws as `encode` does.
  std::vector<std::string> encode_as_pieces(std::string_view text) const;
  /// `encode` with pieces chosen at random. `alpha`, between 0 and 1, is the probability with which BPE leaves out a
  /// merge, and the exponent of the probabilities of a unigram model's segmentations. Throws Error if SentencePiece
  /// fails.
  std::vector<TokenId> sample(std::string_view text, double alpha) const;
  /// Whether the vocabulary is one of the two kinds, BPE or unigram, that `sample` works with. Draws a random number.
  bool can_sample() const;
  /// Whether texts must already be divided into pieces, with spaces between them.
  bool takes_divided_texts() const { return takes_divided_texts_; }
  /// Whether every piece of a text has the mark of a space before it, wherever words begin: with BPE codes, or if
  /// texts must already be divided.
  bool marks_every_piece() const { return takes_divided_texts_ || bpe_codes_ != nullptr; }
  /// The piece of a target language, such as ">>fra<<", with which the text begins; "" if it begins with none. The
  /// result is a part of the text.
  std::string_view language_of(std::string_view text) const;
  /// Sets the seed, of the whole process, that SentencePiece reads when a thread first calls `sample`; threads that
  /// have called it keep their generator.
  static void seed_sampling(uint64_t seed);
  /// The text of the pieces. Begin, end and pad symbols are skipped, and the unknown piece becomes " ⁇ ". Throws Error
  /// if SentencePiece fails.
  std::string decode(const std::vector<TokenId>& ids) const;

  /// The text of pieces as strings, none of which is a control symbol. A string that is no piece of the vocabulary
  /// stands for itself. Throws as `decode` does.
  std::string decode_pieces(const std::vector<std::string>& pieces) const;

  /// What a piece adds to a text: with a space for each mark of one, and the byte of a piece that stands for a byte;
  /// nothing for begin, end and pad symbols. The text of pieces is that of each in turn, but for spaces at its ends.
  std::string text_of(TokenId id) const;
  std::vector<std::string> texts_of(const std::vector<TokenId>& ids) const;

  /// The number of pieces, including the special symbols: ids are below it.
  int64_t size() const { return listed_pieces_.empty() ? std::ssize(model_id_of_id_) : std::ssize(listed_pieces_); }
  const std::string& piece(TokenId id) const;
  const SpecialTokens& special_tokens() const { return special_tokens_; }
  const std::string& model_bytes() const { return model_bytes_; }

 private:
  void number_pieces();
  void number_pieces(PieceList list);
  /// `encode` for a vocabulary without a PieceList: word by word through words_, and by SentencePiece alone.
  std::vector<TokenId> encode_words(std::string_view text) const;
  std::vector<TokenId> encode_whole(std::string_view text) const;
  /// Converts SentencePiece's ids to ours.
  std::vector<TokenId> from_model_ids(const std::vector<int>& model_ids) const;
  /// Converts pieces to the ids of the PieceList.
  std::vector<TokenId> from_pieces(const std::vector<std::string>& pieces) const;
  /// The pieces by which the PieceList knows them: of SentencePiece, or by the BPE codes.
  std::vector<std::string> divide(std::string_view text) const;
  /// Removes the target language from the beginning of the text and returns its piece; "" if there is none.
  std::string take_language(std::string_view& text) const;

  std::string model_bytes_;
  SpecialTokens special_tokens_;
  // Without a PieceList: SentencePiece's id for each of ours, -1 for a symbol that its model lacks; and the reverse.
  std::vector<int> model_id_of_id_;
  std::vector<TokenId> id_of_model_id_;
  // With a PieceList: its pieces, and the ids of those that may occur in a text.
  std::vector<std::string> listed_pieces_;
  std::unordered_map<std::string_view, TokenId> id_of_listed_piece_;
  bool takes_divided_texts_ = false;
  std::unique_ptr<const BpeCodes> bpe_codes_;  // if the bytes have them
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::unique_ptr<WordCache> words_;  // null if this vocabulary may divide a word in another way within a line
};

}  // namespace transformer
