#include "text/tokenizer.h"

#include <fmt/core.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iomanip>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "text/bpe_codes.h"
#include "text/clean_line.h"
#include "text/letter_case.h"
#include "text/sentencepiece_check.h"

namespace transformer {
namespace {

/// Longer lines are left out when a vocabulary is learned, because SentencePiece fails on very long words.
constexpr size_t kMaxLineBytes = 4192;

/// Passes the lines of several files to SentencePiece, one file after the other.
class FileSentences : public sentencepiece::SentenceIterator {
 public:
  /// `capitals`: how many lines in capitals to add for each line.
  FileSentences(const std::vector<std::string>& files, double capitals)
      : files_(files), capitals_every_(capitals > 0 ? std::llround(1 / capitals) : 0) {
    Next();
  }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  bool all_are_too_long() const { return num_too_long_ == num_lines_; }
  /// How many lines SentencePiece leaves out, and the first as "FILE:LINE".
  int64_t num_too_long() const { return num_too_long_; }
  const std::string& first_too_long() const { return first_too_long_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    if (capitals_are_next_) {
      line_ = to_upper(line_);
      capitals_are_next_ = false;
      return;
    }
    while (true) {
      if (!reader_) {
        if (next_file_ == files_.size()) {
          done_ = true;
          return;
        }
        reader_.emplace(files_[next_file_++]);
      }
      if (reader_->next(line_)) {
        ++num_lines_;
        line_ = clean_line(line_).text;
        capitals_are_next_ = capitals_every_ > 0 && num_lines_ % capitals_every_ == 0;
        if (line_.size() > kMaxLineBytes && num_too_long_++ == 0) {
          first_too_long_ = fmt::format("{}:{}", files_[next_file_ - 1], reader_->line_number());
        }
        return;
      }
      reader_.reset();
    }
  }

 private:
  const std::vector<std::string>& files_;
  const int64_t capitals_every_;  // lines; 0: never
  bool capitals_are_next_ = false;
  size_t next_file_ = 0;
  std::optional<LineReader> reader_;
  std::string line_, first_too_long_;
  int64_t num_lines_ = 0, num_too_long_ = 0;
  bool done_ = false;
};

/// Rewords SentencePiece's message, such as "... Vocabulary size too high (5000). Please set it to a value <= 107."
std::string why_not_learned(const std::string& complaint, int64_t wanted) {
  static const std::string kLimit = "to a value <= ";
  const size_t limit = complaint.find(kLimit);
  if (limit != std::string::npos) {
    return fmt::format("the text gives at most {} pieces, not {}; give a smaller data.vocabulary_size or more text",
                       std::stoll(complaint.substr(limit + kLimit.size())), wanted);
  }
  if (complaint.find("smaller than required_chars") != std::string::npos) {
    // "... smaller than required_chars. 30 vs 32. ..."
    static const std::string kCounts = " vs ";
    const size_t counts = complaint.find(kCounts);
    const int64_t needed =
        counts == std::string::npos ? wanted + 1 : std::stoll(complaint.substr(counts + kCounts.size()));
    return fmt::format(
        "{} pieces are fewer than the text's characters need; give a data.vocabulary_size of at least {}, or a smaller "
        "data.character_coverage (from 0.98)",
        wanted, needed);
  }
  if (complaint.find("sentences_.empty()") != std::string::npos) {
    return "the training text has only blank lines, from which no vocabulary can be learned; give other text";
  }
  const size_t source_position = complaint.rfind("] ");  // "file.cc(123) [condition] explanation"
  return fmt::format("cannot learn {} pieces: {}", wanted,
                     source_position == std::string::npos ? complaint : complaint.substr(source_position + 2));
}

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

/// The text of pieces (strings, or SentencePiece's ids) without characters that would break a line of a table. A
/// vocabulary with byte fallback can make any character, and an unknown piece may have a tab.
template <class Piece>
std::string decoded_line(const sentencepiece::SentencePieceProcessor& processor, const std::vector<Piece>& pieces) {
  std::string text;
  const auto status = processor.Decode(pieces, &text);
  if (!status.ok()) throw Error("SentencePiece cannot decode a line: {}", status.message());
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t' || c == '\0'; }, ' ');
  return text;
}

}  // namespace

std::string Tokenizer::learn(const std::vector<std::string>& files, const VocabularyOptions& options) {
  // More lines need more memory and change the pieces little.
  static constexpr const char* kMaxSentences = "10000000";
  const SpecialTokens special;
  std::unordered_map<std::string, std::string> arguments = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", number_text(options.character_coverage)},
      {"pad_id", std::to_string(special.pad)},
      {"unk_id", std::to_string(special.unknown)},
      {"bos_id", std::to_string(special.begin)},
      {"eos_id", std::to_string(special.end)},
      {"input_sentence_size", kMaxSentences},
      {"max_sentence_length", std::to_string(kMaxLineBytes)},
      {"shuffle_input_sentence", "true"},
      {"minloglevel", "3"},
  };
  std::ostringstream symbols;  // a line of CSV, in which a quotation mark within quotation marks is doubled
  for (const auto& word : options.whole_words) {
    if (symbols.tellp() > 0) symbols << ',';
    symbols << std::quoted(std::string(kSpaceMark) + word, '"', '"');
  }
  if (!options.whole_words.empty()) arguments["user_defined_symbols"] = symbols.str();
  if (is_normalization_rule(options.normalization)) {
    arguments["normalization_rule_name"] = options.normalization;
  } else {
    check_normalization_rules(options.normalization);
    arguments["normalization_rule_tsv"] = options.normalization;
  }
  sentencepiece::SetRandomGeneratorSeed(1);
  FileSentences sentences(files, options.capitals);
  std::string model_bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &model_bytes);
  if (!status.ok() && sentences.num_too_long() > 0 && sentences.all_are_too_long()) {
    throw Error(
        "{}: like all lines, longer than {} bytes, so that no vocabulary can be learned; write one sentence a line",
        sentences.first_too_long(), with_thousands(kMaxLineBytes));
  }
  if (!status.ok()) throw Error("data.vocabulary_size: {}", why_not_learned(status.message(), options.size));
  if (sentences.num_too_long() > 0) {
    log_warning("{}: longer than {} bytes, {}; the vocabulary was learned without such lines",
                sentences.first_too_long(), with_thousands(kMaxLineBytes),
                first_of_such_lines(sentences.num_too_long()));
  }
  return is_normalization_rule(options.normalization) ? model_bytes : without_normalization_path(model_bytes);
}

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
  if (bpe_codes_) return false;
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

std::string Tokenizer::take_language(std::string_view& text) const {
  static constexpr std::string_view kEnd = "<<";
  if (!text.starts_with(">>")) return "";
  const size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return "";
  const std::string_view language = text.substr(0, end + kEnd.size());
  // Of a text that is divided at its spaces, every piece has the mark of a space.
  for (const std::string& piece : {std::string(language), std::string(kSpaceMark).append(language)}) {
    if (!id_of_listed_piece_.contains(piece)) continue;
    text.remove_prefix(language.size());
    return piece;
  }
  return "";
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids) const {
  if (!listed_pieces_.empty()) {
    std::vector<std::string> pieces;
    for (const TokenId id : ids) {
      if (special_tokens_.is_control(id)) continue;
      // SentencePiece writes its own unknown piece as " ⁇ ", whatever the list calls it.
      const bool is_unknown = id == special_tokens_.unknown && processor_->unk_id() >= 0;
      pieces.push_back(is_unknown ? processor_->IdToPiece(processor_->unk_id()) : piece(id));
    }
    return decode_pieces(pieces);
  }
  std::vector<int> pieces;
  for (const TokenId id : ids) {
    if (!special_tokens_.is_control(id)) pieces.push_back(model_id_of_id_[static_cast<size_t>(id)]);
  }
  return decoded_line(*processor_, pieces);
}

std::vector<std::string> Tokenizer::divide(std::string_view text) const {
  std::vector<std::string> pieces;
  if (bpe_codes_) {
    pieces = bpe_codes_->apply(text);
    for (std::string& piece : pieces) piece.insert(0, kSpaceMark);
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
  const std::string text = decoded_line(*processor_, pieces);
  return bpe_codes_ ? joined_bpe_pieces(text) : text;
}

std::string Tokenizer::piece(TokenId id) const {
  if (!listed_pieces_.empty()) return listed_pieces_.at(static_cast<size_t>(id));
  const int model_id = model_id_of_id_.at(static_cast<size_t>(id));
  if (model_id >= 0) return processor_->IdToPiece(model_id);
  return id == special_tokens_.pad ? "<pad>" : "<s>";
}

}  // namespace transformer
