#include "inference/request_options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/enum_names.h"
#include "base/format.h"
#include "base/parameter_error.h"
#include "base/similar_names.h"
#include "decoding/decoding_config.h"
#include "settings/fields.h"

namespace transformer {
namespace {

Json flag_schema(const std::string& description) { return {{"type", "boolean"}, {"description", description}}; }

Json number_schema(const char* type, double least, double most, const std::string& description) {
  const auto number = [&](double value) {
    return value == std::floor(value) ? Json(static_cast<int64_t>(value)) : Json(value);
  };
  Json schema = {{"type", type}, {"minimum", number(least)}};
  if (most < static_cast<double>(std::numeric_limits<int64_t>::max())) schema["maximum"] = number(most);
  schema["description"] = description;
  return schema;
}

/// The schema of an option that replaces this key of the config's section `decoding`.
Json schema_of_key(const std::string& name) {
  static DecodingConfig config;
  for (const Field& field : fields_of("decoding", config)) {
    if (last_part(field.name) != name) continue;
    const std::string help = field.help + "; default: from the model's config";
    if (field.type == "true or false") return flag_schema(help);
    const Range& range = field.traits.range.value();
    return number_schema(field.type == "number" ? "number" : "integer", range.least, range.most, help);
  }
  throw ParameterError("no key '{}'", name);
}

/// The values that the schema accepts, for messages.
std::string accepted_by(const Json& schema) {
  if (schema.contains("enum")) return enumeration(schema["enum"].get<std::vector<std::string>>(), "or");
  if (schema["type"] == "boolean") return "true or false";
  const std::string kind = schema["type"] == "integer" ? "a whole number" : "a number";
  if (!schema.contains("maximum")) return kind + " from " + schema["minimum"].dump();
  return fmt::format("{} from {} to {}", kind, schema["minimum"].dump(), schema["maximum"].dump());
}

bool accepts(const Json& schema, const Json& value) {
  if (schema.contains("enum"))
    return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  if (schema["type"] == "boolean") return value.is_boolean();
  if (!value.is_number()) return false;
  if (schema["type"] == "integer" && !value.is_number_integer()) return false;
  return value >= schema["minimum"] && (!schema.contains("maximum") || value <= schema["maximum"]);
}

SamplingOptions& sampling_of(RequestOptions& options) {
  if (!options.sampling) options.sampling.emplace();
  return *options.sampling;
}

std::vector<RequestOption> make_options() {
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const auto& penalties = EnumNames<LengthPenaltyForm>::names;
  return {
      {"beam_size", schema_of_key("beam_size"),
       [](RequestOptions& options, const Json& value) { options.decoding.beam_size = value.get<int64_t>(); }},
      {"alpha", schema_of_key("alpha"),
       [](RequestOptions& options, const Json& value) { options.decoding.alpha = value.get<double>(); }},
      {"length_penalty",
       {{"type", "string"},
        {"enum", std::vector<std::string>(penalties.begin(), penalties.end())},
        {"description",
         "divisor of the log-probability: gnmt, ((5 + length) / 6)^alpha, average, length^alpha, or none; default: "
         "from the model's config"}},
       [](RequestOptions& options, const Json& value) {
         options.decoding.length_penalty = value_named<LengthPenaltyForm>(value.get<std::string>());
       }},
      {"max_extra_tokens", schema_of_key("max_extra_tokens"),
       [](RequestOptions& options, const Json& value) { options.decoding.max_extra_tokens = value.get<int64_t>(); }},
      {"trees", schema_of_key("trees"),
       [](RequestOptions& options, const Json& value) { options.decoding.trees = value.get<bool>(); }},
      {"nbest", number_schema("integer", 1, 1024, "number of translations of each text, best first; default: 1"),
       [](RequestOptions& options, const Json& value) { options.nbest = value.get<int64_t>(); }},
      {"word_scores", flag_schema("whether translations have their pieces with the log-probability of each"),
       [](RequestOptions& options, const Json& value) { options.word_scores = value.get<bool>(); }},
      {"alignment", flag_schema("whether translations have the source piece of each output piece, as pairs of indices"),
       [](RequestOptions& options, const Json& value) { options.alignment = value.get<bool>(); }},
      {"replace_unknowns",
       flag_schema("whether translations take over characters that the vocabulary lacks from the text"),
       [](RequestOptions& options, const Json& value) { options.replace_unknowns = value.get<bool>(); }},
      {"sample", flag_schema("whether translations are sampled instead of searched for"),
       [](RequestOptions& options, const Json& value) { options.sample = value.get<bool>(); }},
      {"temperature", number_schema("number", 1e-3, 1e3, "with sample: divisor of the log-probabilities; default: 1"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).temperature = value.get<double>(); }},
      {"top_k",
       number_schema("integer", 0, 1e6, "with sample: choose among the k likeliest pieces; default: 0, among all"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).top_k = value.get<int64_t>(); }},
      {"seed", number_schema("integer", 0, kNoLimit, "with sample: seed of the random numbers; default: 1"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).seed = value.get<uint64_t>(); }},
  };
}

}  // namespace

TranslatorOptions RequestOptions::applied_to(TranslatorOptions base) const {
  base.nbest = nbest;
  base.alignment = alignment;
  base.replace_unknowns = replace_unknowns;
  if (sampling && !sample) {
    throw ParameterError("'temperature', 'top_k' and 'seed' have no effect without 'sample'; leave them out");
  }
  if (sample && decoding.beam_size) {
    throw ParameterError("'beam_size' has no effect with 'sample'; leave out one of them");
  }
  if (sample) base.sampling = sampling.value_or(SamplingOptions());
  return base;
}

const std::vector<RequestOption>& request_options() {
  static const std::vector<RequestOption> options = make_options();
  return options;
}

void set_request_option(RequestOptions& options, const std::string& name, const Json& value,
                        const std::vector<std::string>& other_names) {
  std::vector<std::string> names = other_names;
  for (const RequestOption& option : request_options()) {
    names.push_back(option.name);
    if (option.name != name) continue;
    if (!accepts(option.schema, value)) {
      throw ParameterError("'{}': must be {}, got {}", name, accepted_by(option.schema), shown_value(json_text(value)));
    }
    return option.set(options, value);
  }
  const auto similar = similar_names(name, names);
  if (similar.empty()) {
    throw ParameterError("unknown option '{}'; there are {}", shown_value(name), enumeration(names, "and"));
  }
  throw ParameterError("unknown option '{}' (did you mean {}?)", shown_value(name), alternatives(similar));
}

}  // namespace transformer
