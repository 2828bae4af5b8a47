#include "import/vocabulary.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "text/bpe_codes.h"
#include "text/protobuf_message.h"
#include "text/sentencepiece_check.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

// The numbers of the fields of SentencePiece's messages that are needed here.
namespace model_field {
constexpr uint64_t kPiece = 1, kTrainer = 2, kNormalizer = 3;
}
namespace piece_field {
constexpr uint64_t kText = 1, kScore = 2, kType = 3;
}
namespace trainer_field {
constexpr uint64_t kModelType = 3;
}
namespace normalizer_field {
constexpr uint64_t kName = 1;
}
constexpr uint64_t kUnknownType = 2, kWordModel = 3;

/// Whether a SentencePiece model has the settings of its trainer and normalizer, which every trainer writes behind the
/// pieces. A file that was cut between two pieces lacks them.
bool has_settings(std::string_view bytes) {
  bool has_trainer = false, has_normalizer = false;
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    has_trainer = has_trainer || field->number == model_field::kTrainer;
    has_normalizer = has_normalizer || field->number == model_field::kNormalizer;
  }
  return has_trainer && has_normalizer;
}

void check_sentencepiece(std::string_view bytes, const std::string& path) {
  if (is_safe_sentencepiece_model(bytes) && has_settings(bytes) && !own_pieces(bytes).pieces.empty()) return;
  throw DamagedFile("{}: not a SentencePiece model, or a damaged one; copy or download the whole model", path);
}

/// The list with a space mark before each piece, and a SentencePiece model that divides text at its spaces.
ForeignVocabulary with_spaces_marked(PieceList list) {
  std::string model;
  const auto add_piece = [&](std::string_view text, uint64_t type) {
    std::string piece;
    add_bytes(piece, piece_field::kText, text);
    add_float(piece, piece_field::kScore, 0);
    if (type != 0) add_number(piece, piece_field::kType, type);
    add_bytes(model, model_field::kPiece, piece);
  };
  add_piece("<unk>", kUnknownType);
  for (TokenId id = 0; id < std::ssize(list.pieces); ++id) {
    std::string& piece = list.pieces[static_cast<size_t>(id)];
    const bool is_symbol = id == list.unknown || id == list.end || id == list.begin || id == list.pad;
    if (is_symbol || piece.empty()) continue;
    piece.insert(0, kSpaceMark);
    add_piece(piece, 0);
  }
  std::string trainer, normalizer;
  add_number(trainer, trainer_field::kModelType, kWordModel);
  add_bytes(normalizer, normalizer_field::kName, "identity");
  add_bytes(model, model_field::kTrainer, trainer);
  add_bytes(model, model_field::kNormalizer, normalizer);
  return {std::move(list), std::move(model)};
}

}  // namespace

VocabularyModels join_vocabularies(const ForeignVocabulary& source, const ForeignVocabulary& target) {
  std::string target_model = with_piece_list(target.sentencepiece, target.list);
  if (source.sentencepiece == target.sentencepiece && source.list == target.list) return target_model;
  return VocabularyModels::separate(with_piece_list(source.sentencepiece, source.list), std::move(target_model));
}

TokenId id_of_piece(const PieceList& list, std::string_view piece, const std::string& path) {
  const TokenId id = find_piece(list, piece);
  if (id == kNoToken)
    throw Error("{}: has no piece '{}', which every vocabulary needs; use the model's own file", path, piece);
  return id;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string read_sentencepiece(Package& package, const std::string& name) {
  const std::string_view bytes = package.bytes(name);
  check_sentencepiece(bytes, package.path_of(name));
  return plain_sentencepiece(bytes);  // without the list of another model, if `export` wrote it
}

PieceList pieces_of_sentencepiece(std::string_view sentencepiece, const std::string& path) {
  check_sentencepiece(sentencepiece, path);
  PieceList list = own_pieces(sentencepiece);
  if (list.unknown == kNoToken || list.end == kNoToken) {
    throw Error("{}: this SentencePiece model has no unknown symbol or no end symbol </s>; use the model's own file",
                path);
  }
  return list;
}

ForeignVocabulary divide_at_spaces(PieceList list, const std::string& path) {
  log_warning(
      "{}: there is no SentencePiece model beside it, so that text must already be divided into pieces with spaces "
      "between them, as the commands of its own program expect it",
      path);
  list.are_divided_texts = true;
  return with_spaces_marked(std::move(list));
}

std::optional<std::string> find_sentencepiece(const Package& package, const std::string& side) {
  for (const std::string& name :
       {side + ".spm", side + ".model", std::string("sentencepiece.model"), std::string("spm.model")}) {
    if (package.has(name)) return name;
  }
  return std::nullopt;
}

ForeignVocabulary divide_beside(PieceList list, Package& package, const std::string& side, const std::string& path) {
  const auto name = find_sentencepiece(package, side);
  if (name) return {std::move(list), read_sentencepiece(package, *name)};
  return divide_at_spaces(std::move(list), path);
}

ForeignVocabulary divide_by_codes(PieceList list, Package& package, const std::string& name) {
  const std::string path = package.path_of(name);
  const std::string_view codes = package.bytes(name);
  try {
    const BpeCodes checked(codes);
  } catch (const Error& misfit) {
    throw Error("{}: not a file of BPE codes of subword-nmt ({}); copy or download the whole model", path,
                misfit.what());
  }
  log_warning(
      "{}: divides tokenized text, so that text must be normalized and tokenized first as for training, by Moses' "
      "scripts in most models, and translations are tokenized, too",
      path);
  ForeignVocabulary vocabulary = with_spaces_marked(std::move(list));
  vocabulary.sentencepiece = with_bpe_codes(std::move(vocabulary.sentencepiece), codes);
  return vocabulary;
}

}  // namespace transformer
