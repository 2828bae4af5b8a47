#include "text/text_form.h"

#include <fmt/core.h>

#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/words.h"

namespace transformer {
namespace {

/// What a program writes where it splits a word, and the command that joins the pieces again.
struct Mark {
  std::string_view text;
  const char* remedy;
};

/// The first one that most lines have is named. A list as Python prints it also has the mark of SentencePiece.
constexpr std::array<Mark, 4> kMarks = {
    {{"['\u2581", R"(`sed -E "s/^\[['\"]//; s/['\"]\]$//; s/['\"], ['\"]//g; s/▁/ /g; s/^ //"`)"},
     {"\u2581", "`sed 's/ //g; s/\u2581/ /g; s/^ //'`, or `spm_decode --model=MODEL --input_format=piece`"},
     {"@@ ", "`sed 's/@@ //g; s/@@$//'`"},
     {"\uFFED", "`sed 's/ \uFFED//g; s/\uFFED //g'`"}}};

}  // namespace

void TextForm::add(std::string_view line) {
  static_assert(kMarks.size() == kNumMarks);
  ++num_lines_;
  if (line.find('\t') != std::string_view::npos) tabs_.add(num_lines_);
  if (is_blank(line)) return;
  ++num_filled_;
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (line.find(kMarks[i].text) != std::string_view::npos) marked_[i].add(num_lines_);
  }
}

std::string TextForm::split_warning(const std::string& text, const std::string& consequence) const {
  for (size_t i = 0; !may_be_split_ && i < kMarks.size(); ++i) {
    if (2 * marked_[i].count <= num_filled_) continue;
    return fmt::format(
        "{}:{}: has '{}', as {} of {} have, so the text seems to be split into subwords already; {}, though the "
        "program splits text by itself: join the pieces first, with {}",
        text, marked_[i].first, kMarks[i].text, with_thousands(marked_[i].count), counted(num_lines_, "line"),
        consequence, kMarks[i].remedy);
  }
  return "";
}

std::string TextForm::tab_warning(const std::string& text, const std::string& consequence) const {
  if (2 * tabs_.count <= num_lines_) return "";
  return fmt::format(
      "{}:{}: most lines contain a tab ({} of {}); {}: if they are columns, give the file a name that ends in .tsv and "
      "name the column, as in corpus.tsv#1",
      text, tabs_.first, with_thousands(tabs_.count), with_thousands(num_lines_), consequence);
}

void TextForm::warn(const std::string& text, const std::string& consequence) const {
  const std::string split = split_warning(text, consequence), tab = tab_warning(text, consequence);
  if (!split.empty()) log_warning("{}", split);
  if (!tab.empty() && !is_tsv_name(text)) log_warning("{}", tab);
}

}  // namespace transformer
