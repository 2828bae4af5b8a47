#include "text/tokenizer.h"

#include <fmt/core.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/words.h"
#include "text/bpe_codes.h"
#include "text/sentencepiece_check.h"
#include "text/word_cache.h"

namespace transformer {
namespace {

bool can_load(sentencepiece::SentencePieceProcessor& processor, const std::string& model_bytes) {
  try {
    return is_safe_sentencepiece_model(model_bytes) && processor.LoadFromSerializedProto(model_bytes).ok();
  } catch (const std::exception&) {  // for example, of its search tree about a piece that begins with NUL
    return false;
  }
}

/// SentencePiece takes a control symbol that --user_defined_symbols names as well for a piece of text.
std::string why_no_end_symbol(const sentencepiece::SentencePieceProcessor& processor) {
  static constexpr const char* kUsualName = "</s>";
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    if (processor.IdToPiece(id) != kUsualName) continue;
    return fmt::format(
        "{} is a piece of text in this vocabulary and not its end symbol, with which translations end; train "
        "SentencePiece without {} in --user_defined_symbols",
        kUsualName, kUsualName);
  }
  return fmt::format(
      "this vocabulary has no end symbol, with which translations end; use one with the control symbol {}, which "
      "SentencePiece adds unless it is trained with --eos_id=-1",
      kUsualName);
}

/// The text without characters that would break a line of a table. A vocabulary with byte fallback can make any
/// character, and an unknown piece may have a tab.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t' || c == '\0'; }, ' ');
  return text;
}

/// The text of pieces: strings, or SentencePiece's ids.
template <class Piece>
std::string decoded_line(const sentencepiece::SentencePieceProcessor& processor, const std::vector<Piece>& pieces) {
  std::string text;
  const auto status = processor.Decode(pieces, &text);
  if (!status.ok()) throw Error("SentencePiece cannot decode a line: {}", status.message());
  return one_line(std::move(text));
}

/// How a divided text shows an unknown piece.
const std::string kUnknownPiece = std::string(kSpaceMark) + "\u2047";

/// A piece of a divided text, with a space for its mark.
std::string divided_text(const std::string& piece) {
  return piece.starts_with(kSpaceMark) ? ' ' + piece.substr(kSpaceMark.size()) : piece;
}

}  // namespace

Tokenizer::Tokenizer(std::string model_bytes, const std::string& name)
    : model_bytes_(std::move(model_bytes)), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  if (!can_load(*processor_, model_bytes_)) {
    throw Error("{}: not a SentencePiece model, or a damaged one; restore the file or give another one", name);
  }
  std::optional<PieceList> list;
  try {
    list = piece_list_of(model_bytes_);
    if (const auto codes = bpe_codes_of(model_bytes_)) bpe_codes_ = std::make_unique<const BpeCodes>(*codes);
  } catch (const Error& misfit) {
    throw Error("{}: {}; restore the file or give another one", name, misfit.what());
  }
  if (list) {
    number_pieces(std::move(*list));
  } else {
    if (processor_->eos_id() < 0) throw Error("{}: {}", name, why_no_end_symbol(*processor_));
    number_pieces();
    if (divides_words_alone(model_bytes_)) words_ = std::make_unique<WordCache>();
  }
  const int64_t num_pieces = listed_pieces_.empty() ? processor_->GetPieceSize() : size();
  if (num_pieces < kMinVocabularySize) {
    throw Error("{}: this vocabulary has {}, and a text needs at least {}; use another one, or learn one", name,
                counted(num_pieces, "piece"), kMinVocabularySize);
  }
}

void Tokenizer::number_pieces() {
  // In the order of SpecialTokens' initial values.
  model_id_of_id_ = {processor_->pad_id(), processor_->unk_id(), processor_->bos_id(), processor_->eos_id()};
  id_of_model_id_.resize(static_cast<size_t>(processor_->GetPieceSize()));
  for (int id = 0; id < processor_->GetPieceSize(); ++id) {
    const auto symbol = std::find(model_id_of_id_.begin(), model_id_of_id_.begin() + 4, id);
    const bool is_symbol = symbol != model_id_of_id_.begin() + 4;
    id_of_model_id_[static_cast<size_t>(id)] =
        static_cast<TokenId>(is_symbol ? symbol - model_id_of_id_.begin() : std::ssize(model_id_of_id_));
    if (!is_symbol) model_id_of_id_.push_back(id);
  }
}

void Tokenizer::number_pieces(PieceList list) {
  special_tokens_ = {.pad = list.pad, .unknown = list.unknown, .begin = list.begin, .end = list.end};
  special_tokens_.source_has_end = list.source_has_end;
  special_tokens_.decoder_start = list.begin == kNoToken ? list.end : list.begin;
  special_tokens_.never_generated.clear();
  for (const TokenId id : {list.pad, list.unknown, list.begin}) {
    if (id != kNoToken) special_tokens_.never_generated.push_back(id);
  }
  takes_divided_texts_ = list.are_divided_texts && !bpe_codes_;
  listed_pieces_ = std::move(list.pieces);
  for (TokenId id = 0; id < size(); ++id) {
    const std::string& piece = listed_pieces_[static_cast<size_t>(id)];
    const bool is_text = !piece.empty() && !special_tokens_.is_control(id) && id != special_tokens_.unknown;
    if (is_text) id_of_listed_piece_.emplace(piece, id);
  }
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  if (!listed_pieces_.empty()) return from_pieces(encode_as_pieces(text));
  return words_ && text.find(kSpaceMark) == std::string_view::npos ? encode_words(text) : encode_whole(text);
}

std::vector<TokenId> Tokenizer::encode_words(std::string_view text) const {
  static constexpr size_t kFewBytes = 4;  // for a piece
  std::vector<TokenId> ids, new_pieces;
  ids.reserve(text.size() / kFewBytes + 1);
  bool follows_unknown = false;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    auto pieces = words_->find(word);
    if (!pieces) {
      new_pieces = encode_whole(word);
      words_->add(word, new_pieces);
      pieces = new_pieces;
    }
    if (pieces->empty()) continue;
    // SentencePiece makes one piece of adjacent unknown ones.
    const bool continues_unknown = follows_unknown && pieces->front() == special_tokens_.unknown;
    ids.insert(ids.end(), pieces->begin() + (continues_unknown ? 1 : 0), pieces->end());
    follows_unknown = pieces->back() == special_tokens_.unknown;
  }
  return ids;
}

std::vector<TokenId> Tokenizer::encode_whole(std::string_view text) const {
  std::vector<int> ids;
  const auto status = processor_->Encode({text.data(), text.size()}, &ids);
  if (!status.ok()) throw Error("SentencePiece cannot encode a line: {}", status.message());
  return from_model_ids(ids);
}

std::vector<TokenId> Tokenizer::sample(std::string_view text, double alpha) const {
  const auto sample_into = [&](auto* pieces) {
    static constexpr int kAllSegmentations = -1;
    const auto status =
        processor_->SampleEncode({text.data(), text.size()}, kAllSegmentations, static_cast<float>(alpha), pieces);
    if (!status.ok()) throw Error("SentencePiece cannot sample the pieces of a line: {}", status.message());
  };
  if (!listed_pieces_.empty()) {
    const std::string language = take_language(text);
    std::vector<std::string> pieces;
    sample_into(&pieces);
    if (!language.empty()) pieces.insert(pieces.begin(), language);
    return from_pieces(pieces);
  }
  std::vector<int> ids;
  sample_into(&ids);
  return from_model_ids(ids);
}

bool Tokenizer::can_sample() const {
  if (marks_every_piece()) return false;
  std::vector<int> ids;
  return processor_->SampleEncode("a", /*nbest_size=*/-1, /*alpha=*/0.1f, &ids).ok();
}

void Tokenizer::seed_sampling(uint64_t seed) { sentencepiece::SetRandomGeneratorSeed(static_cast<unsigned>(seed)); }

std::vector<TokenId> Tokenizer::from_model_ids(const std::vector<int>& model_ids) const {
  std::vector<TokenId> own;
  own.reserve(model_ids.size());
  for (const int id : model_ids) own.push_back(id_of_model_id_[static_cast<size_t>(id)]);
  return own;
}

std::vector<TokenId> Tokenizer::from_pieces(const std::vector<std::string>& pieces) const {
  std::vector<TokenId> ids;
  ids.reserve(pieces.size());
  for (const std::string& piece : pieces) {
    const auto found = id_of_listed_piece_.find(piece);
    ids.push_back(found == id_of_listed_piece_.end() ? special_tokens_.unknown : found->second);
  }
  return ids;
}

std::string_view Tokenizer::language_of(std::string_view text) const {
  static constexpr std::string_view kEnd = "<<";
  if (!text.starts_with(">>")) return {};
  const size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return {};
  const std::string_view language = text.substr(0, end + kEnd.size());
  // Of a text that is divided at its spaces, every piece has the mark of a space.
  const bool is_piece =
      id_of_listed_piece_.contains(language) || id_of_listed_piece_.contains(std::string(kSpaceMark).append(language));
  return is_piece ? language : std::string_view();
}

std::string Tokenizer::take_language(std::string_view& text) const {
  std::string piece(language_of(text));
  text.remove_prefix(piece.size());
  if (!piece.empty() && !id_of_listed_piece_.contains(piece)) piece.insert(0, kSpaceMark);
  return piece;
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids) const {
  if (!listed_pieces_.empty()) {
    std::vector<std::string> pieces;
    for (const TokenId id : ids) {
      if (special_tokens_.is_control(id)) continue;
      // SentencePiece writes its own unknown piece as " ⁇ ", whatever the list calls it.
      const bool is_unknown = id == special_tokens_.unknown && processor_->unk_id() >= 0;
      pieces.push_back(!is_unknown            ? piece(id)
                       : takes_divided_texts_ ? kUnknownPiece
                                              : processor_->IdToPiece(processor_->unk_id()));
    }
    return decode_pieces(pieces);
  }
  std::vector<int> pieces;
  for (const TokenId id : ids) {
    if (!special_tokens_.is_control(id)) pieces.push_back(model_id_of_id_[static_cast<size_t>(id)]);
  }
  return decoded_line(*processor_, pieces);
}

std::string Tokenizer::text_of(TokenId id) const {
  static constexpr std::string_view kContinues = "@@";  // the mark of subword-nmt
  if (special_tokens_.is_control(id)) return "";
  if (takes_divided_texts_) return divided_text(id == special_tokens_.unknown ? kUnknownPiece : piece(id));
  if (id == special_tokens_.unknown) return decode({id});
  std::string text = piece(id);
  const int model_id = listed_pieces_.empty() ? model_id_of_id_[static_cast<size_t>(id)] : processor_->PieceToId(text);
  if (processor_->IsByte(model_id)) {  // such as <0xE2>
    return {static_cast<char>(std::stoi(text.substr(text.find('x') + 1), nullptr, /*base=*/16))};
  }
  for (size_t mark = text.find(kSpaceMark); mark != std::string::npos; mark = text.find(kSpaceMark, mark + 1)) {
    text.replace(mark, kSpaceMark.size(), " ");
  }
  if (!bpe_codes_) return text;
  // Whether a space precedes a piece depends on the piece before, so a word's last piece has the space behind it.
  if (text.starts_with(' ')) text.erase(0, 1);
  if (!text.ends_with(kContinues)) return text + " ";
  text.resize(text.size() - kContinues.size());
  return text;
}

std::vector<std::string> Tokenizer::texts_of(const std::vector<TokenId>& ids) const {
  std::vector<std::string> texts;
  for (const TokenId id : ids) texts.push_back(text_of(id));
  return texts;
}

std::vector<std::string> Tokenizer::divide(std::string_view text) const {
  std::vector<std::string> pieces;
  if (bpe_codes_) {
    pieces = bpe_codes_->apply(text);
    for (std::string& piece : pieces) piece.insert(0, kSpaceMark);
    return pieces;
  }
  if (takes_divided_texts_) {
    for (const std::string& piece : split_words(std::string(text))) pieces.push_back(std::string(kSpaceMark) + piece);
    return pieces;
  }
  const auto status = processor_->Encode({text.data(), text.size()}, &pieces);
  if (!status.ok()) throw Error("SentencePiece cannot encode a line: {}", status.message());
  return pieces;
}

std::vector<std::string> Tokenizer::encode_as_pieces(std::string_view text) const {
  const std::string language = take_language(text);
  std::vector<std::string> pieces = divide(text);
  if (!language.empty()) pieces.insert(pieces.begin(), language);
  return pieces;
}

std::string Tokenizer::decode_pieces(const std::vector<std::string>& pieces) const {
  if (takes_divided_texts_) {
    std::string text;
    for (const std::string& piece : pieces) text += divided_text(piece);
    return one_line(text.substr(text.starts_with(' ') ? 1 : 0));
  }
  const std::string text = decoded_line(*processor_, pieces);
  return bpe_codes_ ? joined_bpe_pieces(text) : text;
}

const std::string& Tokenizer::piece(TokenId id) const {
  static const std::string kPad = "<pad>", kBegin = "<s>";
  if (!listed_pieces_.empty()) return listed_pieces_.at(static_cast<size_t>(id));
  const int model_id = model_id_of_id_.at(static_cast<size_t>(id));
  if (model_id >= 0) return processor_->IdToPiece(model_id);
  return id == special_tokens_.pad ? kPad : kBegin;
}

}  // namespace transformer
