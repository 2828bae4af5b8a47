#include "text/sentencepiece_check.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "text/protobuf_message.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

// Fields of a model: its pieces, its TrainerSpec and its NormalizerSpec.
constexpr uint64_t kPieces = 1, kTrainer = 2, kNormalizer = 3;
constexpr uint64_t kTable = 2;  // the field of a NormalizerSpec that has its table, precompiled_charsmap

/// A normalization table: the size of a trie in bytes, the trie, and texts that end in NUL, to which the trie points.
/// The trie is a double array of Darts: unit i leads by the next byte c of the text to unit `base ^ c`, where base is i
/// XOR the unit's offset, and if it has a leaf, unit `base` has the position of a text.
class NormalizationTable {
 public:
  explicit NormalizationTable(std::string_view table) {
    uint32_t trie_bytes = 0;
    if (table.size() < sizeof(trie_bytes)) return;
    std::memcpy(&trie_bytes, table.data(), sizeof(trie_bytes));
    table.remove_prefix(sizeof(trie_bytes));
    if (trie_bytes >= table.size()) return;
    trie_ = table.substr(0, trie_bytes);
    texts_ = table.substr(trie_bytes);
  }

  bool is_sound() const {
    if (!texts_.ends_with('\0')) return false;
    for (uint32_t i = 0; i < num_units(); ++i) {
      if (i > 0 && is_value(i)) continue;
      if ((base_of(i) | 0xFF) >= num_units()) return false;
      if ((unit(i) & kHasLeaf) != 0 && (unit(base_of(i)) & ~kIsValue) >= texts_.size()) return false;
    }
    return num_units() > 0;
  }

  /// Whether a rule replaces text with a byte, which is not a part of other characters. The table is sound.
  bool replaces(char byte) const {
    static constexpr uint32_t kNone = 0;  // the root is no unit's child
    std::vector<uint32_t> first_child(num_units(), kNone), next_child(num_units(), kNone);  // of all units with a base
    for (uint32_t i = 1; i < num_units(); ++i) {
      const uint32_t base = i ^ label_of(i);
      if (is_value(i) || base >= num_units()) continue;
      next_child[i] = first_child[base];
      first_child[base] = i;
    }
    std::vector<bool> was_found(num_units());
    std::vector<uint32_t> found = {0};
    while (!found.empty()) {
      const uint32_t parent = found.back();
      found.pop_back();
      for (uint32_t i = first_child[base_of(parent)]; i != kNone; i = next_child[i]) {
        if (label_of(i) == static_cast<unsigned char>(byte)) return true;
        if (!was_found[i]) found.push_back(i);
        was_found[i] = true;
      }
    }
    return false;
  }

  /// Whether text may be replaced by one that has `part`.
  bool writes(std::string_view part) const { return texts_.find(part) != std::string_view::npos; }

 private:
  static constexpr uint32_t kIsValue = 1u << 31, kHasLeaf = 1u << 8, kHasLongOffset = 1u << 9;

  uint32_t num_units() const { return static_cast<uint32_t>(trie_.size() / sizeof(uint32_t)); }
  uint32_t unit(uint32_t i) const {
    uint32_t bits = 0;
    std::memcpy(&bits, trie_.data() + size_t{i} * sizeof(bits), sizeof(bits));
    return bits;
  }
  bool is_value(uint32_t i) const { return (unit(i) & kIsValue) != 0; }
  uint32_t label_of(uint32_t i) const { return unit(i) & 0xFF; }
  uint32_t base_of(uint32_t i) const { return i ^ ((unit(i) >> 10) << ((unit(i) & kHasLongOffset) == 0 ? 0 : 8)); }

  std::string_view trie_, texts_;
};

/// Checks the tables of a NormalizerSpec.
bool is_safe_normalizer(std::string_view message) {
  MessageReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == kTable && !field->bytes.empty() && !NormalizationTable(field->bytes).is_sound()) return false;
  }
  return fields.is_complete();
}

struct Piece {
  std::string_view text = {};
  uint64_t type = 0;  // 0 if the message has none: a normal piece
};

Piece piece_of(std::string_view message) {
  static constexpr uint64_t kText = 1, kType = 3;
  Piece piece;
  MessageReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == kText) piece.text = field->bytes;
    if (field->number == kType) piece.type = field->value;
  }
  return piece;
}

bool is_special(const MessageField& piece) { return piece_of(piece.bytes).type > 1; }

/// Whether no merge of BPE makes this piece of parts of two words.
bool is_within_word(std::string_view message) {
  static constexpr uint64_t kUserDefined = 4, kUnused = 5;
  const auto [text, type] = piece_of(message);
  // SentencePiece divides unused pieces again as it last made one of them, in any word of the line.
  if (type == kUnused || (type == kUserDefined && text.find(' ') != std::string_view::npos)) return false;
  return text.find(kSpaceMark, 1) == std::string_view::npos;
}

bool learns_within_words(std::string_view trainer) {
  static constexpr uint64_t kModelType = 3, kBpe = 2, kSpaceMarkIsSuffix = 24;
  bool is_bpe = false, is_suffix = false;
  MessageReader fields(trainer);
  while (const auto field = fields.next()) {
    if (field->number == kModelType) is_bpe = field->value == kBpe;
    if (field->number == kSpaceMarkIsSuffix) is_suffix = field->value != 0;
  }
  return is_bpe && !is_suffix;
}

bool normalizes_within_words(std::string_view normalizer) {
  static constexpr uint64_t kAddsSpaceMark = 3, kRemovesExtraBlanks = 4, kWritesSpaceMarks = 5;
  MessageReader fields(normalizer);
  while (const auto field = fields.next()) {
    const bool is_needed =
        field->number == kAddsSpaceMark || field->number == kRemovesExtraBlanks || field->number == kWritesSpaceMarks;
    if (is_needed && field->value == 0) return false;  // all of these have the default true
    if (field->number != kTable || field->bytes.empty()) continue;
    const NormalizationTable table(field->bytes);
    if (table.replaces(' ') || table.writes(kSpaceMark)) return false;
  }
  return true;
}

/// A model with other values, or none, for these numbered settings of its TrainerSpec or NormalizerSpec.
std::string with_settings(std::string_view bytes, uint64_t spec,
                          const std::map<uint64_t, std::optional<uint64_t>>& changes) {
  std::string changed;
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number != spec) {
      changed += field->whole;
      continue;
    }
    std::string message;
    MessageReader settings(field->bytes);
    while (const auto setting = settings.next()) {
      const auto change = changes.find(setting->number);
      if (change == changes.end()) {
        message += setting->whole;
      } else if (change->second) {
        add_number(message, setting->number, *change->second);
      }
    }
    add_bytes(changed, spec, message);
  }
  return changed;
}

}  // namespace

bool looks_like_sentencepiece_model(std::string_view beginning) {
  // A list of messages, the pieces, each of which has its text first: a tag, a size, a tag.
  return beginning.size() > 2 && beginning[0] == '\n' && beginning[2] == '\n';
}

bool is_safe_sentencepiece_model(std::string_view bytes) {
  static constexpr uint64_t kDenormalizer = 5;
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    const bool is_normalizer = field->number == kNormalizer || field->number == kDenormalizer;
    if (is_normalizer && !is_safe_normalizer(field->bytes)) return false;
  }
  return fields.is_complete();
}

bool divides_words_alone(std::string_view bytes) {
  int num_trainers = 0, num_normalizers = 0;  // of several, SentencePiece would join the settings
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number == kPieces && !is_within_word(field->bytes)) return false;
    if (field->number == kTrainer && (++num_trainers > 1 || !learns_within_words(field->bytes))) return false;
    if (field->number == kNormalizer && (++num_normalizers > 1 || !normalizes_within_words(field->bytes))) return false;
  }
  return num_trainers == 1;
}

std::string as_learned_from_sentences(std::string_view bytes, uint64_t max_sentences) {
  static constexpr uint64_t kInputFormat = 7, kInputSentenceSize = 11;
  return with_settings(bytes, kTrainer, {{kInputFormat, std::nullopt}, {kInputSentenceSize, max_sentences}});
}

std::string with_pieces(std::string_view bytes, const std::vector<std::string>& pieces) {
  static constexpr uint64_t kText = 1, kScore = 2, kVocabularySize = 4;
  std::string symbols, all_else;
  uint64_t size = pieces.size();
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number != kPieces) {
      all_else += field->whole;
    } else if (is_special(*field)) {
      symbols += field->whole;
      ++size;
    }
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string piece;
    add_bytes(piece, kText, pieces[i]);
    add_float(piece, kScore, -static_cast<float>(i));
    add_bytes(symbols, kPieces, piece);
  }
  return with_settings(symbols + all_else, kTrainer, {{kVocabularySize, size}});
}

std::vector<std::string> special_symbols_of(std::string_view bytes) {
  std::vector<std::string> symbols;
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number == kPieces && is_special(*field)) symbols.emplace_back(piece_of(field->bytes).text);
  }
  return symbols;
}

std::string without_normalization_path(std::string_view bytes) {
  static constexpr uint64_t kPath = 6;  // normalization_rule_tsv
  return with_settings(bytes, kNormalizer, {{kPath, std::nullopt}});
}

}  // namespace transformer
