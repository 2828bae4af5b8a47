#include "text/trainer_words.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/sentencepiece_check.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

/// What follows a blank in ASCII, but for the character with which the special symbols begin.
constexpr std::string_view kAscii =
    "!\"#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

}  // namespace

TrainerWords::TrainerWords(const std::string& model_bytes) : symbols_(special_symbols_of(model_bytes)) {
  is_ready_ = processor_.LoadFromSerializedProto(model_bytes).ok();
  bool has_marked_symbols = false;
  for (const std::string& symbol : symbols_) {
    known_symbols_.insert(symbol);
    lengths_.insert(symbol.size());
    has_marked_symbols = has_marked_symbols || !symbol.starts_with('<');
  }
  keeps_ascii_ = !has_marked_symbols && is_ready_ && normalized(kAscii) == std::string(kSpaceMark).append(kAscii);
}

bool TrainerWords::add(const std::string& word, int64_t count) {
  if (keeps_ascii_ && word.find_first_not_of(kAscii) == std::string::npos) {
    std::u32string text(1, kSpaceMarkCharacter);
    counts_[text.append(word.begin(), word.end())] += count;
    return true;
  }
  const auto text = normalized(word);
  if (text) counts_[decode_utf8(with_symbols_as_tabs(*text))] += count;
  return text.has_value();
}

std::vector<char32_t> TrainerWords::required_characters(float coverage) const {
  std::unordered_map<char32_t, int64_t> counts;
  int64_t num_all = 0, num_covered = 0;
  for (const auto& [word, count] : counts_) {
    for (const char32_t c : word) counts[c] += count;
    num_all += count * std::ssize(word);
  }
  std::vector<std::pair<int64_t, char32_t>> sorted;
  for (const auto& [character, count] : counts) sorted.emplace_back(-count, character);
  std::sort(sorted.begin(), sorted.end());
  std::vector<char32_t> required;
  for (const auto& [count, character] : sorted) {
    if (static_cast<float>(static_cast<double>(num_covered) / static_cast<double>(num_all)) >= coverage) break;
    num_covered -= count;
    if (character != '\t') required.push_back(character);
  }
  return required;
}

std::vector<CountedWord> TrainerWords::counted_words(const std::vector<char32_t>& required) const {
  const std::unordered_set<char32_t> known(required.begin(), required.end());
  std::unordered_map<std::u32string, int64_t> counts;
  for (const auto& [word, count] : counts_) {
    std::u32string text = word;
    std::replace_if(
        text.begin(), text.end(), [&](char32_t c) { return !known.contains(c); }, kUnknownCharacter);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(kSpaceMarkCharacter, begin + 1), text.size());
      counts[text.substr(begin, end - begin)] += count;
      begin = end;
    }
  }
  std::vector<CountedWord> words;
  for (const auto& [characters, count] : counts) words.push_back({characters, count});
  return words;
}

std::optional<std::string> TrainerWords::normalized(std::string_view word) const {
  std::vector<std::string> pieces;
  if (!is_ready_ || !processor_.Encode({word.data(), word.size()}, &pieces).ok()) return std::nullopt;
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

std::string TrainerWords::with_symbols_as_tabs(std::string_view word) const {
  std::string text;
  while (!word.empty()) {
    const auto is_here = [&](size_t length) {
      return length <= word.size() && known_symbols_.contains(word.substr(0, length));
    };
    const bool may_begin = word[0] == '<' || word[0] == kSpaceMark[0];
    const auto length = may_begin ? std::find_if(lengths_.rbegin(), lengths_.rend(), is_here) : lengths_.rend();
    text += length == lengths_.rend() ? word[0] : '\t';
    word.remove_prefix(length == lengths_.rend() ? 1 : *length);
  }
  return text;
}

}  // namespace transformer
