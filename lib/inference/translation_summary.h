#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/found_lines.h"
#include "inference/encode_line.h"
#include "inference/part_translator.h"
#include "text/text_form.h"
#include "text/untagged_lines.h"

namespace transformer {

/// What is known of all lines of a translated text.
struct TranslationSummary {
  /// `tags` are those that the model expects (data.train.tag).
  explicit TranslationSummary(const std::vector<std::string>& tags) : untagged(tags) {}

  /// `number` is the line's, for messages.
  void add(int64_t number, const JoinedLine& joined);
  /// Warns about what the user of `input` should know, and logs the speed.
  void log(const std::string& input, double seconds) const;

  int64_t num_lines = 0, num_output_tokens = 0;
  FoundLines truncated, invalid, with_nul, at_limit, empty, around_placeholders, without_placeholders;
  TextForm form;
  UntaggedLines untagged;
  UnknownPieces unknown;
};

}  // namespace transformer
