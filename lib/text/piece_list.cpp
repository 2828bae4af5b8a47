#include "text/piece_list.h"

#include "base/error.h"
#include "text/protobuf_message.h"

namespace transformer {
namespace {

/// SentencePiece's ModelProto leaves the field numbers from 200 on to others.
constexpr uint64_t kList = 20017;
constexpr uint64_t kPiece = 1, kUnknown = 2, kEnd = 3, kPad = 4, kBegin = 5, kSourceHasNoEnd = 6;

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
  add_bytes(model_bytes, kList, message);
  return model_bytes;
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
