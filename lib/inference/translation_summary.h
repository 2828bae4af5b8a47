#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/found_lines.h"
#include "inference/encode_line.h"
#include "inference/loaded_model.h"
#include "inference/part_translator.h"
#include "text/text_form.h"
#include "text/untagged_lines.h"

namespace transformer {

/// What is known of all lines of a translated text.
struct TranslationSummary {
  /// `tag`: the one that is put before lines without one, if any.
  TranslationSummary(const LoadedEnsemble& models, const std::optional<std::string>& tag)
      : max_positions(models.config.model.max_positions),
        form(models.tokenizers.source().takes_divided_texts()),
        untagged(models.config.tags, tag) {}

  /// `number` is the line's, for messages.
  void add(int64_t number, const JoinedLine& joined);
  /// Warns about what the user of `input` should know, and logs the speed.
  void log(const std::string& input, double seconds) const;

  std::optional<int64_t> max_positions;  // of the model, if they are learned
  int64_t num_lines = 0, num_output_tokens = 0;
  FoundLines truncated, invalid, with_nul, at_limit, empty, around_placeholders, without_placeholders;
  TextForm form;
  UntaggedLines untagged;
  UnknownPieces unknown;
};

}  // namespace transformer
