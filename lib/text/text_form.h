#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/found_lines.h"

namespace transformer {

/// Notices from a text's lines that they are not plain sentences: another program has split them into subwords ("▁" of
/// SentencePiece, "@@ " of subword-nmt and fastBPE, " ##" of WordPiece, "￭" of OpenNMT's Tokenizer), they are columns,
/// or carriage returns alone end them.
class TextForm {
 public:
  /// `may_be_split`: the text is for a tokenizer that takes divided texts, so that no warning is due if it is split.
  explicit TextForm(bool may_be_split = false) : may_be_split_(may_be_split) {}

  void add(std::string_view line);

  /// What to say of the text that messages call `text`, where it is so for most of its lines; `consequence` says what
  /// is done with it, such as "it is scored as it is".
  std::vector<std::string> warnings(const std::string& text, const std::string& consequence) const;
  /// The one of these about subwords; empty if there is none.
  std::string split_warning(const std::string& text, const std::string& consequence) const;
  /// Logs these warnings for a text of a command's options, of which check_input_texts (base/command_files.h) has named
  /// .tsv files already.
  void warn(const std::string& text, const std::string& consequence) const;

 private:
  static constexpr size_t kNumMarks = 5, kNumSeparators = 2;

  std::string column_warning(size_t separator, const std::string& text, const std::string& consequence) const;
  std::string carriage_return_warning(const std::string& text, const std::string& consequence) const;

  bool may_be_split_;
  int64_t num_lines_ = 0, num_filled_ = 0;  // all lines, and those that are not blank
  std::array<FoundLines, kNumMarks> marked_;
  std::array<FoundLines, kNumSeparators> separated_;
  FoundLines with_carriage_returns_;  // several ones inside of the line
  int64_t num_carriage_returns_ = 0;  // in these lines
};

}  // namespace transformer
