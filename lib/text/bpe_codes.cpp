#include "text/bpe_codes.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "base/utf8.h"
#include "text/protobuf_message.h"

namespace transformer {
namespace {

constexpr uint64_t kCodes = 20018;  // beside the field of PieceList
constexpr std::string_view kEndOfWord = "</w>", kSeparator = "@@";
constexpr int64_t kNoMerge = std::numeric_limits<int64_t>::max();

std::string_view stripped(std::string_view text) {
  static constexpr std::string_view kBlank = "\r\n ";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

BpeCodes::BpeCodes(std::string_view codes) {
  if (!is_valid_utf8(codes)) throw Error("it is not UTF-8");
  int64_t number = 0;
  while (codes.ends_with('\n')) codes.remove_suffix(1);
  while (!codes.empty()) {
    ++number;
    const size_t end = std::min(codes.find('\n'), codes.size());
    const std::string_view line = stripped(codes.substr(0, end));
    codes.remove_prefix(std::min(end + 1, codes.size()));
    if (number == 1 && line.starts_with("#version:")) {
      const std::string_view version = line.substr(std::min(line.find_last_of(" :") + 1, line.size()));
      if (version != "0.1" && version != "0.2") throw Error("its version {} is neither 0.1 nor 0.2", version);
      marks_last_character_ = version == "0.2";
      continue;
    }
    if (std::count(line.begin(), line.end(), ' ') != 1) {
      throw Error("line {} is not two symbols with a space between them", number);
    }
    rank_of_pair_.emplace(line, number);  // of two lines with the same pair of symbols, the first counts
  }
}

std::vector<std::string> BpeCodes::divide(std::string_view word) const {
  const std::u32string characters = decode_utf8(word);
  if (characters.size() == 1) return {std::string(word)};
  std::vector<std::string> symbols;
  for (const char32_t character : characters) symbols.push_back(encode_utf8({&character, 1}));
  if (marks_last_character_) {
    symbols.back() += kEndOfWord;
  } else {
    symbols.emplace_back(kEndOfWord);
  }
  // ranks[i]: of the pair of symbols i and i + 1.
  const auto rank = [&](const std::string& left, const std::string& right) {
    const auto found = rank_of_pair_.find(left + ' ' + right);
    return found == rank_of_pair_.end() ? kNoMerge : found->second;
  };
  std::vector<int64_t> ranks;
  for (size_t i = 0; i + 1 < symbols.size(); ++i) ranks.push_back(rank(symbols[i], symbols[i + 1]));
  while (!ranks.empty()) {
    const int64_t best = *std::min_element(ranks.begin(), ranks.end());
    if (best == kNoMerge) break;
    // Merges all pairs of the best rank, from the left, that have no symbol in common with a merged one.
    std::vector<std::string> merged;
    std::vector<bool> is_new;
    std::vector<int64_t> kept_ranks;
    for (size_t i = 0; i < symbols.size(); ++i) {
      const bool begins_pair = i < ranks.size() && ranks[i] == best;
      merged.push_back(begins_pair ? symbols[i] + symbols[i + 1] : std::move(symbols[i]));
      is_new.push_back(begins_pair);
      if (begins_pair) ++i;
      kept_ranks.push_back(i < ranks.size() ? ranks[i] : kNoMerge);
    }
    ranks.clear();
    for (size_t i = 0; i + 1 < merged.size(); ++i) {
      ranks.push_back(is_new[i] || is_new[i + 1] ? rank(merged[i], merged[i + 1]) : kept_ranks[i]);
    }
    symbols = std::move(merged);
  }
  if (symbols.back() == kEndOfWord) {
    symbols.pop_back();
  } else if (symbols.back().ends_with(kEndOfWord)) {
    symbols.back().resize(symbols.back().size() - kEndOfWord.size());
  }
  return symbols;
}

std::vector<std::string> BpeCodes::apply(std::string_view text) const {
  std::vector<std::string> pieces;
  text = stripped(text);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    std::vector<std::string> divided = divide(word);
    for (size_t i = 0; i + 1 < divided.size(); ++i) divided[i] += kSeparator;
    std::move(divided.begin(), divided.end(), std::back_inserter(pieces));
  }
  return pieces;
}

std::string joined_bpe_pieces(std::string_view text) {
  std::string joined;
  while (!text.empty()) {
    const bool is_separator = text.starts_with(kSeparator) && (text.size() == 2 || text[2] == ' ');
    if (is_separator) {
      text.remove_prefix(std::min<size_t>(kSeparator.size() + 1, text.size()));
    } else {
      joined += text[0];
      text.remove_prefix(1);
    }
  }
  return joined;
}

std::string with_bpe_codes(std::string model_bytes, std::string_view codes) {
  add_bytes(model_bytes, kCodes, codes);
  return model_bytes;
}

std::optional<std::string> bpe_codes_of(std::string_view model_bytes) {
  MessageReader fields(model_bytes);
  std::optional<std::string> codes;
  while (const auto field = fields.next()) {
    if (field->number == kCodes) codes = field->bytes;
  }
  return codes;
}

}  // namespace transformer
