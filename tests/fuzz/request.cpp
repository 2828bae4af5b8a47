#include "base/error.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "serving/call.h"

namespace transformer {

/// The body of a request to the server, in each form that it may have.
void fuzz(std::string_view input) {
  for (const char* type : {"application/json", "application/x-www-form-urlencoded"}) {
    try {
      for (const std::string& text : read_libretranslate_call(input, type).texts) {
        require(is_valid_utf8(text));
        for (const std::string& line : lines_of_text(text)) require(line.find('\n') == std::string::npos);
      }
    } catch (const Error&) {
    }
  }
  try {
    for (const std::string& text : read_sentences_call(input).texts) require(is_valid_utf8(text));
  } catch (const Error&) {
  }
  for (const RequestedText& text : read_translate_call(input).texts) require(is_valid_utf8(text.text));
}

}  // namespace transformer
