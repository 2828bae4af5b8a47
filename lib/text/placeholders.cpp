#include "text/placeholders.h"

#include <fmt/ranges.h>
#include <unicode/regex.h>
#include <unicode/utext.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"
#include "base/parameter_error.h"

namespace transformer {
namespace {

/// What programs, web pages and messages have.
constexpr const char* kUsual[] = {
    R"((?:https?|ftp)://[^\s<>"]*[^\s<>"'.,;:!?)\]}])",  // https://example.com/a?b
    R"(www\.[\w-]+\.[^\s<>"]*[^\s<>"'.,;:!?)\]}])",      // www.example.com
    R"([\w.+-]+@[\w-]+(?:\.[\w-]+)+)",                   // name@example.com
    R"(</?[A-Za-z][^<>]*>)",                             // <b>, </b>, <br/>
    R"(\{\{[^{}]*\}\}|[$#%]?\{[^{}\s]*\})",              // {{ name }}, {name}, {0}, ${name}, {}
    R"(%\([A-Za-z_]\w*\)[-+0#]*[0-9.]*[a-zA-Z])",        // %(name)s
    R"((?<![0-9])%(?:[0-9]+\$)?[-+0#]*[0-9]*(?:\.[0-9]+)?(?:hh|h|ll|l|z|j|t|L)?[diouxXeEfgGcsp@])",  // %s, %1$d, %.2f
    R"(%[A-Z][A-Z0-9_]+%)",                                                                          // %NAME%
    R"(&(?:[A-Za-z]+|#[0-9]+|#x[0-9A-Fa-f]+);)",                                                     // &nbsp;
};

using Text = std::unique_ptr<UText, UText* (*)(UText*)>;

Text open_text(std::string_view text, UErrorCode& status) {
  return {utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status), utext_close};
}

std::unique_ptr<icu::RegexPattern> compile(const std::string& expression, UErrorCode& status) {
  UParseError place;
  return std::unique_ptr<icu::RegexPattern>(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(expression), 0, place, status));
}

/// Throws ParameterError if the regular expression matches the empty text: it would find no placeholders, or others
/// than were meant.
void check_matches_text(const icu::RegexPattern& pattern, const std::string& expression) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString nothing;
  const std::unique_ptr<icu::RegexMatcher> matcher(pattern.matcher(nothing, status));
  if (U_FAILURE(status) || matcher->matches(status) == 0) return;
  throw ParameterError("'protect_regex' \"{}\": matches the empty text; write one that matches a character at least",
                       shown_value(expression));
}

}  // namespace

struct Placeholders::Pattern {
  std::unique_ptr<icu::RegexPattern> regex;
};

Placeholders::Placeholders(bool usual, const std::vector<std::string>& expressions) {
  std::vector<std::string> alternatives;
  for (const std::string& expression : expressions) {
    UErrorCode status = U_ZERO_ERROR;
    const auto pattern = compile(expression, status);
    if (U_FAILURE(status)) {
      throw ParameterError("'protect_regex' {}: is not a regular expression ({})", expression, u_errorName(status));
    }
    check_matches_text(*pattern, expression);
    alternatives.push_back("(?:" + expression + ")");
  }
  if (usual) alternatives.insert(alternatives.end(), std::begin(kUsual), std::end(kUsual));
  UErrorCode status = U_ZERO_ERROR;
  pattern_ = std::make_unique<Pattern>(Pattern{compile(fmt::format("{}", fmt::join(alternatives, "|")), status)});
  if (U_FAILURE(status)) throw ParameterError("'protect_regex': the expressions do not go together");
}

Placeholders::~Placeholders() = default;

std::vector<TextRange> Placeholders::find(std::string_view text) const {
  UErrorCode status = U_ZERO_ERROR;
  const Text opened = open_text(text, status);
  const std::unique_ptr<icu::RegexMatcher> matcher(pattern_->regex->matcher(status));
  static constexpr int32_t kMaxSteps = 1000;  // some seconds
  if (U_SUCCESS(status)) matcher->setTimeLimit(kMaxSteps, status);
  if (U_SUCCESS(status)) matcher->reset(opened.get());
  std::vector<TextRange> found;
  while (U_SUCCESS(status) && matcher->find(status) != 0) {
    const TextRange range{static_cast<size_t>(matcher->start64(status)), static_cast<size_t>(matcher->end64(status))};
    if (range.end > range.begin) found.push_back(range);
  }
  if (U_FAILURE(status)) {
    throw Error("the regular expressions of placeholders take too long in a line of {} bytes; give simpler ones",
                text.size());
  }
  return found;
}

bool Placeholders::are_kept(std::string_view source, std::string_view translation) const {
  const auto texts = [&](std::string_view text) {
    std::vector<std::string_view> all;
    for (const auto& [begin, end] : find(text)) all.push_back(text.substr(begin, end - begin));
    std::sort(all.begin(), all.end());
    return all;
  };
  return texts(source) == texts(translation);
}

}  // namespace transformer
