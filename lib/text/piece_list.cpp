#include "text/piece_list.h"

#include <algorithm>

#include "base/error.h"
#include "text/protobuf_message.h"

namespace transformer {
namespace {

/// SentencePiece's ModelProto leaves the field numbers from 200 on to others.
constexpr uint64_t kFirstExtension = 200, kList = 20017;
constexpr uint64_t kPiece = 1, kUnknown = 2, kEnd = 3, kPad = 4, kBegin = 5, kSourceHasNoEnd = 6, kAreDividedTexts = 7;

PieceList read_list(std::string_view message) {
  PieceList list;
  MessageReader fields(message);
  while (const auto field = fields.next()) {
    const auto id = static_cast<TokenId>(field->value);
    switch (field->number) {
      case kPiece:
        list.pieces.emplace_back(field->bytes);
        break;
      case kUnknown:
        list.unknown = id;
        break;
      case kEnd:
        list.end = id;
        break;
      case kPad:
        list.pad = id;
        break;
      case kBegin:
        list.begin = id;
        break;
      case kSourceHasNoEnd:
        list.source_has_end = false;
        break;
      case kAreDividedTexts:
        list.are_divided_texts = true;
        break;
      default:
        break;
    }
  }
  if (!fields.is_complete()) throw Error("its list of pieces is damaged");
  for (const TokenId id : {list.unknown, list.end, list.pad, list.begin}) {
    if (id < kNoToken || id >= std::ssize(list.pieces)) throw Error("its list of pieces has no piece {}", id);
  }
  if (list.unknown == kNoToken || list.end == kNoToken)
    throw Error("its list of pieces lacks an unknown or end symbol");
  return list;
}

}  // namespace

std::string with_piece_list(std::string model_bytes, const PieceList& list) {
  std::string message;
  for (const std::string& piece : list.pieces) add_bytes(message, kPiece, piece);
  const auto add_symbol = [&](uint64_t number, TokenId id) {
    if (id != kNoToken) add_number(message, number, static_cast<uint64_t>(id));
  };
  add_symbol(kUnknown, list.unknown);
  add_symbol(kEnd, list.end);
  add_symbol(kPad, list.pad);
  add_symbol(kBegin, list.begin);
  if (!list.source_has_end) add_number(message, kSourceHasNoEnd, 1);
  if (list.are_divided_texts) add_number(message, kAreDividedTexts, 1);
  add_bytes(model_bytes, kList, message);
  return model_bytes;
}

TokenId find_piece(const PieceList& list, std::string_view piece) {
  const auto found = std::find(list.pieces.begin(), list.pieces.end(), piece);
  return found == list.pieces.end() ? kNoToken : static_cast<TokenId>(found - list.pieces.begin());
}

std::string plain_sentencepiece(std::string_view model_bytes) {
  std::string plain;
  MessageReader fields(model_bytes);
  while (const auto field = fields.next()) {
    if (field->number < kFirstExtension) plain += field->whole;
  }
  return plain;
}

PieceList own_pieces(std::string_view model_bytes) {
  // Numbers of the fields, and of types of pieces, of SentencePiece's messages.
  static constexpr uint64_t kModelPiece = 1, kText = 1, kType = 3, kUnknownType = 2, kControlType = 3;
  PieceList list;
  MessageReader fields(model_bytes);
  while (const auto field = fields.next()) {
    if (field->number != kModelPiece) continue;
    const auto id = static_cast<TokenId>(list.pieces.size());
    uint64_t type = 0;
    std::string text;
    MessageReader piece(field->bytes);
    while (const auto part = piece.next()) {
      if (part->number == kText) text = part->bytes;
      if (part->number == kType) type = part->value;
    }
    if (type == kUnknownType) list.unknown = id;
    if (type == kControlType && text == "</s>") list.end = id;
    if (type == kControlType && text == "<s>") list.begin = id;
    if (type == kControlType && text == "<pad>") list.pad = id;
    list.pieces.push_back(std::move(text));
  }
  return list;
}

std::optional<PieceList> piece_list_of(std::string_view model_bytes) {
  MessageReader fields(model_bytes);
  std::optional<PieceList> list;
  while (const auto field = fields.next()) {
    if (field->number == kList) list = read_list(field->bytes);
  }
  return list;
}

}  // namespace transformer
