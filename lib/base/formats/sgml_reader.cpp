#include <algorithm>
#include <array>
#include <cctype>

#include "base/format.h"
#include "base/formats/segments.h"
#include "base/parse_number.h"
#include "base/utf8.h"

namespace transformer {
namespace {

/// The character of an entity, such as "amp" or "#xE9"; empty for one that is not known.
std::string character_of(std::string_view entity) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> kKnown = {
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}}};
  for (const auto& [name, character] : kKnown) {
    if (entity == name) return character;
  }
  if (!entity.starts_with('#')) return "";
  entity.remove_prefix(1);
  const bool is_hexadecimal = entity.starts_with('x') || entity.starts_with('X');
  uint32_t code = 0;
  for (const char c : entity.substr(is_hexadecimal ? 1 : 0)) {
    const bool is_digit = is_hexadecimal ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c >= '0' && c <= '9';
    if (!is_digit || code > 0x110000) return "";
    const uint32_t digit = c <= '9' ? static_cast<uint32_t>(c - '0') : static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    code = code * (is_hexadecimal ? 16 : 10) + digit;
  }
  const bool is_character = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  const auto character = static_cast<char32_t>(code);
  return is_character ? encode_utf8({&character, 1}) : "";
}

/// The text with the characters of its entities; an ampersand that begins none stays.
std::string without_entities(std::string_view text) {
  static constexpr size_t kLongest = 10;
  std::string plain;
  while (!text.empty()) {
    const size_t mark = std::min(text.find('&'), text.size());
    plain += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const size_t end = text.substr(0, kLongest).find(';');
    const std::string character = end == std::string_view::npos ? "" : character_of(text.substr(1, end - 1));
    plain += character.empty() ? "&" : character;
    text.remove_prefix(character.empty() ? 1 : end + 1);
  }
  return plain;
}

/// Reads the segments of a WMT test set in SGML, which need not be well-formed XML.
class SgmlReader : public SegmentReader {
 public:
  void add(std::string_view bytes) override {
    text_ += bytes;
    while (take_segment()) {
    }
    if (text_.size() > kMaxSegmentBytes) {
      throw FormatError(line_, "has a segment of more than {} bytes; divide it", with_thousands(kMaxSegmentBytes));
    }
  }
  void finish() override {
    if (find("<seg", 0) == std::string::npos) return;
    throw FormatError(line_, "has a segment without an end; add </seg>, or download the file again");
  }

 private:
  /// The position of a tag, in letters of any case.
  size_t find(std::string_view tag, size_t from) const {
    const auto same = [](char one, char other) { return std::tolower(static_cast<unsigned char>(one)) == other; };
    const auto found =
        std::search(text_.begin() + static_cast<ptrdiff_t>(from), text_.end(), tag.begin(), tag.end(), same);
    return found == text_.end() ? std::string::npos : static_cast<size_t>(found - text_.begin());
  }

  bool take_segment() {
    static constexpr std::string_view kBegin = "<seg", kEnd = "</seg>";
    const size_t begin = find(kBegin, 0);
    if (begin == std::string::npos) {  // keeps what may be the beginning of a tag
      drop(text_.size() - std::min(text_.size(), kBegin.size() - 1));
      return false;
    }
    drop(begin);
    const size_t open = text_.find('>');
    if (open == std::string::npos) return false;
    const size_t end = find(kEnd, open);
    if (end == std::string::npos) return false;
    add_segment(without_entities(std::string_view(text_).substr(open + 1, end - open - 1)));
    drop(end + kEnd.size());
    return true;
  }

  void drop(size_t count) {
    line_ += std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(count), '\n');
    text_.erase(0, count);
  }

  std::string text_;
  int64_t line_ = 1;  // at which text_ begins
};

}  // namespace

std::unique_ptr<SegmentReader> make_sgml_reader() { return std::make_unique<SgmlReader>(); }

}  // namespace transformer
