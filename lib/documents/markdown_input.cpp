#include "documents/markdown_input.h"

#include <algorithm>
#include <cctype>

#include "base/utf8.h"
#include "base/words.h"

namespace transformer {
namespace {

size_t end_of_line(std::string_view text, size_t begin) {
  return std::min(text.find('\n', begin), text.size() - 1) + 1;
}

/// The size of the front matter, in YAML or TOML, with which a text begins; 0 if it begins with none.
size_t front_matter_size(std::string_view text) {
  std::string_view mark;
  for (size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const size_t end = end_of_line(text, begin);
    std::string_view line = text.substr(begin, end - begin);
    line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
    if (number == 1) mark = line;
    if (number == 1 ? !is_in(line, {"---", "+++"}) : number == 2 && line.empty()) return 0;
    if (number > 1 && is_in(line, {mark, "..."})) return end;
    begin = end;
  }
  return 0;
}

/// Whether this is the second line of a table, such as "|---|:-:|".
bool is_table_rule(std::string_view line) {
  return line.find('|') != std::string_view::npos && line.find('-') != std::string_view::npos &&
         line.find_first_not_of("|-: \t\r\n>") == std::string_view::npos;
}

/// Whether this is the first line of one of GitHub's alerts, such as "[!NOTE]", without the mark of its quotation.
bool is_alert(std::string_view line) {
  return line.starts_with("[!") && line.ends_with(']') && line.size() > 3 &&
         std::all_of(line.begin() + 2, line.end() - 1,
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

/// The size of the footnote mark, such as "[^1]", with which a text begins; 0 if it begins with none.
size_t footnote_mark_size(std::string_view text) {
  static constexpr size_t kLabel = 2;
  const size_t end = text.find_first_of("[]`\\<> \t\r\n", kLabel);
  return end != std::string_view::npos && end > kLabel && text[end] == ']' ? end + 1 : 0;
}

}  // namespace

MarkdownInput::MarkdownInput(std::string_view document) : document_(document) {
  const std::string_view text = without_byte_order_mark(document);
  begin_ = document.size() - text.size() + front_matter_size(text);
  for (size_t begin = begin_, end = 0; begin < document.size(); begin = end) {
    end = end_of_line(document, begin);
    add_line(begin, end);
  }
}

size_t MarkdownInput::position(size_t at) const {
  const auto num_added = std::lower_bound(added_.begin(), added_.end(), at) - added_.begin();
  return begin_ + at - static_cast<size_t>(num_added);
}

void MarkdownInput::add_line(size_t begin, size_t end) {
  const std::string_view line = document_.substr(begin, end - begin);
  if (is_table_rule(line)) return add_table_rule(line);
  if (end < document_.size() && is_table_rule(document_.substr(end, end_of_line(document_, end) - end))) add("\n");
  std::string known(line);
  const size_t content = std::min(line.find_first_not_of("> \t"), line.size());
  const std::string_view text = trimmed(line.substr(content));
  const bool is_quotation = line.substr(0, content).find('>') != std::string_view::npos;
  if (is_quotation && is_alert(text)) known.replace(content, text.size(), text.size(), '*');
  for (size_t at = line.find("[^"); at != std::string_view::npos; at = line.find("[^", at + 2)) {
    size_t size = footnote_mark_size(line.substr(at));
    if (size == 0 || (at > 0 && line[at - 1] == '\\')) continue;
    const bool is_footnote = at == content && at + size < line.size() && line[at + size] == ':';
    if (is_footnote) ++size;
    const std::string filling(size - 2, 'x');
    known.replace(at, size, is_footnote ? "-   " + filling.substr(2) : "(" + filling + ")");
    footnote_marks_.push_back({begin + at, begin + at + size});
  }
  text_ += known;
}

void MarkdownInput::add_table_rule(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    text_ += line[i];
    const bool begins_column = line[i] == '-' && (i == 0 || line[i - 1] != '-');
    if (begins_column) add("--");
  }
}

void MarkdownInput::add(std::string_view bytes) {
  for (const char c : bytes) {
    added_.push_back(text_.size());
    text_ += c;
  }
}

}  // namespace transformer
