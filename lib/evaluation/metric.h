#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The release of sacreBLEU whose scores and output this code reproduces.
inline constexpr const char* kSacrebleuVersion = "2.6.0";

/// A system's output or a reference, one line for each sentence. `name` is used in messages: the file's path.
struct NamedText {
  std::string name;
  std::vector<std::string> lines;
  std::vector<std::string> segments = {};  // the names of the lines of a test set (LineReader::segment_name), or none
};

/// Throws Error if the texts have different numbers of lines, or if these are different segments of test sets.
void check_are_parallel(const NamedText& one, const NamedText& other);

/// The counts of a metric for one sentence, or means of counts over references. Their sums over all sentences determine
/// the score of a corpus.
using Statistics = std::vector<double>;

/// A metric for translations that is computed from sums of counts.
class Metric {
 public:
  virtual ~Metric() = default;

  /// The name that sacreBLEU prints: "BLEU", "chrF2++".
  virtual std::string name() const = 0;
  /// The metric's part of the signature: "case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0".
  virtual std::string settings() const = 0;

  /// Of one segment, without whitespace at its end, which corpus_statistics removes, with at least one reference.
  virtual Statistics statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) = 0;
  virtual double score(const Statistics& sums) const = 0;
  /// The text that is printed after the score; may be empty.
  virtual std::string details(const Statistics& /*sums*/) const { return ""; }

  /// The score of a bootstrap sample from its sums. As in sacreBLEU, the sums are in single precision, and so are the
  /// further computations that NumPy 2 does in single precision.
  virtual double resampled_score(std::span<const float> sums) const = 0;
  /// Whether the scores of bootstrap samples are in single precision.
  virtual bool resamples_in_single_precision() const = 0;
};

/// The statistics of each line. Throws Error if a reference does not have exactly one line for each line of the system,
/// or if there are no lines.
std::vector<Statistics> corpus_statistics(Metric& metric, const NamedText& system,
                                          const std::vector<NamedText>& references);

/// The sum of the statistics over all lines.
Statistics sum_of(const std::vector<Statistics>& lines);

/// The score of a corpus. Throws Error as corpus_statistics does.
double corpus_score(Metric&& metric, const NamedText& system, const std::vector<NamedText>& references);

}  // namespace transformer
