#include "text/sentencepiece_check.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "text/protobuf_message.h"

namespace transformer {
namespace {

constexpr uint64_t kNormalizer = 3;  // the field of a model that has its NormalizerSpec

/// A normalization table: the size of a trie in bytes, the trie, and texts that end in NUL, to which the trie points.
/// The trie is a double array of Darts: unit i leads by the next byte c of the text to unit `base ^ c`, where base is i
/// XOR the unit's offset, and if it has a leaf, unit `base` has the position of a text.
bool is_sound_table(std::string_view table) {
  uint32_t trie_bytes = 0;
  if (table.size() < sizeof(trie_bytes)) return false;
  std::memcpy(&trie_bytes, table.data(), sizeof(trie_bytes));
  table.remove_prefix(sizeof(trie_bytes));
  if (trie_bytes >= table.size() || !table.ends_with('\0')) return false;
  const uint32_t num_units = trie_bytes / sizeof(uint32_t);
  const uint32_t text_bytes = static_cast<uint32_t>(table.size()) - trie_bytes;
  const auto unit_at = [&](uint32_t i) {
    uint32_t unit = 0;
    std::memcpy(&unit, table.data() + size_t{i} * sizeof(unit), sizeof(unit));
    return unit;
  };
  static constexpr uint32_t kIsValue = 1u << 31, kHasLeaf = 1u << 8, kHasLongOffset = 1u << 9;
  for (uint32_t i = 0; i < num_units; ++i) {
    const uint32_t unit = unit_at(i);
    if (i > 0 && (unit & kIsValue) != 0) continue;
    const uint32_t base = i ^ ((unit >> 10) << ((unit & kHasLongOffset) == 0 ? 0 : 8));
    if ((base | 0xFF) >= num_units) return false;
    if ((unit & kHasLeaf) != 0 && (unit_at(base) & ~kIsValue) >= text_bytes) return false;
  }
  return num_units > 0;
}

/// Checks the tables of a NormalizerSpec.
bool is_safe_normalizer(std::string_view message) {
  static constexpr uint64_t kTable = 2;  // precompiled_charsmap
  MessageReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == kTable && !field->bytes.empty() && !is_sound_table(field->bytes)) return false;
  }
  return fields.is_complete();
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

std::string without_normalization_path(std::string_view bytes) {
  static constexpr uint64_t kPath = 6;  // normalization_rule_tsv
  std::string without;
  MessageReader fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number != kNormalizer) {
      without += field->whole;
      continue;
    }
    std::string normalizer;
    MessageReader parts(field->bytes);
    while (const auto part = parts.next()) {
      if (part->number != kPath) normalizer += part->whole;
    }
    add_bytes(without, kNormalizer, normalizer);
  }
  return without;
}

}  // namespace transformer
