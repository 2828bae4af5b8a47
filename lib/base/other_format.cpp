#include "base/other_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include "base/utf8.h"
#include "base/words.h"

namespace transformer {
namespace {

/// A mark in a file, and what the file is that has it.
using Mark = std::pair<std::string_view, const char*>;

constexpr const char* kSegments = "write the segments of each language into a text file, one sentence in each line";
/// What a zip archive is whose bytes contain a name.
constexpr std::array<Mark, 5> kArchives = {
    {{"xl/workbook", "an Excel workbook (xlsx); save its sheet as tab-separated text in a file that ends in .tsv"},
     {"word/document", "a Word document (docx); save it as plain text in UTF-8, one sentence in each line"},
     {"ppt/presentation", "a PowerPoint presentation (pptx); save it as plain text in UTF-8"},
     {"application/vnd.oasis.opendocument", "an OpenDocument file; save it as plain text in UTF-8"},
     {"/data.pkl", "a model file or another file of PyTorch; give a text file"}}};

constexpr std::array<Mark, 5> kBinaryFormats = {
    {{"7z\274\257\047\034", "a 7z archive; unpack it, and give the text file in it"},
     {"Rar!\032\7", "a RAR archive; unpack it, and give the text file in it"},
     {"%PDF-", "a PDF document; save its text as plain text in UTF-8, one sentence in each line"},
     {"{\\rtf", "a document in RTF; save it as plain text in UTF-8, one sentence in each line"},
     {"\320\317\021\340\241\261\032\341", "an Office document (such as xls or doc); save it as plain text in UTF-8"}}};

/// The tags with which markup begins.
constexpr std::array<std::string_view, 4> kXmlTags = {"<!doctype", "<tmx", "<xliff", "<dataset"};
constexpr std::array<std::string_view, 6> kSgmlTags = {"<srcset", "<refset", "<tstset", "<mteval", "<doc ", "<seg "};

/// Whether the text begins with an object that has a key. A sentence may begin with a brace and a quotation mark, too.
bool is_json_object(std::string_view text) {
  static constexpr size_t kMaxKey = 200;
  if (!text.starts_with('{')) return false;
  text = trimmed(text.substr(1));
  if (!text.starts_with('"')) return false;
  const size_t end = text.substr(0, kMaxKey).find('"', 1);
  return end != std::string_view::npos && trimmed(text.substr(end + 1)).starts_with(':');
}

bool is_json_list(std::string_view text) { return text.starts_with('[') && is_json_object(trimmed(text.substr(1))); }

bool has_xml_declaration(std::string_view beginning) {
  return lower_case(trimmed(without_byte_order_mark(beginning)).substr(0, 5)) == "<?xml";
}

/// The text behind the comments and processing instructions, such as XML's declaration, with which it begins.
std::string_view without_comments_before(std::string_view text) {
  while (true) {
    text = trimmed(text);
    const bool is_comment = text.starts_with("<!--");
    if (!is_comment && !text.starts_with("<?")) return text;
    const std::string_view mark = is_comment ? "-->" : "?>";
    const size_t end = text.find(mark);
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + mark.size());
  }
}

/// The beginning of markup, in lower case, from its first tag or document type, without the tag's prefix: "<xliff" for
/// "<ns0:xliff".
std::string first_tags(std::string_view beginning) {
  static constexpr size_t kSearched = 4096;
  std::string tags = lower_case(without_comments_before(without_byte_order_mark(beginning)).substr(0, kSearched));
  const size_t end = tags.find_first_of(" \t\r\n/>:");
  if (tags.starts_with('<') && end != std::string::npos && tags[end] == ':') tags.erase(1, end);
  return tags;
}

}  // namespace

bool is_zip(std::string_view beginning) {
  return beginning.starts_with("PK\3\4") || beginning.starts_with("PK\5\6") || beginning.starts_with("PK\7\10");
}

std::string describe_binary_format(std::string_view beginning) {
  if (is_zip(beginning)) {
    for (const auto& [name, description] : kArchives) {
      if (beginning.find(name) != std::string_view::npos) return description;
    }
    return "a zip archive; unpack it, and give the text file in it, which may be compressed with gzip";
  }
  for (const auto& [mark, description] : kBinaryFormats) {
    if (beginning.starts_with(mark)) return description;
  }
  return "";
}

bool are_subtitles(std::string_view beginning) {
  static constexpr size_t kSearched = 1000;
  beginning = without_byte_order_mark(beginning).substr(0, kSearched);
  if (beginning.starts_with("WEBVTT")) return true;
  static const std::regex kCue(R"(^\s*([0-9]+[ \t]*\r?\n)?[0-9:]+[,.][0-9]+ *--> *[0-9:]+[,.][0-9]+)");
  return std::regex_search(beginning.begin(), beginning.end(), kCue);
}

bool is_html(std::string_view beginning) {
  const std::string tags = first_tags(beginning);
  return tags.starts_with("<!doctype html") || tags.starts_with("<html");
}

Markup markup_of(std::string_view beginning) {
  const std::string tags = first_tags(beginning);
  const auto begins = [&](std::string_view tag) { return tags.starts_with(tag); };
  if (is_json_object(tags)) return Markup::json_lines;
  if (is_json_list(tags) || is_html(beginning) || are_subtitles(beginning)) return Markup::other;
  if (has_xml_declaration(beginning)) return Markup::xml;
  if (std::any_of(kSgmlTags.begin(), kSgmlTags.end(), begins)) return Markup::sgml;
  if (std::none_of(kXmlTags.begin(), kXmlTags.end(), begins)) return Markup::none;
  // SGML has a document type, but no XML declaration.
  const bool has_segments = std::any_of(kSgmlTags.begin(), kSgmlTags.end(),
                                        [&](std::string_view tag) { return tags.find(tag) != std::string::npos; });
  return begins("<!doctype") && has_segments ? Markup::sgml : Markup::xml;
}

std::string describe_markup(std::string_view beginning) {
  if (first_tags(beginning).starts_with('[')) {
    return "a JSON list; write one of its records in each line, for example with `jq -c '.[]'`, and name a field, as "
           "in pairs.jsonl#text";
  }
  const char* format = are_subtitles(beginning) ? "subtitles" : "HTML";
  return fmt::format("{}; `transformer translate --format document` translates it as a whole; for anything else, {}",
                     format, kSegments);
}

}  // namespace transformer
