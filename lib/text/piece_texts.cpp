#include "text/piece_texts.h"

#include <sentencepiece_processor.h>

#include <algorithm>

#include "base/error.h"

namespace transformer {

PieceTexts::PieceTexts(const Tokenizer& tokenizer)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const auto status = processor_->LoadFromSerializedProto(tokenizer.model_bytes());
  if (!status.ok()) throw Error("SentencePiece cannot load a vocabulary again: {}", status.message());
}

PieceTexts::~PieceTexts() = default;
PieceTexts::PieceTexts(PieceTexts&&) noexcept = default;

std::vector<std::string> PieceTexts::encode(std::string_view text) const {
  std::vector<std::string> pieces;
  const auto status = processor_->Encode({text.data(), text.size()}, &pieces);
  if (!status.ok()) throw Error("SentencePiece cannot encode a line: {}", status.message());
  return pieces;
}

std::string PieceTexts::decode(const std::vector<std::string>& pieces) const {
  std::string text;
  const auto status = processor_->Decode(pieces, &text);
  if (!status.ok()) throw Error("SentencePiece cannot decode a line: {}", status.message());
  // As in Tokenizer::decode, and an unknown piece may have a tab.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t' || c == '\0'; }, ' ');
  return text;
}

}  // namespace transformer
