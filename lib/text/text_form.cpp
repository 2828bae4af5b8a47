#include "text/text_form.h"

#include <fmt/core.h>

#include <algorithm>

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
constexpr std::array<Mark, 5> kMarks = {
    {{"['\u2581", R"(`sed -E "s/^\[['\"]//; s/['\"]\]$//; s/['\"], ['\"]//g; s/▁/ /g; s/^ //"`)"},
     {"\u2581", "`sed 's/ //g; s/\u2581/ /g; s/^ //'`, or `spm_decode --model=MODEL --input_format=piece`"},
     {"@@ ", "`sed 's/@@ //g; s/@@$//'`"},
     {" ##", "`sed 's/ ##//g'`"},
     {"\uFFED", "`sed 's/ \uFFED//g; s/\uFFED //g'`"}}};

/// What separates columns, its name, and how to give a column of such a text.
struct Separator {
  std::string_view text;
  const char *name, *remedy;
};

constexpr std::array<Separator, 2> kSeparators = {
    {{"\t", "a tab", "give the file a name that ends in .tsv"},
     {" ||| ", "' ||| '", "make a file of them that ends in .tsv, with `sed 's/ ||| /\\t/g'`,"}}};

}  // namespace

void TextForm::add(std::string_view line) {
  static_assert(kMarks.size() == kNumMarks && kSeparators.size() == kNumSeparators);
  ++num_lines_;
  for (size_t i = 0; i < kSeparators.size(); ++i) {
    if (line.find(kSeparators[i].text) != std::string_view::npos) separated_[i].add(num_lines_);
  }
  const std::string_view content = line.substr(0, line.find_last_not_of('\r') + 1);
  if (const auto count = std::count(content.begin(), content.end(), '\r'); count > 1) {
    with_carriage_returns_.add(num_lines_);
    num_carriage_returns_ += count;
  }
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

std::string TextForm::column_warning(size_t separator, const std::string& text, const std::string& consequence) const {
  const FoundLines& found = separated_[separator];
  if (2 * found.count <= num_lines_) return "";
  const auto& [mark, name, remedy] = kSeparators[separator];
  return fmt::format(
      "{}:{}: most lines contain {} ({} of {}); {}: if they are columns, {} and name the column, as in corpus.tsv#1",
      text, found.first, name, with_thousands(found.count), with_thousands(num_lines_), consequence, remedy);
}

std::string TextForm::carriage_return_warning(const std::string& text, const std::string& consequence) const {
  if (2 * num_carriage_returns_ <= num_lines_) return "";
  return fmt::format(
      "{}:{}: has carriage returns inside of the line, {} ({}); {}: if they end lines, convert the text first, with "
      "`tr '\\r' '\\n'`",
      text, with_carriage_returns_.first, first_of_such_lines(with_carriage_returns_.count),
      counted(num_carriage_returns_, "carriage return"), consequence);
}

std::vector<std::string> TextForm::warnings(const std::string& text, const std::string& consequence) const {
  std::vector<std::string> warnings = {split_warning(text, consequence), carriage_return_warning(text, consequence)};
  for (size_t i = 0; i < kNumSeparators; ++i) warnings.push_back(column_warning(i, text, consequence));
  std::erase(warnings, "");
  return warnings;
}

void TextForm::warn(const std::string& text, const std::string& consequence) const {
  const std::string known = is_tsv_name(text) ? column_warning(/*separator=*/0, text, consequence) : "";
  for (const std::string& warning : warnings(text, consequence)) {
    if (warning != known) log_warning("{}", warning);
  }
}

}  // namespace transformer
