#include "documents/read_document.h"

#include <algorithm>

#include "base/error.h"
#include "base/formats/decompressor.h"
#include "base/formats/segments.h"
#include "base/line_reader.h"
#include "base/other_format.h"
#include "base/parameter_error.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "base/words.h"
#include "documents/encoding.h"
#include "documents/formats.h"

namespace transformer {
namespace {

bool has_ending(const std::string& file, std::initializer_list<std::string_view> endings) {
  const std::string lower = lower_case(file);
  const std::string_view name = without_compression(lower);
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_html_document(const TextPath& path, std::string_view text) {
  return is_html(text) || has_ending(path.file, {".html", ".htm", ".xhtml"});
}

/// Throws Error if the name is that of a format whose text is not found here, with what to do instead.
void refuse_other_format(const std::string& file) {
  struct Other {
    std::initializer_list<std::string_view> endings;
    const char* remedy;
  };
  static const Other kOthers[] = {
      {{".po", ".pot"}, "convert it to XLIFF, with po2xliff of translate-toolkit"},
      {{".properties", ".ini", ".yaml", ".yml", ".json"},
       "convert it to XLIFF, with prop2po, ini2po, yaml2po or json2po, and po2xliff, of translate-toolkit"},
      {{".csv"}, "save it as tab-separated columns, in a file that ends in .tsv"},
      {{".ass", ".ssa", ".sbv", ".lrc"}, "convert it to SubRip's format, as with `ffmpeg -i FILE FILE.srt`"},
      {{".sub"}, "convert it to SubRip's format, as with pysubs2"},
      {{".tex", ".rst"}, "convert it to HTML or Markdown, as with pandoc"}};
  if (const std::string format = describe_named_format(file); !format.empty()) throw Error("it is {}", format);
  for (const Other& other : kOthers) {
    if (has_ending(file, other.endings)) throw Error("such files are not translated as documents; {}", other.remedy);
  }
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
  if (is_html_document(path, text)) return {read_html_document, false};
  if (are_subtitles(text) || has_ending(path.file, {".srt", ".vtt"})) return {read_subtitles, false};
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
      refuse_other_format(path.file);
  }
  return {read_paragraphs, false};
}

/// The bytes of a file, decompressed.
std::string decompressed(std::string compressed) {
  static constexpr size_t kMaxBytes = size_t{1} << 30;
  std::string bytes;
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
  const DocumentTask task{file, named.column ? std::to_string(*named.column) : named.part, into, named.file};
  std::string compressed = read_file(named.file == "-" ? "/dev/stdin" : named.file);
  try {
    std::string bytes = decompressed(std::move(compressed));
    std::string encoding = xml_encoding(bytes);
    if (encoding.empty() && is_html_document(named, bytes)) encoding = html_encoding(bytes);
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
