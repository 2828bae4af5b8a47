#include "data/text_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/found_lines.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/parse_number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "text/aligned_lines.h"
#include "text/clean_line.h"
#include "text/text_form.h"
#include "text/untagged_lines.h"

namespace transformer {
namespace {

/// Whether the line is a number and nothing else: "0.95", "0,95", "95 %".
bool is_number(const std::string& line) {
  std::string number(trimmed(line));
  if (number.ends_with('%')) number = trimmed(std::string_view(number).substr(0, number.size() - 1));
  std::erase(number, ',');
  return parse_number<double>(number).has_value();
}

/// A file, and what was noticed while it was read.
class FileCheck {
 public:
  explicit FileCheck(const std::string& path) : path_(path), reader_(path) {}

  bool next(std::string& line) {
    if (!reader_.next(line)) return false;
    if (!is_valid_utf8(line)) invalid_.add(reader_.line_number());
    if (line.find('\0') != std::string::npos) nul_.add(reader_.line_number());
    form_.add(line);
    if (is_number(line)) ++num_numbers_;
    if (reader_.line_number() == 1) num_columns_ = reader_.num_columns();
    if (reader_.num_columns() != num_columns_) other_columns_.add(reader_.line_number());
    return true;
  }

  const std::string& path() const { return path_; }
  SegmentOfText segment() const { return {path_, reader_.segment_name()}; }
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
  void report(TextUse use, std::vector<std::string>& warnings) const {
    report_invalid(warnings);
    const bool is_learned = use == TextUse::training;
    const auto of_form =
        form_.warnings(path_, is_learned ? "it would be learned as it is" : "it would be used as it is");
    warnings.insert(warnings.end(), of_form.begin(), of_form.end());
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

void report_identical(const FoundLines& identical, const FileCheck& source, const FileCheck& target, TextUse use,
                      std::vector<std::string>& warnings) {
  static constexpr int64_t kTolerated = 20;  // one in so many lines
  if (kTolerated * identical.count <= source.num_lines()) return;
  warnings.push_back(fmt::format(
      "{}:{}: the same line as in {}; {} of {} pairs have identical sides, and untranslated pairs {}", source.path(),
      identical.first, target.path(), with_thousands(identical.count), with_thousands(source.num_lines()),
      use == TextUse::training ? "teach the model to copy" : "make the scores of translations say less"));
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

void check_files(const std::string& source_path, const std::string& target_path, TextUse use, int64_t max_lines,
                 TextCheck& check) {
  FileCheck source(source_path), target(target_path);
  FoundLines identical;
  std::string source_line, target_line;
  while (std::max(source.num_lines(), target.num_lines()) < max_lines) {
    const bool has_source = source.next(source_line), has_target = target.next(target_line);
    if (!has_source && !has_target) break;
    if (has_source && has_target) check_is_same_segment(source.num_lines(), source.segment(), target.segment());
    if (is_copy(source_line, target_line)) identical.add(source.num_lines());
  }
  // First, because UTF-16 may also have another number of lines and much that is not UTF-8.
  source.check_is_not_utf16();
  target.check_is_not_utf16();
  check_are_parallel(source_path, source.num_lines(), target_path, target.num_lines());
  source.report(use, check.warnings);
  target.report(use, check.warnings);
  source.report_numbers(target, check.warnings);
  target.report_numbers(source, check.warnings);
  source.report_columns(check.warnings);
  if (TextPath(target_path).file != TextPath(source_path).file) target.report_columns(check.warnings);
  report_identical(identical, source, target, use, check.warnings);
  check.num_pairs += source.num_lines();
}

/// The words that begin the lines of a source text, if all of its first ones begin with a mark of their kind, such as
/// ">>de<<", "<2de>" or "__de__", by which a model chooses what it writes.
std::set<std::string> tags_in(const std::string& path) {
  static constexpr int64_t kRead = 1000;  // lines
  static constexpr size_t kShortest = 3;
  std::set<std::string> tags;
  LineReader reader(path);
  for (std::string line; reader.line_number() < kRead && reader.next(line);) {
    if (is_blank(line)) continue;
    std::string word(trimmed(line).substr(0, trimmed(line).find_first_of(kBlanks)));
    if (word.size() < kShortest || is_alphanumeric(word.front()) || is_alphanumeric(word.back())) return {};
    tags.insert(std::move(word));
  }
  return tags;
}

/// The sides of two texts, compared by the words of their first lines.
class Sides {
 public:
  explicit Sides(const ParallelFiles& files)
      : known_source_(vocabulary_of(files.source)), known_target_(vocabulary_of(files.target)) {}

  /// Whether more of the source's words occur only in this target than only in this source, and the other way round.
  bool are_swapped_in(const ParallelFiles& files) const {
    static constexpr size_t kCompared = 5000, kFewest = 50;  // words
    const auto source = first_words(files.source, kCompared), target = first_words(files.target, kCompared);
    return std::min(source.size(), target.size()) >= kFewest && occur_rather_in(known_target_, known_source_, source) &&
           occur_rather_in(known_source_, known_target_, target);
  }

 private:
  using Words = std::unordered_set<std::string>;

  static bool occur_rather_in(const Words& here, const Words& there, const std::vector<std::string>& words) {
    int64_t here_only = 0, there_only = 0;
    for (const std::string& word : words) {
      here_only += here.contains(word) && !there.contains(word) ? 1 : 0;
      there_only += there.contains(word) && !here.contains(word) ? 1 : 0;
    }
    return here_only > there_only;
  }

  Words known_source_, known_target_;
};

bool has_tag(const TrainingCorpus& corpus) { return !corpus.tag.value_or("").empty(); }

/// The tags of a training text, by the config or in the text.
std::set<std::string> tags_of(const TrainingCorpus& corpus) {
  return has_tag(corpus) ? std::set{*corpus.tag} : tags_in(corpus.source);
}

bool are_same(const ParallelFiles& one, const ParallelFiles& other) {
  return one.source == other.source && one.target == other.target;
}

/// Whether files whose sides are those of the first training text, swapped, are in another direction by intent: their
/// tags are others, or there is training text in that direction whose tags are others.
bool have_other_direction(const ParallelFiles& files, const Sides& first_sides,
                          const std::vector<TrainingCorpus>& training_text) {
  const std::set<std::string> first_tags = tags_of(training_text.front());
  const auto has_direction = [&](const TrainingCorpus& corpus) {
    return tags_of(corpus) != first_tags && (are_same(corpus, files) || first_sides.are_swapped_in(corpus));
  };
  if (std::any_of(training_text.begin() + 1, training_text.end(), has_direction)) return true;
  const std::set<std::string> tags = tags_in(files.source);
  return !tags.empty() && !first_tags.empty() && tags != first_tags;
}

/// Logs the warnings of a text. Returns the number of its pairs.
int64_t report_text(const std::vector<ParallelFiles>& text, TextUse use, int64_t max_lines,
                    const std::vector<TrainingCorpus>& training_text) {
  const TextCheck check = check_text(text, use, max_lines);
  for (const std::string& warning : check.warnings) log_warning("{}", warning);
  for (const std::string& warning : warnings_of_swapped_sides(text, training_text)) log_warning("{}", warning);
  return check.num_pairs;
}

/// Warns about validation text whose source lines lack the tags of the training text.
void warn_of_untagged_lines(const ValidationSet& set, const std::vector<TrainingCorpus>& training_text) {
  std::vector<std::string> tags;
  for (const TrainingCorpus& corpus : training_text) tags.push_back(corpus.tag.value_or(""));
  UntaggedLines untagged(tags);
  LineReader reader(set.source);
  for (std::string line; reader.next(line);) untagged.add(line);
  untagged.warn(set.source);
}

}  // namespace

TextCheck check_text(const std::vector<ParallelFiles>& text, TextUse use, int64_t max_lines) {
  TextCheck check;
  for (const auto& [source, target] : text) check_files(source, target, use, max_lines, check);
  if (check.num_pairs == 0) {
    throw Error("{}: the corpus is empty; give text with at least one line", text.front().source);
  }
  return check;
}

std::vector<int64_t> check_training_texts(const DataConfig& config, int64_t max_lines) {
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> num_pairs = {
      report_text({config.train.begin(), config.train.end()}, TextUse::training, max_lines, config.train)};
  for (const ValidationSet& set : config.valid) {
    num_pairs.push_back(report_text({set}, TextUse::evaluation, kAll, config.train));
  }
  for (const ValidationSet& set : config.valid) warn_of_untagged_lines(set, config.train);
  return num_pairs;
}

std::vector<std::string> warnings_of_swapped_sides(const std::vector<ParallelFiles>& text,
                                                   const std::vector<TrainingCorpus>& training_text) {
  if (std::all_of(training_text.begin(), training_text.end(), has_tag)) return {};
  std::vector<std::string> warnings;
  const ParallelFiles& training = training_text.front();
  std::optional<Sides> first_sides;  // read once a text is compared
  for (const ParallelFiles& files : text) {
    if (are_same(files, training)) continue;
    if (!first_sides) first_sides.emplace(training);
    if (!first_sides->are_swapped_in(files) || have_other_direction(files, *first_sides, training_text)) continue;
    warnings.push_back(fmt::format(
        "{}, {} and {}, {}: the sides seem to be swapped in one of the two: the words of {} are those of {}, and those "
        "of {} of {}; exchange source and target where the first pair shows them the wrong way round",
        training.source, training.target, files.source, files.target, files.source, training.target, files.target,
        training.source));
  }
  return warnings;
}

}  // namespace transformer
