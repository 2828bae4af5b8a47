#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace transformer {

/// The ids of the four symbols that every vocabulary begins with.
inline constexpr int64_t kPad = 0, kUnknown = 1, kBegin = 2, kEnd = 3;

struct VocabularyOptions {
  int64_t size;  // pieces, the four symbols included
  double character_coverage;
  std::vector<std::string> whole_words = {};  // that are one piece each
};

/// Text to byte-pair pieces and back (§5.1), by SentencePiece (Deviation D7).
class Tokenizer {
 public:
  /// Learns one vocabulary from all the files' lines. Returns the SentencePiece model's bytes.
  /// Throws Error where the text cannot give so many pieces.
  static std::string learn(const std::vector<std::string>& files, const VocabularyOptions& options);

  /// From a SentencePiece model's bytes. Throws Error; `name` is the file in its message.
  Tokenizer(std::string model_bytes, const std::string& name);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;

  /// The pieces' ids, without begin and end symbols. May be called by several threads at once.
  std::vector<int32_t> encode(std::string_view text) const;
  /// The text of the ids; begin, end and pad give nothing, the unknown piece " ⁇ ".
  std::string decode(const std::vector<int64_t>& ids) const;

  int64_t size() const;
  std::string piece(int64_t id) const;
  const std::string& model_bytes() const { return model_bytes_; }

 private:
  std::string model_bytes_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace transformer
