#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/found_lines.h"

namespace transformer {

/// Counts the lines of a text that another program has split into subwords already: "▁" of SentencePiece, "@@ " of
/// subword-nmt and fastBPE, "￭" of OpenNMT's Tokenizer.
class SplitLines {
 public:
  void add(std::string_view line);

  /// What to say of the text that messages call `text` if most of its lines, blank ones not counted, are split;
  /// `consequence` says what is done with it, such as "scored as it is". Empty for other text.
  std::string warning(const std::string& text, const std::string& consequence) const;
  /// Logs this warning, if there is one.
  void warn(const std::string& text, const std::string& consequence) const;

 private:
  static constexpr size_t kNumMarks = 3;

  int64_t num_lines_ = 0, num_filled_ = 0;  // all lines, and those that are not blank
  std::array<FoundLines, kNumMarks> marked_;
};

}  // namespace transformer
