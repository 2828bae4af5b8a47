#include "documents/read_document.h"

#include <algorithm>
#include <array>
#include <regex>

#include "base/error.h"
#include "base/formats/decompressor.h"
#include "base/formats/segments.h"
#include "base/formats/xml_parser.h"
#include "base/line_reader.h"
#include "base/other_format.h"
#include "base/parameter_error.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "documents/encoding.h"
#include "documents/formats.h"

namespace transformer {
namespace {

bool has_ending(const std::string& file, std::initializer_list<std::string_view> endings) {
  std::string name = lower_case(file);
  for (const std::string_view compression : {".gz", ".xz", ".zst", ".bz2"}) {
    if (name.ends_with(compression)) name.resize(name.size() - compression.size());
  }
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

bool are_subtitles(std::string_view text) {
  static constexpr size_t kSearched = 1000;
  const std::string_view beginning = without_byte_order_mark(text).substr(0, kSearched);
  if (beginning.starts_with("WEBVTT")) return true;
  static const std::regex kCue(R"(^\s*[0-9]+[ \t]*\r?\n[0-9:]+[,.][0-9]+ *--> *[0-9:]+[,.][0-9]+)");
  return std::regex_search(beginning.begin(), beginning.end(), kCue);
}

bool is_html(std::string_view text) {
  const std::string beginning = lower_case(without_byte_order_mark(text).substr(0, 4096));
  const size_t first = std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size());
  const auto begins = [&](std::string_view tag) { return std::string_view(beginning).substr(first).starts_with(tag); };
  return begins("<!doctype html") || begins("<html") ||
         (begins("<?xml") && beginning.find("<html") != std::string::npos);
}

using Read = Document (*)(std::string bytes, const DocumentTask& task);

/// The function that reads a file, whether it is of the formats in which a part can be named.
struct Reader {
  Read read;
  bool has_parts;
};

Reader reader_for(const TextPath& path, std::string_view text) {
  if (path.column || is_tsv_name(path.file)) return {read_tsv_document, true};
  if (has_ending(path.file, {".md", ".markdown"})) return {read_markdown_document, false};
  if (is_html(text) || has_ending(path.file, {".html", ".htm"})) return {read_html_document, false};
  if (are_subtitles(text)) return {read_subtitles, false};
  switch (markup_of(text)) {
    case Markup::xml:
      return {read_xml_document, true};
    case Markup::sgml:
      return {read_sgml_document, true};
    case Markup::json_lines:
      return {read_json_lines_document, true};
    case Markup::other:
      throw Error("it is {}", describe_markup(text));
    case Markup::none:
      break;
  }
  return {read_paragraphs, false};
}

/// The bytes of a file or of stdin, decompressed.
std::string read_bytes(const std::string& file) {
  static constexpr size_t kMaxBytes = size_t{1} << 30;
  std::string compressed = read_file(file == "-" ? "/dev/stdin" : file), bytes;
  const auto decompressor = decompressor_for(compressed);
  if (!decompressor) {
    bytes = std::move(compressed);
  } else {
    decompressor->add(std::move(compressed));
    for (std::string more = decompressor->next(); !more.empty() && bytes.size() <= kMaxBytes;
         more = decompressor->next()) {
      bytes += more;
    }
    if (bytes.size() <= kMaxBytes && !decompressor->is_complete()) {
      throw Error("the compressed file ends too early; copy or download it again");
    }
  }
  if (bytes.size() > kMaxBytes) throw Error("it is larger than 1 GB; divide it");
  if (const std::string format = describe_binary_format(bytes); !format.empty()) throw Error("it is {}", format);
  return bytes;
}

}  // namespace

Document read_document(const std::string& path, const std::string& into) {
  const TextPath named(path);
  const std::string file = shown_path(named.file);
  const DocumentTask task{file, named.column ? std::to_string(*named.column) : named.part, into};
  try {
    std::string bytes = read_bytes(named.file);
    const std::string encoding = xml_encoding(bytes);
    if (!encoding.empty()) bytes = decoded(bytes, encoding);
    if (!is_valid_utf8(bytes)) {
      throw Error(
          "it is not UTF-8; convert it, as with `iconv -f LATIN1 -t UTF-8`, so that the translations are "
          "written in its encoding");
    }
    const Reader reader = reader_for(named, bytes);
    if (!reader.has_parts && !into.empty()) {
      throw ParameterError("'into' {}: {} has no parts to name, its text is replaced; leave the option out", into,
                           file);
    }
    if (!reader.has_parts && !task.part.empty()) {
      throw Error("'#{}' names no part of it; give the path without it", task.part);
    }
    Document document = reader.read(std::move(bytes), task);
    document.encoding = encoding;
    return document;
  } catch (const FormatError& error) {
    throw Error("{}:{}: {}", file, error.line(), error.what());
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw Error("{}: {}", file, error.what());
  }
}

std::string with_translations(const Document& document, const std::vector<std::string>& texts) {
  std::string bytes;
  auto text = texts.begin();
  for (const DocumentPart& part : document.parts) {
    bytes += part.verbatim;
    if (part.segment) bytes += *text++;
  }
  return document.encoding.empty() ? bytes : encoded(bytes, document.encoding);
}

}  // namespace transformer
