#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The sacreBLEU release that every figure and every output line here was compared with.
inline constexpr const char* kSacrebleuVersion = "2.6.0";

/// A translation of every sentence, by a system or as a reference. `name` is for messages: the file's path.
struct NamedText {
  std::string name;
  std::vector<std::string> lines;
};

/// What a metric counts in one sentence; the sums over sentences give a corpus' score.
using Statistics = std::vector<int64_t>;

/// A figure for translations, computed from counts.
class Metric {
 public:
  virtual ~Metric() = default;

  /// As sacreBLEU prints it: "BLEU", "chrF2++".
  virtual std::string name() const = 0;
  /// How it is computed, the last part of its signature: "case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0".
  virtual std::string settings() const = 0;

  virtual Statistics statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) = 0;
  virtual double score(const Statistics& sums) const = 0;
  /// What stands behind the score; may be empty.
  virtual std::string details(const Statistics& sums) const = 0;

  /// The score of sums that a resampling made. sacreBLEU has these in single precision, and computes on in it as far as
  /// NumPy 2 does; so do these.
  virtual double resampled_score(std::span<const float> sums) const = 0;
  /// Whether resampled scores themselves are in single precision.
  virtual bool resamples_in_single_precision() const = 0;
};

/// Statistics of each line. Throws Error where a reference has not exactly one line for each of the system's, or where
/// there are none.
std::vector<Statistics> corpus_statistics(Metric& metric, const NamedText& system,
                                          const std::vector<NamedText>& references);

/// The sums over all lines.
Statistics sum_of(const std::vector<Statistics>& lines);

}  // namespace transformer
