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
#include "settings/foreign_names.h"

namespace transformer {
namespace {

Json flag_schema(const std::string& description) { return {{"type", "boolean"}, {"description", description}}; }

Json number_schema(const char* type, double least, double most, const std::string& description) {
  const auto number = [&](double value) {
    if (value != std::floor(value)) return Json(value);
    // A comparison of a signed and an unsigned number would read a value above 2^63 as a negative one.
    return value < 0 ? Json(static_cast<int64_t>(value)) : Json(static_cast<uint64_t>(value));
  };
  Json schema = {{"type", type}, {"minimum", number(least)}};
  if (most < static_cast<double>(std::numeric_limits<int64_t>::max())) schema["maximum"] = number(most);
  schema["description"] = description;
  return schema;
}

Json seed_schema(const std::string& description) {
  Json schema = number_schema("integer", 0, 0, description);
  schema["maximum"] = std::numeric_limits<uint64_t>::max();  // which a double cannot hold
  return schema;
}

template <class Enum>
Json names_schema(const std::string& description) {
  const auto& names = EnumNames<Enum>::names;
  return {
      {"type", "string"}, {"enum", std::vector<std::string>(names.begin(), names.end())}, {"description", description}};
}

Json text_schema(const std::string& description) { return {{"type", "string"}, {"description", description}}; }

Json phrases_schema(const std::string& description) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", description}};
}

Json pairs_schema(const std::string& description) {
  return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}, {"description", description}};
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
  if (schema["type"] == "string") return "a string";
  if (schema["type"] == "array") return "a list of strings";
  if (schema["type"] == "object") return "an object whose values are strings";
  const std::string kind = schema["type"] == "integer" ? "a whole number" : "a number";
  if (!schema.contains("maximum")) return kind + " from " + schema["minimum"].dump();
  return fmt::format("{} from {} to {}", kind, schema["minimum"].dump(), schema["maximum"].dump());
}

bool accepts(const Json& schema, const Json& value) {
  if (schema.contains("enum"))
    return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  if (schema["type"] == "boolean") return value.is_boolean();
  if (schema["type"] == "string") return value.is_string();
  if (schema["type"] == "array" || schema["type"] == "object") {
    return value.type_name() == schema["type"] &&
           std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
  }
  if (!value.is_number()) return false;
  if (schema["type"] == "integer" && !value.is_number_integer()) return false;
  return value >= schema["minimum"] && (!schema.contains("maximum") || value <= schema["maximum"]);
}

SamplingOptions& sampling_of(RequestOptions& options) {
  if (!options.sampling) options.sampling.emplace();
  return *options.sampling;
}

/// Throws ParameterError if the options ask for what joined translations of parts do not have, as `checked` does for a
/// TranslationTask.
void check_fit_parts(const RequestOptions& options) {
  check_part_options(options.parts);
  if (!options.parts.divide_lines()) return;
  for (const auto& [name, is_given] : {std::pair("word_probabilities", options.words),
                                       {"word_alignment", options.word_alignment},
                                       {"alignment", options.alignment}}) {
    if (!is_given) continue;
    throw ParameterError("'{}': needs whole lines as text; leave it out, or 'split' and 'protect'", name);
  }
  for (const auto& [name, is_given] : {std::pair("nbest", options.nbest > 1 && !options.joins_nbest),
                                       {"alternatives", options.choice.alternatives > 0},
                                       {"word_scores", options.word_scores}}) {
    if (!is_given) continue;
    throw ParameterError(
        "'split' and 'protect' join translations of parts, which have no score in common; leave out '{}'", name);
  }
}

std::vector<RequestOption> make_options() {
  return {
      {"beam_size", schema_of_key("beam_size"),
       [](RequestOptions& options, const Json& value) { options.decoding.beam_size = value.get<int64_t>(); }},
      {"alpha", schema_of_key("alpha"),
       [](RequestOptions& options, const Json& value) { options.decoding.alpha = value.get<double>(); }},
      {"length_penalty",
       names_schema<LengthPenaltyForm>(
           "divisor of the log-probability: gnmt, ((5 + length) / 6)^alpha, average, length^alpha, or none; default: "
           "from the model's config"),
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
      {"word_probabilities", flag_schema("whether translations have their words with the probability of each"),
       [](RequestOptions& options, const Json& value) { options.words = value.get<bool>(); }},
      {"word_alignment",
       flag_schema("whether translations have the words of the text for each of their words, as pairs"),
       [](RequestOptions& options, const Json& value) { options.word_alignment = value.get<bool>(); }},
      {"no_repeat_ngram",
       number_schema("integer", 0, 1000, "no sequence of so many pieces occurs twice; default: 0, any may"),
       [](RequestOptions& options, const Json& value) { options.control.no_repeat_ngram = value.get<int64_t>(); }},
      {"repetition_penalty",
       number_schema("number", 1e-3, 1e3, "factor on the log-probability of pieces that occur again; default: 1"),
       [](RequestOptions& options, const Json& value) { options.control.repetition_penalty = value.get<double>(); }},
      {"min_length", number_schema("integer", 1, 100000, "least number of tokens, end symbol included; default: 1"),
       [](RequestOptions& options, const Json& value) { options.control.min_length = value.get<int64_t>(); }},
      {"max_length", number_schema("integer", 1, 100000, "greatest number of tokens, end symbol included"),
       [](RequestOptions& options, const Json& value) { options.control.max_length = value.get<int64_t>(); }},
      {"coverage_penalty", number_schema("number", 0, 1e3, "weight of the coverage of the text in scores; default: 0"),
       [](RequestOptions& options, const Json& value) { options.control.coverage_penalty = value.get<double>(); }},
      {"diversity", number_schema("number", 0, 1e3, "penalty on the further continuations of a hypothesis; default: 0"),
       [](RequestOptions& options, const Json& value) { options.control.diversity = value.get<double>(); }},
      {"forbid", phrases_schema("words and phrases that no translation has, as the lines of a file of forbidden words"),
       [](RequestOptions& options, const Json& value) {
         options.control.forbidden = value.get<std::vector<std::string>>();
       }},
      {"terminology", pairs_schema("phrases of texts, and those that their translations should have for them"),
       [](RequestOptions& options, const Json& value) {
         options.control.terms.clear();
         for (const auto& [source, target] : value.items()) {
           options.control.terms.push_back({source, target.get<std::string>(), "'terminology'"});
         }
       }},
      {"alternatives",
       number_schema("integer", 0, 1024,
                     "so many translations: the likeliest next pieces after the prefix, or at the beginning, each with "
                     "the best translation that continues it; default: 0, those with the best scores"),
       [](RequestOptions& options, const Json& value) { options.choice.alternatives = value.get<int64_t>(); }},
      {"mbr",
       number_schema("integer", 0, 1024,
                     "choose the translation with the least Bayes risk among so many candidates, the best of the beam "
                     "or, with sample, samples; default: 0, the one with the best score"),
       [](RequestOptions& options, const Json& value) { options.choice.mbr = value.get<int64_t>(); }},
      {"mbr_metric",
       names_schema<UtilityMetric>("with mbr: the metric in which candidates are compared; default: chrf"),
       [](RequestOptions& options, const Json& value) {
         options.choice.mbr_metric = value_named<UtilityMetric>(value.get<std::string>()).value();
       }},
      {"sample", flag_schema("whether translations are sampled instead of searched for"),
       [](RequestOptions& options, const Json& value) { options.sample = value.get<bool>(); }},
      {"temperature", number_schema("number", 1e-3, 1e3, "with sample: divisor of the log-probabilities; default: 1"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).temperature = value.get<double>(); }},
      {"top_k",
       number_schema("integer", 0, 1e6, "with sample: choose among the k likeliest pieces; default: 0, among all"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).top_k = value.get<int64_t>(); }},
      {"top_p",
       number_schema(
           "number", 1e-6, 1,
           "with sample: choose among the fewest likeliest pieces whose probabilities sum to this; default: 1"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).top_p = value.get<double>(); }},
      {"seed", seed_schema("with sample: seed of the random numbers; default: 1"),
       [](RequestOptions& options, const Json& value) { sampling_of(options).seed = value.get<uint64_t>(); }},
      {"first_text",
       number_schema("integer", 0, 1e12,
                     "number of the first text among those of several requests, from 0, so that samples and messages "
                     "are as if one request had them all; default: 0"),
       [](RequestOptions& options, const Json& value) { options.first_text = value.get<uint64_t>(); }},
      {"tag",
       text_schema("a tag of the model, such as <2de>, to put before each text that begins with none; default: none"),
       [](RequestOptions& options, const Json& value) { options.tag = value.get<std::string>(); }},
      {"split",
       names_schema<LineParts>("sentences: translate each sentence of a text by itself, and join the translations "
                               "again; default: lines"),
       [](RequestOptions& options, const Json& value) {
         options.parts.split = value_named<LineParts>(value.get<std::string>()).value();
       }},
      {"split_language",
       text_schema("with split sentences: code of the source language, such as de, for its abbreviations; default: "
                   "those of all languages that mean nothing else in another one"),
       [](RequestOptions& options, const Json& value) { options.parts.split_language = value.get<std::string>(); }},
      {"protect",
       flag_schema("whether placeholders such as {name}, %s and <b>, URLs and e-mail addresses are kept: where the "
                   "model changes one, the text around it is translated apart"),
       [](RequestOptions& options, const Json& value) { options.parts.protect = value.get<bool>(); }},
      {"protect_regex",
       phrases_schema("regular expressions: what matches one is kept, in addition to protect or alone"),
       [](RequestOptions& options, const Json& value) {
         options.parts.protect_regex = value.get<std::vector<std::string>>();
       }},
  };
}

/// The name that another toolkit has for one of these options, or for a key of the config that one of them replaces;
/// null if it is no such name.
const ForeignName* find_foreign_option(const std::string& name, const std::vector<std::string>& names) {
  const auto is_option = [&](const std::string& own) {
    return std::find(names.begin(), names.end(), own) != names.end();
  };
  const ForeignName* option = find_foreign_name(foreign_options(), name);
  if (option != nullptr && is_option(option->key)) return option;
  const ForeignName* key = find_foreign_name(foreign_names(), name);
  return key != nullptr && key->key.starts_with("decoding.") && is_option(last_part(key->key)) ? key : nullptr;
}

std::string explain_unknown(const std::string& name, const std::vector<std::string>& names) {
  std::string meant, remark;
  if (const ForeignName* foreign = find_foreign_option(name, names)) {
    meant = alternatives({last_part(foreign->key)});
    if (!foreign->remark.empty()) remark = ", " + foreign->remark;
  } else if (const auto similar = similar_names(name, names); !similar.empty()) {
    meant = alternatives(similar);
  } else {
    return fmt::format("unknown option '{}'; there are {}", shown_value(name), enumeration(names, "and"));
  }
  return fmt::format("unknown option '{}' (did you mean {}{}?)", shown_value(name), meant, remark);
}

}  // namespace

TranslatorOptions RequestOptions::applied_to(TranslatorOptions base) const {
  base.nbest = nbest;
  base.alignment = alignment;
  base.replace_unknowns = replace_unknowns;
  base.words = words;
  base.word_alignment = word_alignment;
  base.control = control;
  if (sampling && !sample) {
    throw ParameterError("'temperature', 'top_k', 'top_p' and 'seed' have no effect without 'sample'; leave them out");
  }
  if (sample && decoding.beam_size) {
    throw ParameterError("'beam_size' has no effect with 'sample'; leave out one of them");
  }
  if (sample) base.sampling = sampling.value_or(SamplingOptions());
  if (choice.mbr_metric != UtilityMetric::chrf && choice.mbr == 0) {
    throw ParameterError("'mbr_metric' has no effect without 'mbr'; leave it out");
  }
  check_choice(choice, base);
  check_fit_parts(*this);
  return base;
}

void set_prefixes(std::vector<RequestedText>& texts, const Json& value) {
  if (value.is_null()) return;
  if (!value.is_string() && !value.is_array()) {
    throw ParameterError("'prefix': expected a string or a list of strings, got {}", value.type_name());
  }
  const Json prefixes = value.is_string() ? Json::array({value}) : value;
  if (prefixes.size() != texts.size()) {
    throw ParameterError("'prefix': has {} for {}; give one for each text, null for none",
                         counted(std::ssize(prefixes), "item"), counted(std::ssize(texts), "text"));
  }
  for (size_t i = 0; i < prefixes.size(); ++i) {
    if (prefixes[i].is_null()) continue;
    if (!prefixes[i].is_string()) {
      throw ParameterError("'prefix': expected a string, got {}", shown_value(json_text(prefixes[i])));
    }
    texts[i].prefix = prefixes[i].get<std::string>();
  }
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
      // CTranslate2 and Hugging Face call the exponent so.
      const bool is_exponent = name == "length_penalty" && value.is_number();
      throw ParameterError("'{}': must be {}, got {}{}", name, accepted_by(option.schema),
                           shown_value(json_text(value)),
                           is_exponent ? "; give the exponent as 'alpha', with the form average" : "");
    }
    return option.set(options, value);
  }
  throw ParameterError("{}", explain_unknown(name, names));
}

}  // namespace transformer
