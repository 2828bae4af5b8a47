#include "evaluation/metric.h"

#include <algorithm>

#include "base/error.h"
#include "evaluation/characters.h"
#include "text/aligned_lines.h"

namespace transformer {
namespace {

void check_line_counts(const NamedText& system, const std::vector<NamedText>& references) {
  if (references.empty()) throw Error("a score needs at least one reference; none was given");
  for (const NamedText& reference : references) {
    if (reference.lines.empty()) {
      throw Error("{}: has no lines; give a reference with one line for each sentence", reference.name);
    }
    check_are_parallel(system, reference);
  }
}

}  // namespace

void check_are_parallel(const NamedText& one, const NamedText& other) {
  check_are_parallel(one.name, std::ssize(one.lines), other.name, std::ssize(other.lines));
  for (size_t i = 0; i < std::min(one.segments.size(), other.segments.size()); ++i) {
    check_is_same_segment(static_cast<int64_t>(i) + 1, {one.name, one.segments[i]}, {other.name, other.segments[i]});
  }
}

std::vector<Statistics> corpus_statistics(Metric& metric, const NamedText& system,
                                          const std::vector<NamedText>& references) {
  check_line_counts(system, references);
  std::vector<Statistics> statistics;
  statistics.reserve(system.lines.size());
  std::vector<std::string_view> its_references(references.size());
  for (size_t line = 0; line < system.lines.size(); ++line) {
    for (size_t i = 0; i < references.size(); ++i) {
      its_references[i] = strip_trailing_whitespace(references[i].lines[line]);
    }
    statistics.push_back(metric.statistics(strip_trailing_whitespace(system.lines[line]), its_references));
  }
  return statistics;
}

Statistics sum_of(const std::vector<Statistics>& lines) {
  Statistics sums(lines.at(0).size());
  for (const Statistics& line : lines) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += line[i];
  }
  return sums;
}

double corpus_score(Metric&& metric, const NamedText& system, const std::vector<NamedText>& references) {
  return metric.score(sum_of(corpus_statistics(metric, system, references)));
}

}  // namespace transformer
