#include "base/other_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <utility>
#include <vector>

#include "base/line_reader.h"
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

constexpr std::array<Mark, 6> kBinaryFormats = {
    {{std::string_view("]\0\0", 3), "compressed with lzma; decompress it with `xz -d`, and give the text file"},
     {"7z\274\257\047\034", "a 7z archive; unpack it, and give the text file in it"},
     {"Rar!\032\7", "a RAR archive; unpack it, and give the text file in it"},
     {"%PDF-", "a PDF document; save its text as plain text in UTF-8, one sentence in each line"},
     {"{\\rtf", "a document in RTF; save it as plain text in UTF-8, one sentence in each line"},
     {"\320\317\021\340\241\261\032\341", "an Office document (such as xls or doc); save it as plain text in UTF-8"}}};

constexpr const char* kTimedSubtitles =
    "subtitles in another format than SubRip's; convert them to that, as with `ffmpeg -i FILE FILE.srt`";
constexpr const char* kFrameSubtitles =
    "subtitles of MicroDVD; convert them to SubRip's format, as with `pysubs2 --to srt --fps 25 FILE`, with the film's "
    "frames per second";
/// The endings of subtitles (.lrc, .sub) are not here, because they are codes of languages, too, as in "train.lrc".
constexpr std::array<Mark, 2> kNamedFormats = {
    {{".strings",
      "a file of texts of Apple's programs; export them as XLIFF, as with `xcodebuild -exportLocalizations`"},
     {".ftl",
      "a file of messages of Fluent; write them into JSON Lines, as with Python's fluent.syntax, and name the field, "
      "as in messages.jsonl#text"}}};

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

/// How much of a text is searched for elements and messages.
constexpr size_t kSearchedForLines = size_t{1} << 16;

/// The lines of the text's beginning that are not blank, without the blanks around them.
std::vector<std::string_view> filled_lines(std::string_view beginning) {
  std::string_view text = without_byte_order_mark(beginning).substr(0, kSearchedForLines);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The name of the tag with which the text begins, in lower case; empty if it begins with none. Names begin with a
/// letter, so that "<2de>" is none.
std::string tag_name(std::string_view text) {
  text.remove_prefix(text.starts_with("</") ? 2 : text.starts_with('<') ? 1 : text.size());
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return "";
  const size_t end = text.find_first_of(" \t\r\n/>");
  return end == std::string_view::npos ? "" : lower_case(text.substr(0, end));
}

/// Whether HTML has such an element around sentences, and not inside of one, as "b".
bool is_html_block(std::string_view name) {
  return is_in(name, {"address", "article", "aside", "blockquote", "body", "center", "div", "dl", "fieldset",
                      "figure",  "footer",  "form",  "h1",         "h2",   "h3",     "h4",  "h5", "h6",
                      "head",    "header",  "hr",    "li",         "main", "nav",    "ol",  "p",  "pre",
                      "section", "table",   "tbody", "td",         "th",   "tr",     "ul"});
}

/// Whether the line begins with a tag, and ends with one or is in a block of HTML.
bool is_markup_line(std::string_view line) {
  const std::string name = tag_name(line);
  return line.starts_with("<!--") || (!name.empty() && (line.ends_with('>') || is_html_block(name)));
}

/// What the text is whose first element is no document: a part of HTML, or XML without a declaration. Most lines of it
/// are markup, because plain text may begin with a tag, too: "<b>No</b> smoking".
Markup markup_of_elements(std::string_view beginning) {
  const std::string_view text = without_comments_before(without_byte_order_mark(beginning));
  const std::string name = tag_name(text);
  if (name.empty() || has_xml_declaration(beginning)) return Markup::none;
  const size_t end_of_tag = std::min(text.substr(0, kSearchedForLines).find('>'), text.size());
  const bool has_namespace = text.substr(0, end_of_tag).find(" xmlns") != std::string_view::npos;
  const auto lines = filled_lines(text);
  const auto num_markup = std::count_if(lines.begin(), lines.end(), is_markup_line);
  if (!has_namespace && 2 * num_markup <= std::ssize(lines)) return Markup::none;
  if (is_html_block(name)) return Markup::other;
  // A sentence may be in a pair of tags as a whole; the tag of a document has a line of its own.
  const bool is_alone = lines.front().find('>') == lines.front().size() - 1;
  const bool has_end = text.substr(0, kSearchedForLines).find("</") != std::string_view::npos;
  return has_namespace || (is_alone && has_end) ? Markup::xml : Markup::none;
}

/// Whether the text is a catalog of messages of gettext.
bool is_gettext(std::string_view beginning) {
  const auto lines = filled_lines(beginning);
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !line.starts_with('#'); });
  const auto is_translation = [](std::string_view line) { return line.starts_with("msgstr"); };
  return first != lines.end() && (first->starts_with("msgid \"") || first->starts_with("msgctxt \"")) &&
         std::any_of(first, lines.end(), is_translation);
}

/// What the text is if it is subtitles that are not read; null for another one.
const char* describe_other_subtitles(std::string_view beginning) {
  static constexpr size_t kSearched = 100;  // of each line
  static const std::regex kTimes(R"([0-9]+:[0-9]+:[0-9]+\.[0-9]+,[0-9]+:[0-9]+:[0-9]+\.[0-9]+$)");
  static const std::regex kFrames(R"(\{[0-9]+\}\{[0-9]+\})"), kLyrics(R"(\[[0-9]+:[0-9][0-9]\.[0-9]+\])");
  const auto lines = filled_lines(beginning);
  const auto begins_with = [](std::string_view line, const std::regex& mark) {
    line = line.substr(0, kSearched);
    return std::regex_search(line.begin(), line.end(), mark, std::regex_constants::match_continuous);
  };
  const auto have = [&](const std::regex& mark) {
    const auto has = [&](std::string_view line) { return begins_with(line, mark); };
    return 2 * std::count_if(lines.begin(), lines.end(), has) > std::ssize(lines);
  };
  if (lines.empty() || std::string_view("{[0123456789").find(lines.front().front()) == std::string_view::npos) {
    return nullptr;
  }
  if (lines.front() == "[Script Info]" || begins_with(lines.front(), kTimes) || have(kLyrics)) return kTimedSubtitles;
  return have(kFrames) ? kFrameSubtitles : nullptr;
}

}  // namespace

bool is_zip(std::string_view beginning) {
  return beginning.starts_with("PK\3\4") || beginning.starts_with("PK\5\6") || beginning.starts_with("PK\7\10");
}

std::string describe_document_archive(std::string_view bytes) {
  for (const auto& [name, description] : kArchives) {
    if (bytes.find(name) != std::string_view::npos) return description;
  }
  return "";
}

std::string describe_binary_format(std::string_view beginning) {
  if (is_zip(beginning)) {
    if (const std::string document = describe_document_archive(beginning); !document.empty()) return document;
    return "a zip archive; unpack it, and give the text file in it, which may be compressed with gzip";
  }
  for (const auto& [mark, description] : kBinaryFormats) {
    if (beginning.starts_with(mark)) return description;
  }
  return "";
}

std::string describe_named_format(const std::string& file) {
  const std::string lower = lower_case(file);
  for (const auto& [ending, description] : kNamedFormats) {
    if (without_compression(lower).ends_with(ending)) return description;
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
  return tags.starts_with("<!doctype html") || tags.starts_with("<html") ||
         markup_of_elements(beginning) == Markup::other;
}

Markup markup_of(std::string_view beginning) {
  const std::string tags = first_tags(beginning);
  const auto begins = [&](std::string_view tag) { return tags.starts_with(tag); };
  if (is_json_object(tags)) return Markup::json_lines;
  if (is_json_list(tags) || is_html(beginning) || are_subtitles(beginning) || is_gettext(beginning) ||
      describe_other_subtitles(beginning) != nullptr) {
    return Markup::other;
  }
  if (has_xml_declaration(beginning)) return Markup::xml;
  if (std::any_of(kSgmlTags.begin(), kSgmlTags.end(), begins)) return Markup::sgml;
  if (std::none_of(kXmlTags.begin(), kXmlTags.end(), begins)) return markup_of_elements(beginning);
  // SGML has a document type, but no XML declaration.
  const bool has_segments = std::any_of(kSgmlTags.begin(), kSgmlTags.end(),
                                        [&](std::string_view tag) { return tags.find(tag) != std::string::npos; });
  return begins("<!doctype") && has_segments ? Markup::sgml : Markup::xml;
}

std::string describe_markup(std::string_view beginning) {
  if (const char* subtitles = describe_other_subtitles(beginning); subtitles != nullptr) return subtitles;
  if (first_tags(beginning).starts_with('[')) {
    return "a JSON list; write one of its records in each line, for example with `jq -c '.[]'`, and name a field, as "
           "in pairs.jsonl#text";
  }
  if (is_gettext(beginning)) {
    return "a catalog of messages of gettext (po); convert it to XLIFF, with po2xliff of translate-toolkit";
  }
  const char* format = are_subtitles(beginning) ? "subtitles" : "HTML";
  return fmt::format("{}; `transformer translate --format document` translates it as a whole; for anything else, {}",
                     format, kSegments);
}

}  // namespace transformer
