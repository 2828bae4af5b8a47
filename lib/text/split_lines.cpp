#include "text/split_lines.h"

#include <fmt/core.h>

#include "base/format.h"
#include "base/log.h"

namespace transformer {
namespace {

/// What a program writes where it splits a word, and the command that joins the pieces again.
struct Mark {
  std::string_view text;
  const char* remedy;
};

constexpr std::array<Mark, 3> kMarks = {
    {{"\u2581", "`sed 's/ //g; s/\u2581/ /g; s/^ //'`, or `spm_decode --model=MODEL --input_format=piece`"},
     {"@@ ", "`sed 's/@@ //g; s/@@$//'`"},
     {"\uFFED", "`sed 's/ \uFFED//g; s/\uFFED //g'`"}}};

}  // namespace

void SplitLines::add(std::string_view line) {
  static_assert(kMarks.size() == kNumMarks);
  ++num_lines_;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ++num_filled_;
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (line.find(kMarks[i].text) != std::string_view::npos) marked_[i].add(num_lines_);
  }
}

std::string SplitLines::warning(const std::string& text, const std::string& consequence) const {
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (2 * marked_[i].count <= num_filled_) continue;
    return fmt::format(
        "{}:{}: has '{}', as {} of {} have, so the text seems to be split into subwords already; {}, though the "
        "program splits text by itself: join the pieces first, with {}",
        text, marked_[i].first, kMarks[i].text, with_thousands(marked_[i].count), counted(num_lines_, "line"),
        consequence, kMarks[i].remedy);
  }
  return "";
}

void SplitLines::warn(const std::string& text, const std::string& consequence) const {
  const std::string message = warning(text, consequence);
  if (!message.empty()) log_warning("{}", message);
}

}  // namespace transformer
