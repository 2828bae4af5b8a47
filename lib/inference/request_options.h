#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "decoding/output_control.h"
#include "decoding/sampling_options.h"
#include "inference/decoding_overrides.h"
#include "inference/part_options.h"
#include "inference/translation_choice.h"
#include "inference/translator_options.h"

namespace transformer {

/// A text to translate.
struct RequestedText {
  std::string text;         // one line
  std::string prefix = {};  // with which its translations begin
};

/// How the texts of a request are translated: the options of `transformer translate` that may differ from request to
/// request, under the same names.
struct RequestOptions {
  DecodingOverrides decoding;
  int64_t nbest = 1;
  bool alignment = false, replace_unknowns = false, word_scores = false;
  bool words = false, word_alignment = false;
  OutputControl control;
  TranslationChoice choice;
  bool sample = false;
  std::optional<SamplingOptions> sampling;  // if one of its members is given
  uint64_t first_text = 0;                  // number of the first text, from which samples and messages count
  std::optional<std::string> tag;           // to put before each text that begins with none; see SourceTags
  PartOptions parts;
  bool joins_nbest = false;  // allows `nbest` with parts, as LibreTranslate's clients want (see JoinedLine)

  /// The options of the translator, of which `base` gives what no request changes. Throws ParameterError if an option
  /// has no effect, or contradicts another.
  TranslatorOptions applied_to(TranslatorOptions base) const;
};

/// An option of requests.
struct RequestOption {
  std::string name;
  Json schema;  // JSON Schema: type, description, and the range or the names that it accepts
  std::function<void(RequestOptions& options, const Json& value)> set;  // with a value that the schema accepts
};

/// Sets the prefixes of the texts: a string for the only text, or a list with a string, or null, for each. Throws
/// ParameterError if the value is something else.
void set_prefixes(std::vector<RequestedText>& texts, const Json& value);

/// All options of requests.
const std::vector<RequestOption>& request_options();

/// Sets the option to the value. Throws ParameterError if there is no such option, which names the nearest one of
/// request_options and of `other_names`, or if it does not accept the value.
void set_request_option(RequestOptions& options, const std::string& name, const Json& value,
                        const std::vector<std::string>& other_names = {});

}  // namespace transformer
