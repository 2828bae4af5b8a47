#include "text/bpe_codes.h"

#include "base/utf8.h"
#include "fuzz.h"

namespace transformer {

/// A file of BPE codes, which then divides a text, and the file itself.
void fuzz(std::string_view input) {
  const BpeCodes codes(input);
  for (const std::string& text : {std::string("the cat  sat on the mat"), std::string(input.substr(0, 1000))}) {
    if (!is_valid_utf8(text)) continue;
    for (const std::string& piece : codes.apply(text)) require(!piece.empty());
  }
}

}  // namespace transformer
