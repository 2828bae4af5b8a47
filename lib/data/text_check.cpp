#include "data/text_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/found_lines.h"
#include "base/line_reader.h"
#include "base/parse_number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "text/aligned_lines.h"
#include "text/clean_line.h"
#include "text/text_form.h"

namespace transformer {
namespace {

/// A file, and what was noticed while it was read.
class FileCheck {
 public:
  explicit FileCheck(const std::string& path) : path_(path), reader_(path) {}

  bool next(std::string& line) {
    if (!reader_.next(line)) return false;
    if (!is_valid_utf8(line)) invalid_.add(reader_.line_number());
    if (line.find('\0') != std::string::npos) nul_.add(reader_.line_number());
    form_.add(line);
    if (parse_number<double>(without_carriage_return(line))) ++num_numbers_;
    if (reader_.line_number() == 1) num_columns_ = reader_.num_columns();
    if (reader_.num_columns() != num_columns_) other_columns_.add(reader_.line_number());
    return true;
  }

  const std::string& path() const { return path_; }
  int64_t num_lines() const { return reader_.line_number(); }

  /// Throws Error if the file is probably UTF-16, which has a NUL in each ASCII character and in each line end.
  void check_is_not_utf16() const {
    if (kTolerated * nul_.count <= num_lines()) return;
    throw Error(
        "{}:{}: has a NUL byte, {} in {}; if the text is UTF-16, convert it with `iconv -f UTF-16 -t "
        "UTF-8`, otherwise remove these bytes, for example with `tr -d '\\0'`",
        path_, nul_.first, first_of_such_lines(nul_.count), counted(num_lines(), "line"));
  }

  /// Appends warnings; throws Error if the file cannot be used.
  void report(std::vector<std::string>& warnings) const {
    report_invalid(warnings);
    for (const std::string& warning : {form_.split_warning(path_, "these marks would be learned as text"),
                                       form_.tab_warning(path_, "they would be learned as text")}) {
      if (!warning.empty()) warnings.push_back(warning);
    }
  }

  /// Warns if most lines are numbers, and those of the other side are not.
  void report_numbers(const FileCheck& other, std::vector<std::string>& warnings) const {
    if (2 * num_numbers_ <= num_lines() || 2 * other.num_numbers_ > other.num_lines()) return;
    warnings.push_back(
        fmt::format("{}: {} of {} are numbers, as in a column of scores, and those of {} are not; give the column that "
                    "has the sentences",
                    path_, with_thousands(num_numbers_), counted(num_lines(), "line"), other.path_));
  }

  /// Warns about lines of a .tsv file that have another number of columns than the first one.
  void report_columns(std::vector<std::string>& warnings) const {
    if (other_columns_.count == 0) return;
    warnings.push_back(
        fmt::format("{}:{}: has another number of columns than line 1, {}; a tab inside a sentence moves the columns "
                    "behind it, so that the sides do not belong together",
                    TextPath(path_).file, other_columns_.first, first_of_such_lines(other_columns_.count)));
  }

 private:
  static constexpr int64_t kTolerated = 100;  // one in so many lines

  void report_invalid(std::vector<std::string>& warnings) const {
    if (invalid_.count == 0) return;
    if (kTolerated * invalid_.count > num_lines()) {
      throw Error("{} in {}; convert the file, for example with `iconv -f WINDOWS-1252 -t UTF-8`, or correct the lines",
                  describe_invalid_lines(path_, invalid_), counted(num_lines(), "line"));
    }
    warnings.push_back(describe_invalid_lines(path_, invalid_) + "; the invalid bytes are replaced by U+FFFD");
  }

  std::string path_;
  LineReader reader_;
  FoundLines invalid_, nul_, other_columns_;
  TextForm form_;
  int64_t num_numbers_ = 0;  // lines that are a number and nothing else
  int64_t num_columns_ = 1;  // of the first line
};

void report_identical(const FoundLines& identical, const FileCheck& source, const FileCheck& target,
                      std::vector<std::string>& warnings) {
  static constexpr int64_t kTolerated = 20;  // one in so many lines
  if (kTolerated * identical.count <= source.num_lines()) return;
  warnings.push_back(fmt::format(
      "{}:{}: the same line as in {}; {} of {} pairs have identical sides, and untranslated pairs teach the model to "
      "copy",
      source.path(), identical.first, target.path(), with_thousands(identical.count),
      with_thousands(source.num_lines())));
}

/// The words of the first lines of a file.
std::vector<std::string> first_words(const std::string& path, size_t limit) {
  std::vector<std::string> words;
  LineReader reader(path);
  for (std::string line; words.size() < limit && reader.next(line);) {
    for (std::string& word : split_words(line)) words.push_back(std::move(word));
  }
  return words;
}

/// The words of the first lines of a file, each once.
std::unordered_set<std::string> vocabulary_of(const std::string& path) {
  static constexpr size_t kMaxWords = 200000;
  const auto words = first_words(path, kMaxWords);
  return {words.begin(), words.end()};
}

void check_files(const std::string& source_path, const std::string& target_path, TextCheck& check) {
  FileCheck source(source_path), target(target_path);
  FoundLines identical;
  std::string source_line, target_line;
  while (true) {
    const bool has_source = source.next(source_line), has_target = target.next(target_line);
    if (!has_source && !has_target) break;
    if (is_copy(source_line, target_line)) identical.add(source.num_lines());
  }
  // First, because UTF-16 may also have another number of lines and much that is not UTF-8.
  source.check_is_not_utf16();
  target.check_is_not_utf16();
  check_are_parallel(source_path, source.num_lines(), target_path, target.num_lines());
  source.report(check.warnings);
  target.report(check.warnings);
  source.report_numbers(target, check.warnings);
  target.report_numbers(source, check.warnings);
  source.report_columns(check.warnings);
  if (TextPath(target_path).file != TextPath(source_path).file) target.report_columns(check.warnings);
  report_identical(identical, source, target, check.warnings);
  check.num_pairs += source.num_lines();
}

}  // namespace

TextCheck check_text(const std::vector<ParallelFiles>& text) {
  TextCheck check;
  for (const auto& [source, target] : text) check_files(source, target, check);
  if (check.num_pairs == 0) {
    throw Error("{}: the corpus is empty; give text with at least one line", text.front().source);
  }
  return check;
}

std::vector<std::string> warnings_of_swapped_sides(const std::vector<ParallelFiles>& text,
                                                   const std::vector<TrainingCorpus>& training_text) {
  const auto has_tag = [](const TrainingCorpus& corpus) { return !corpus.tag.value_or("").empty(); };
  if (std::all_of(training_text.begin(), training_text.end(), has_tag)) return {};
  std::vector<std::string> warnings;
  static constexpr size_t kCompared = 5000, kFewest = 50;  // words
  const std::string &training_source = training_text.front().source, &training_target = training_text.front().target;
  std::optional<std::unordered_set<std::string>> known_source, known_target;  // read once a text is compared
  const auto occur_rather_in = [](const auto& here, const auto& there, const std::vector<std::string>& words) {
    int64_t here_only = 0, there_only = 0;
    for (const std::string& word : words) {
      here_only += here.contains(word) && !there.contains(word) ? 1 : 0;
      there_only += there.contains(word) && !here.contains(word) ? 1 : 0;
    }
    return here_only > there_only;
  };
  for (const ParallelFiles& files : text) {
    if (files.source == training_source && files.target == training_target) continue;
    const auto source = first_words(files.source, kCompared), target = first_words(files.target, kCompared);
    if (std::min(source.size(), target.size()) < kFewest) continue;
    if (!known_source) {
      known_source = vocabulary_of(training_source);
      known_target = vocabulary_of(training_target);
    }
    if (!occur_rather_in(*known_target, *known_source, source) ||
        !occur_rather_in(*known_source, *known_target, target)) {
      continue;
    }
    warnings.push_back(fmt::format(
        "{}, {} and {}, {}: the sides seem to be swapped in one of the two: the words of {} are those of {}, and those "
        "of {} of {}; exchange source and target where the first pair shows them the wrong way round",
        training_source, training_target, files.source, files.target, files.source, training_target, files.target,
        training_source));
  }
  return warnings;
}

}  // namespace transformer
