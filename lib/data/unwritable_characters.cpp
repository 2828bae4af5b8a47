#include "data/unwritable_characters.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/utf8.h"

namespace transformer {
namespace {

std::u32string sorted_characters(std::string_view text) {
  std::u32string characters = decode_utf8(text);
  std::erase_if(characters, [](char32_t c) { return c == ' ' || c == '\t'; });
  std::sort(characters.begin(), characters.end());
  return characters;
}

/// "U+00B2 ²", or "U+200C" for a character that has no shape of its own.
std::string shown(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  const std::string number = fmt::format("U+{:04X}", static_cast<uint32_t>(character));
  const bool has_shape = u_isgraph(c) != 0 && (U_GET_GC_MASK(c) & (U_GC_M_MASK | U_GC_C_MASK | U_GC_Z_MASK)) == 0;
  return has_shape ? number + " " + encode_utf8({&character, 1}) : number;
}

/// What a model writes in the place of a character.
enum class Fate { unknown, changed };

std::pair<Fate, std::string> fate_of(char32_t character, const Tokenizer& tokenizer) {
  const std::string text = encode_utf8({&character, 1});
  const std::vector<TokenId> pieces = tokenizer.encode(text);
  const bool is_unknown = std::find(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown) != pieces.end();
  if (is_unknown) return {Fate::unknown, "not in the vocabulary"};
  const std::string written = tokenizer.decode(pieces);
  if (written == text) return {Fate::changed, "changed beside some characters"};
  return {Fate::changed, written.empty() ? "lost" : "becomes " + written};
}

}  // namespace

std::u32string lost_characters(std::string_view line, std::string_view written) {
  if (line == written) return {};
  const std::u32string before = sorted_characters(line), after = sorted_characters(written);
  std::u32string lost;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(lost));
  return lost;
}

PieceTexts::PieceTexts(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    std::string& text = texts_.emplace_back(tokenizer.piece(id));
    for (size_t mark = text.find(kSpaceMark); mark != std::string::npos; mark = text.find(kSpaceMark, mark)) {
      text.replace(mark, kSpaceMark.size(), " ");
    }
  }
}

std::u32string PieceTexts::lost_characters(std::string_view line, const std::vector<TokenId>& pieces) const {
  if (spell(pieces, line)) return {};
  return transformer::lost_characters(line, tokenizer_.decode(pieces));
}

bool PieceTexts::spell(const std::vector<TokenId>& pieces, std::string_view line) const {
  std::string_view rest = line;
  for (const TokenId id : pieces) {
    if (id == tokenizer_.special_tokens().unknown) return false;
    std::string_view text = texts_[static_cast<size_t>(id)];
    const bool is_first = rest.size() == line.size();  // SentencePiece puts a mark before the line
    if (is_first) text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
  }
  return rest.empty();
}

void UnwritableCharacters::add(const std::u32string& lost, const std::string& place) {
  for (const char32_t character : lost) {
    Found& found = found_[character];
    if (found.count++ == 0) found.first_place = place;
  }
}

std::string UnwritableCharacters::warning(const std::string& text, const Tokenizer& tokenizer) const {
  if (found_.empty()) return "";
  static constexpr size_t kShown = 8;
  std::vector<std::pair<char32_t, Found>> most_frequent(found_.begin(), found_.end());
  std::sort(most_frequent.begin(), most_frequent.end(), [](const auto& one, const auto& other) {
    return std::tie(other.second.count, one.first) < std::tie(one.second.count, other.first);
  });
  int64_t count = 0;
  bool has_unknown = false, has_changed = false;
  std::vector<std::string> examples;
  for (const auto& [character, found] : most_frequent) {
    const auto [fate, description] = fate_of(character, tokenizer);
    (fate == Fate::unknown ? has_unknown : has_changed) = true;
    count += found.count;
    if (examples.size() == kShown) continue;
    examples.push_back(
        fmt::format("{} ({}, {}; {})", shown(character), counted(found.count, "time"), description, found.first_place));
  }
  const size_t num_more = most_frequent.size() - examples.size();
  std::vector<std::string> remedies;
  if (has_changed) remedies.push_back("data.normalization: identity keeps characters as they are");
  if (has_unknown) {
    remedies.push_back("a vocabulary that is learned from this text with data.character_coverage: 1 has all of them");
  }
  return fmt::format("{}: the vocabulary cannot write {} of its target side: {}{}; {}", text,
                     counted(count, "character"), fmt::join(examples, ", "),
                     num_more == 0 ? "" : fmt::format(" and {} more", num_more), fmt::join(remedies, "; "));
}

}  // namespace transformer
