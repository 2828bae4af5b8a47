#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/special_tokens.h"

namespace transformer {

/// A line and its translation, encoded, and what the account of a corpus needs to know of their text.
struct EncodedPair {
  int64_t line = 0;          // counted from 1 through all files
  size_t file = 0;           // the index of the pair of files
  int64_t line_of_file = 0;  // counted from 1
  std::vector<TokenId> source, target;
  std::u32string unwritable = {};  // lost_characters of the target
  uint64_t hash = 0;               // of both texts without the blanks around them
  bool is_copy = false, is_source_invalid = false, is_target_invalid = false;  // not UTF-8
  bool has_other_script = false;
};

}  // namespace transformer
