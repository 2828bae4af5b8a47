#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "inference/part_options.h"
#include "inference/request_options.h"

namespace transformer {

/// A request to `/v1/translate`.
struct TranslateCall {
  std::string model;  // empty: the only one, or the first
  std::vector<RequestedText> texts;
  RequestOptions options;
  bool stream = false;  // whether each text is answered as soon as it is translated
};

/// Reads a body in JSON. Throws Error if it is not JSON or a value has another type, and ParameterError if it has a key
/// that there is not, or an option's value cannot be used.
TranslateCall read_translate_call(std::string_view body);

/// A request to `/v1/sentences`.
struct SentencesCall {
  std::string model;  // as in TranslateCall
  std::vector<std::string> texts;
  PartOptions parts;
};

/// Reads a body in JSON. Throws as read_translate_call does.
SentencesCall read_sentences_call(std::string_view body);

/// A request to LibreTranslate's `/translate`.
struct LibreTranslateCall {
  std::vector<std::string> texts;  // each of any number of lines
  bool is_list = false;            // whether `q` was a list, so that the answer is one as well
  std::string source, target;      // codes of languages; the source may be "auto"
  bool is_html = false;            // the texts have HTML's tags, which stay, and character references
  int64_t num_alternatives = 0;    // besides the best translation
  std::string api_key;
};

/// Adds a field of a form to the object as a string, or, if the object has it already, as one of a list. Throws Error
/// if it is not UTF-8.
void add_form_field(Json& object, const std::string& name, const std::string& value);

/// Reads a body in JSON, or, if the content type says so, a form as web pages send it. Throws as read_translate_call
/// does.
LibreTranslateCall read_libretranslate_call(std::string_view body, std::string_view content_type);

/// The lines of a text, of which an empty one has one. They end at '\n' only: the '\r' of "\r\n" is part of the line.
std::vector<std::string> lines_of_text(const std::string& text);

}  // namespace transformer
