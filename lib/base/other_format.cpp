#include "base/other_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/utf8.h"

namespace transformer {
namespace {

/// A mark in a file, and what the file is that has it.
using Mark = std::pair<std::string_view, const char*>;

constexpr const char* kSegments = "write the segments of each language into a text file, one sentence in each line";
constexpr const char* kTestSet =
    "a test set in SGML or XML; write its segments into a text file, for example with "
    "`sed -n 's/ *<\\/seg>.*//; s/.*<seg[^>]*> *//p'`";

/// What a zip archive is whose bytes contain a name.
constexpr std::array<Mark, 5> kArchives = {
    {{"xl/workbook", "an Excel workbook (xlsx); save its sheet as tab-separated text in a file that ends in .tsv"},
     {"word/document", "a Word document (docx); save it as plain text in UTF-8, one sentence in each line"},
     {"ppt/presentation", "a PowerPoint presentation (pptx); save it as plain text in UTF-8"},
     {"application/vnd.oasis.opendocument", "an OpenDocument file; save it as plain text in UTF-8"},
     {"/data.pkl", "a model file or another file of PyTorch; give a text file"}}};

constexpr std::array<Mark, 7> kBinaryFormats = {
    {{"\3757zXZ", "compressed with xz; decompress it, or compress it with gzip"},
     {"(\265/\375", "compressed with zstd; decompress it, or compress it with gzip"},
     {"7z\274\257\047\034", "a 7z archive; unpack it, and give the text file in it"},
     {"Rar!\032\7", "a RAR archive; unpack it, and give the text file in it"},
     {"%PDF-", "a PDF document; save its text as plain text in UTF-8, one sentence in each line"},
     {"{\\rtf", "a document in RTF; save it as plain text in UTF-8, one sentence in each line"},
     {"\320\317\021\340\241\261\032\341", "an Office document (such as xls or doc); save it as plain text in UTF-8"}}};

/// The tags with which markup begins. A document type or an XML declaration says little, so what follows it decides.
constexpr std::array<std::string_view, 11> kFirstTags = {
    "<?xml", "<!doctype", "<tmx", "<xliff", "<srcset", "<refset", "<tstset", "<mteval", "<html", "<doc ", "<seg "};
/// In the order in which they are looked for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTags = {{{"<tmx", "TMX"},
                                                                                 {"<xliff", "XLIFF"},
                                                                                 {"<html", "HTML"},
                                                                                 {"<srcset", ""},
                                                                                 {"<refset", ""},
                                                                                 {"<tstset", ""},
                                                                                 {"<mteval", ""},
                                                                                 {"<doc ", ""},
                                                                                 {"<seg ", ""}}};

std::string_view without_blanks_before(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// Whether the text begins with an object that has a key, or with a list of such objects. A sentence may begin with a
/// brace and a quotation mark, too.
bool is_json(std::string_view text) {
  static constexpr size_t kMaxKey = 200;
  if (text.starts_with('[')) text = without_blanks_before(text.substr(1));
  if (!text.starts_with('{')) return false;
  text = without_blanks_before(text.substr(1));
  if (!text.starts_with('"')) return false;
  const size_t end = text.substr(0, kMaxKey).find('"', 1);
  return end != std::string_view::npos && without_blanks_before(text.substr(end + 1)).starts_with(':');
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
  if (beginning.starts_with("BZh") && beginning.substr(3).find("1AY&SY") == 1) {  // after its level
    return "compressed with bzip2; decompress it, or compress it with gzip";
  }
  return "";
}

std::string describe_markup(std::string_view beginning) {
  static constexpr size_t kSearched = 4096;
  const std::string_view text = without_blanks_before(without_byte_order_mark(beginning)).substr(0, kSearched);
  if (is_json(text)) {
    return "JSON; write a field of its records into a text file, one sentence in each line, for example with "
           "`jq -r .translation.en`";
  }
  std::string lower_case(text);
  std::transform(lower_case.begin(), lower_case.end(), lower_case.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto begins = [&](std::string_view tag) { return lower_case.starts_with(tag); };
  if (std::none_of(kFirstTags.begin(), kFirstTags.end(), begins)) return "";
  for (const auto& [tag, name] : kTags) {
    if (lower_case.find(tag) == std::string::npos) continue;
    return name.empty() ? kTestSet : std::string(name) + "; " + kSegments;
  }
  return std::string("XML; ") + kSegments;
}

}  // namespace transformer
