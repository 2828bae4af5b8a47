#include "base/line_reader.h"
#include "base/utf8.h"
#include "base/words.h"
#include "fuzz.h"
#include "text/clean_line.h"

namespace transformer {

/// A text file, plain or gzip-compressed.
void fuzz(std::string_view input) {
  const InputFile file(input);
  LineReader lines(file.path());
  for (std::string line; lines.next(line);) {
    require(encode_utf8(decode_utf8(line)) == line);
    const std::string text = clean_line(line).text;
    require(replace_invalid_utf8(text) == text);
    require(text.find('\0') == std::string::npos);
    split_words(text);
  }
}

}  // namespace transformer
