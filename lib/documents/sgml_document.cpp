#include <algorithm>
#include <cctype>

#include "base/formats/character_entities.h"
#include "base/formats/segments.h"
#include "base/parameter_error.h"
#include "base/words.h"
#include "documents/formats.h"
#include "documents/markup_tag.h"

namespace transformer {

void check_language(const std::string& into) {
  const bool is_code = std::all_of(into.begin(), into.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
  if (!is_code) throw ParameterError("'into' {}: is not the code of a language, such as de or pt-BR", into);
}

Document read_sgml_document(std::string bytes, const DocumentTask& task) {
  if (task.into.empty()) {
    throw ParameterError("'into': {} is a test set; name the language of the translations", task.file);
  }
  check_language(task.into);
  DocumentBuilder builder(std::move(bytes));
  const std::string& text = builder.bytes();
  Document document;
  size_t open = std::string::npos;  // behind the <seg> around the current position
  int64_t line = 1, segment_line = 1;
  size_t counted = 0;
  const auto throw_unfinished = [&] {
    throw FormatError(segment_line, "has a segment without an end; add </seg>, or download the file again");
  };
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const MarkupTag tag = tag_at(text, at);
    if (tag.end == 0) continue;
    line += std::count(text.begin() + static_cast<ptrdiff_t>(counted), text.begin() + static_cast<ptrdiff_t>(at), '\n');
    counted = at;
    const std::string bytes_of_tag = text.substr(at, tag.end - at);
    if (is_in(tag.name, {"srcset", "refset", "tstset"})) {
      // A set of translations has a name and a target language of its own.
      std::string set = bytes_of_tag;
      set.replace(tag.is_end ? 2 : 1, tag.name.size(), "tstset");
      if (!tag.is_end) {
        document.language = attribute_of(set, "srclang");
        set = with_attribute(set, "trglang", task.into);
      }
      builder.replace(at, tag.end, set);
    } else if (tag.name == "doc" && !tag.is_end) {
      builder.replace(at, tag.end, with_attribute(bytes_of_tag, "sysid", "transformer"));
    } else if (tag.name == "seg" && !tag.is_end) {
      if (open != std::string::npos) throw_unfinished();
      open = tag.end;
      segment_line = line;
    } else if (tag.name == "seg" && open != std::string::npos) {
      SegmentBuilder segment(segment_line);
      segment.add_text(without_entities(builder.bytes(open, at)));
      if (segment.has_text()) builder.replace(open, at, segment.finish());
      open = std::string::npos;
    }
    // In a segment, '<' may be text.
    if (open == std::string::npos || tag.name == "seg") at = tag.end - 1;
  }
  if (open != std::string::npos) throw_unfinished();
  return builder.finish(escape_xml, std::move(document));
}

}  // namespace transformer
