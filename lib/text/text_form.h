#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/found_lines.h"

namespace transformer {

/// Notices from a text's lines that they are not plain sentences: another program has split them into subwords ("▁" of
/// SentencePiece, "@@ " of subword-nmt and fastBPE, "￭" of OpenNMT's Tokenizer), or they are columns.
class TextForm {
 public:
  /// `may_be_split`: the text is for a tokenizer that takes divided texts, so that no warning is due if it is split.
  explicit TextForm(bool may_be_split = false) : may_be_split_(may_be_split) {}

  void add(std::string_view line);

  /// What to say of the text that messages call `text` if most of its lines, blank ones not counted, are split;
  /// `consequence` says what is done with it, such as "scored as it is". Empty for other text.
  std::string split_warning(const std::string& text, const std::string& consequence) const;
  /// Likewise if most of its lines have a tab.
  std::string tab_warning(const std::string& text, const std::string& consequence) const;
  /// Logs these warnings for a text of a command's options, of which check_input_texts (base/command_files.h) has named
  /// .tsv files already.
  void warn(const std::string& text, const std::string& consequence) const;

 private:
  static constexpr size_t kNumMarks = 4;

  bool may_be_split_;
  int64_t num_lines_ = 0, num_filled_ = 0;  // all lines, and those that are not blank
  std::array<FoundLines, kNumMarks> marked_;
  FoundLines tabs_;
};

}  // namespace transformer
