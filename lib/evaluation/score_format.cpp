#include "evaluation/score_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json.h"
#include "base/utf8.h"
#include "base/words.h"

namespace transformer {
namespace {

/// The shortest digits that read back as the same number, in the format of Python's json.dumps: always with a decimal
/// point or an exponent, with an exponent below 0.0001. The value must not be negative.
std::string python_number(double value) {
  const auto layout = value == 0 || value >= 1e-4 ? std::chars_format::fixed : std::chars_format::scientific;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, layout).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string python_number(const std::string& digits) { return python_number(std::stod(digits)); }

std::string format_confidence(const Confidence& confidence, int width) {
  return fmt::format("μ = {:.{}f} ± {:.{}f}", confidence.mean, width, confidence.half_width, width);
}

/// sacreBLEU shows no confidence interval if all scores are 0.
bool shows_confidence(const Score& score) { return score.confidence && score.confidence->mean > 0; }

std::string name_and_signature(const Score& score) {
  return fmt::format("{}{}{}", score.name, score.signature.empty() ? "" : "|", score.signature);
}

/// Members of a JSON object: keys, and values that are JSON texts already.
using Members = std::vector<std::pair<std::string, std::string>>;

std::string quoted(const std::string& text) { return json_text(Json(text)); }

/// The object in the layout of Python's json.dumps, nested `depth` levels deep. nlohmann::json is not used here because
/// it writes a few numbers with more digits than Python.
std::string object_text(const Members& members, size_t indent, size_t depth) {
  const std::string margin(indent * depth, ' ');
  std::string lines;
  for (const auto& [key, value] : members) {
    lines += fmt::format("{}\n{}{}: {}", lines.empty() ? "" : ",", std::string(indent * (depth + 1), ' '), quoted(key),
                         value);
  }
  return fmt::format("{{{}\n{}}}", lines, margin);
}

std::string object_text(const Score& score, int width) {
  Members members = {{"name", quoted(score.name)},
                     {"score", python_number(fmt::format("{:.{}f}", score.value, width))},
                     {"signature", quoted(score.signature)}};
  if (shows_confidence(score)) {
    members.emplace_back("confidence_mean", python_number(fmt::format("{:.{}f}", score.confidence->mean, width)));
    members.emplace_back("confidence_var", python_number(fmt::format("{:.{}f}", score.confidence->half_width, width)));
    members.emplace_back("confidence", quoted(format_confidence(*score.confidence, width)));
  }
  if (!score.details.empty()) members.emplace_back("verbose_score", quoted(score.details));
  // Each "key:value" of the signature is a member of its own.
  for (const std::string& setting : split(score.signature, '|')) {
    const size_t colon = setting.find(':');
    members.emplace_back(setting.substr(0, colon), quoted(setting.substr(colon + 1)));
  }
  return object_text(members, /*indent=*/1, /*depth=*/0);
}

using Cell = std::vector<std::string>;  // lines

/// Aligns the text to the right, or else centers it; an odd space goes to its right.
std::string padded(const std::string& text, size_t width, bool flush_right) {
  const size_t missing = width - num_characters(text), left = flush_right ? missing : missing / 2;
  return std::string(left, ' ') + text + std::string(missing - left, ' ');
}

std::string repeated(const std::string& text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

/// A table with lines around its cells. The first row is the heading, and the first column is aligned to the right.
std::string grid(const std::vector<std::vector<Cell>>& rows) {
  static constexpr size_t kHeadingMargin = 2;
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t column = 0; column < row.size(); ++column) {
      const size_t margin = &row == &rows[0] ? kHeadingMargin : 0;
      for (const auto& line : row[column]) widths[column] = std::max(widths[column], num_characters(line) + margin);
    }
  }
  const auto rule = [&](const std::string& left, const std::string& line, const std::string& cross,
                        const std::string& right) {
    std::string out = left;
    for (size_t column = 0; column < widths.size(); ++column) {
      out += fmt::format("{}{}", column > 0 ? cross : "", repeated(line, widths[column] + 2));
    }
    return out + right + "\n";
  };
  std::string out = rule("╒", "═", "╤", "╕");
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) out += i == 1 ? rule("╞", "═", "╪", "╡") : rule("├", "─", "┼", "┤");
    size_t height = 0;
    for (const Cell& cell : rows[i]) height = std::max(height, cell.size());
    for (size_t line = 0; line < height; ++line) {
      for (size_t column = 0; column < widths.size(); ++column) {
        const Cell& cell = rows[i][column];
        out += fmt::format("│ {} ", padded(line < cell.size() ? cell[line] : "", widths[column], column == 0));
      }
      out += "│\n";
    }
  }
  return out + rule("╘", "═", "╧", "╛");
}

Cell cell_of(const ComparedScore& score, int width) {
  std::string value = fmt::format("{:.{}f}", score.value, width);
  if (score.confidence) {
    value += fmt::format(" ({:.{}f} ± {:.{}f})", score.confidence->mean, width, score.confidence->half_width, width);
  }
  if (!score.p_value) return {value};
  static constexpr double kSignificant = 0.05;
  return {value, fmt::format("(p = {:.4f}){}", *score.p_value, *score.p_value > kSignificant ? "" : "*")};
}

std::string explanation(const std::string& baseline, const Resampling& resampling) {
  const std::string title =
      fmt::format("Paired bootstrap resampling test with {} resampling trials", resampling.num_samples);
  const std::string rule(title.size(), '-');
  return fmt::format(R"({0}
{1}
{0}
 - Each system is pairwise compared to {2}.
   Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric.

 - Null hypothesis: the system and the baseline translations are essentially
   generated by the same underlying process. For a given system and the baseline,
   the p-value is roughly the probability of the absolute score difference (delta)
   or higher occurring due to chance, under the assumption that the null hypothesis is correct.

 - Assuming a significance threshold of 0.05, the null hypothesis can be rejected
   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed
   to chance, hence the system is significantly "different" than the baseline.
   Otherwise, the p-values are highlighted in red.

 - NOTE: Significance does not tell whether a system is "better" than the baseline but rather
   emphasizes the "difference" of the systems in terms of the replicability of the delta.

)",
                     rule, title, baseline);
}

constexpr size_t kTableIndent = 4;

std::string value_text(const ComparedScore& score, int width) {
  if (!score.confidence) return quoted(fmt::format("{:.{}f}", score.value, width));
  return object_text({{"score", python_number(score.value)},
                      {"p_value", score.p_value ? python_number(*score.p_value) : "null"},
                      {"mean", python_number(score.confidence->mean)},
                      {"ci", python_number(score.confidence->half_width)}},
                     kTableIndent, /*depth=*/2);
}

std::vector<std::string> names_of_systems(const SystemsTable& table) {
  std::vector<std::string> names = table.systems;
  if (table.paired) names[0] = "Baseline: " + names[0];
  return names;
}

}  // namespace

std::string format_value(const Score& score, int width) {
  const std::string value = fmt::format("{:.{}f}", score.value, width);
  return shows_confidence(score) ? fmt::format("{} ({})", value, format_confidence(*score.confidence, width)) : value;
}

std::string format_text(const std::vector<Score>& scores, int width) {
  size_t longest = 0;
  for (const Score& score : scores) longest = std::max(longest, name_and_signature(score).size());
  std::string text;
  for (const Score& score : scores) {
    const std::string name = name_and_signature(score);
    text += fmt::format("{}{}{} = {}{}{}", text.empty() ? "" : "\n", std::string(longest - name.size(), ' '), name,
                        format_value(score, width), score.details.empty() ? "" : " ", score.details);
  }
  return text;
}

std::string format_json(const std::vector<Score>& scores, int width) {
  if (scores.size() == 1) return object_text(scores[0], width);
  std::string objects;
  for (const Score& score : scores) objects += (objects.empty() ? "" : ",\n") + object_text(score, width);
  return fmt::format("[\n{}\n]", objects);
}

std::string format_text(const SystemsTable& table, int width) {
  std::vector<std::vector<Cell>> rows = {{{"System"}}};
  const auto names = names_of_systems(table);
  for (const std::string& name : names) rows.push_back({{name}});
  std::string signatures;
  for (const Comparison& comparison : table.comparisons) {
    rows[0].push_back({comparison.metric + (table.paired ? " (μ ± 95% CI)" : "")});
    for (size_t i = 0; i < names.size(); ++i) rows[i + 1].push_back(cell_of(comparison.scores[i], width));
    static constexpr size_t kNameWidth = 10;
    const size_t missing = kNameWidth - std::min(kNameWidth, comparison.metric.size());
    signatures += fmt::format("\n - {}{} {}", comparison.metric, std::string(missing, ' '), comparison.signature);
  }
  return fmt::format("{}\n{}-----------------\nMetric signatures\n-----------------{}", grid(rows),
                     table.paired ? explanation(names[0], *table.paired) : "", signatures);
}

std::string format_json(const SystemsTable& table, int width) {
  std::string objects;
  const auto names = names_of_systems(table);
  for (size_t i = 0; i < names.size(); ++i) {
    Members members = {{"system", quoted(names[i])}};
    for (const Comparison& comparison : table.comparisons) {
      members.emplace_back(comparison.metric, value_text(comparison.scores[i], width));
    }
    objects += fmt::format("{}{}{}", objects.empty() ? "" : ",\n", std::string(kTableIndent, ' '),
                           object_text(members, kTableIndent, /*depth=*/1));
  }
  return fmt::format("[\n{}\n]", objects);
}

}  // namespace transformer
