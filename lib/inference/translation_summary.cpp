#include "inference/translation_summary.h"

#include <iterator>

#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "text/clean_line.h"

namespace transformer {

void TranslationSummary::add(int64_t number, const JoinedLine& joined) {
  const TranslatedLine& line = joined.line;
  ++num_lines;
  if (joined.was_cut) around_placeholders.add(number);
  if (joined.lacks_placeholder) without_placeholders.add(number);
  num_output_tokens += std::ssize(line.best().tokens);
  if (line.was_cut) truncated.add(number);
  if (line.was_invalid) invalid.add(number);
  if (line.had_nul) with_nul.add(number);
  unknown.add(number, line.num_unknown);
  if (line.best().reached_limit) at_limit.add(number);
  if (line.lacks_translation()) empty.add(number);
}

void TranslationSummary::log(const std::string& input, double seconds) const {
  warn_of_invalid_lines(shown_path(input), invalid);
  if (with_nul.count > 0) {
    log_warning(
        "{}:{}: has a NUL byte, {}; NUL was read as a space (if the text is UTF-16, convert it with "
        "`iconv -f UTF-16 -t UTF-8`)",
        shown_path(input), with_nul.first, first_of_such_lines(with_nul.count));
  }
  form.warn(shown_path(input), "it was translated as it is");
  warn_of_unknown_pieces(shown_path(input), unknown);
  if (truncated.count > 0) {
    log_warning("{}:{}: has too many pieces, {}; only the beginning was translated", shown_path(input), truncated.first,
                first_of_such_lines(truncated.count));
  }
  untagged.warn(shown_path(input), kRemedyForUntagged);
  if (empty.count > 0) {
    log_warning("{}:{}: its translation is empty, {}, though the line is not; the model has perhaps seen no such text",
                shown_path(input), empty.first, first_of_such_lines(empty.count));
  }
  if (at_limit.count > 0) {
    log_warning(
        "{}:{}: its translation was cut at the length limit, {}; decoding.max_extra_tokens or an option raises the "
        "limit{}",
        shown_path(input), at_limit.first, first_of_such_lines(at_limit.count), remark_on_positions(max_positions));
  }
  if (around_placeholders.count > 0) {
    log_warning("{}:{}: the model did not keep a placeholder, {}; what is between placeholders was translated apart",
                shown_path(input), around_placeholders.first, first_of_such_lines(around_placeholders.count));
  }
  if (without_placeholders.count > 0) {
    log_warning("{}:{}: its translation lacks a placeholder or has another one, {}; correct it by hand",
                shown_path(input), without_placeholders.first, first_of_such_lines(without_placeholders.count));
  }
  log_info("{}, {} in {} ({} tokens/s)", counted(num_lines, "line"), counted(num_output_tokens, "token"),
           human_duration(seconds),
           with_thousands(static_cast<int64_t>(static_cast<double>(num_output_tokens) / seconds)));
}

}  // namespace transformer
