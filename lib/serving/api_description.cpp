#include "serving/api_description.h"

#include "inference/request_options.h"

namespace transformer {
namespace {

Json text_or_list(const char* description) {
  return {{"description", description},
          {"oneOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}};
}

Json typed(const char* type, const char* description) { return {{"type", type}, {"description", description}}; }

Json answer(const char* description, const Json& content) {
  return {{"description", description}, {"content", content}};
}

Json json_content(const Json& schema) { return {{"application/json", {{"schema", schema}}}}; }

Json object_of_schemas(const Json& properties, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json error_answers() {
  const Json content = json_content({{"$ref", "#/components/schemas/Error"}});
  return {{"400", answer("The request cannot be read, or its options cannot be used.", content)},
          {"401", answer("The server wants a token, and the request has none of its tokens.", content)},
          {"408", answer("The body did not arrive in time.", content)},
          {"413", answer("The body or a text is too long, or there are too many texts.", content)},
          {"429", answer("This client has too many texts in the queue.", content)},
          {"503", answer("The queue is full, the translation took too long, or the server stops.", content)}};
}

Json post(const char* summary, const Json& body_schema, const Json& success) {
  Json responses = {{"200", success}};
  responses.update(error_answers());
  return {{"post",
           {{"summary", summary},
            {"requestBody", {{"required", true}, {"content", json_content(body_schema)}}},
            {"responses", responses}}}};
}

Json get(const char* summary, const Json& content) {
  return {{"get", {{"summary", summary}, {"responses", {{"200", answer("Success.", content)}}}}}};
}

Json translate_path(const std::vector<std::string>& model_names) {
  Json properties = {{"text", text_or_list("one line of text, or several")},
                     {"model", {{"type", "string"}, {"enum", model_names}, {"description", "default: the first"}}},
                     {"prefix", text_or_list("for each text, with what its translations begin; null: with anything")},
                     {"stream", typed("boolean",
                                      "answer with a line of JSON for each text as soon as it is translated, with its "
                                      "`index`")}};
  for (const RequestOption& option : request_options()) properties[option.name] = option.schema;
  Json schema = object_of_schemas(properties, {"text"});
  schema["additionalProperties"] = false;
  Json translation = object_of_schemas(
      {{"text", typed("string", "the best translation")},
       {"score", typed("number", "its log-probability divided by the length penalty; not with split and protect")},
       {"finish_reason", {{"type", "string"}, {"enum", {"stop", "length"}}}},
       {"alternatives", typed("array", "the other translations, with nbest above 1 or alternatives")},
       {"utility", typed("number", "the expected one by which it was chosen, with mbr")},
       {"log_prob", typed("number", "in nats, with word_scores")},
       {"pieces", typed("array", "of the translation, with word_scores")},
       {"piece_log_probs", typed("array", "of each piece in nats, with word_scores")},
       {"alignment", typed("array", "pairs of a source and an output piece, with alignment")},
       {"words", typed("array", "text and probability of each word, with word_probabilities")},
       {"word_alignment", typed("array", "pairs of a source and an output word, with word_alignment")},
       {"unmet_terms", typed("array", "terms of the text that the translation lacks, with terminology")},
       {"source_pieces", typed("array", "of the text, with word_scores or alignment")},
       {"warnings", typed("array", "what is unusual about the text or its translation")}},
      {"text", "finish_reason"});
  const Json result = object_of_schemas(
      {{"model", typed("string", "its name")},
       {"translations", {{"type", "array"}, {"items", {{"$ref", "#/components/schemas/Translation"}}}}}},
      {"model", "translations"});
  Json path = post("Translates texts.", schema, answer("A translation of each text, in order.", json_content(result)));
  path["x-translation"] = translation;
  return path;
}

Json sentences_path(const std::vector<std::string>& model_names) {
  Json schema =
      object_of_schemas({{"text", text_or_list("one line of text, or several")},
                         {"model", {{"type", "string"}, {"enum", model_names}, {"description", "default: the first"}}},
                         {"split_language", typed("string", "code of the texts' language, as of /v1/translate")}},
                        {"text"});
  schema["additionalProperties"] = false;
  const Json result =
      object_of_schemas({{"sentences",
                          {{"type", "array"},
                           {"description", "those of each text, each with the tag with which the text begins"},
                           {"items", {{"type", "array"}, {"items", {{"type", "string"}}}}}}}},
                        {"sentences"});
  return post("Divides texts into sentences, as /v1/translate does with split.", schema,
              answer("The sentences of each text, in order.", json_content(result)));
}

Json libretranslate_path() {
  return post("Translates as LibreTranslate does; a form is taken as well.",
              object_of_schemas({{"q", text_or_list("text, also of several lines, or several texts")},
                                 {"source", typed("string", "code of the language, or auto")},
                                 {"target", typed("string", "code of the language")},
                                 {"format", {{"type", "string"}, {"enum", {"text"}}}},
                                 {"alternatives", typed("integer", "number of further translations")},
                                 {"api_key", typed("string", "a token, in place of the header Authorization")}},
                                {"q", "source", "target"}),
              answer("The translation.",
                     json_content(object_of_schemas({{"translatedText", text_or_list("as `q` was")},
                                                     {"alternatives", typed("array", "if some were asked for")}},
                                                    {"translatedText"}))));
}

}  // namespace

Json api_description(const std::vector<std::string>& model_names, const std::string& version) {
  Json translate = translate_path(model_names);
  const Json translation = translate["x-translation"];
  translate.erase("x-translation");
  const Json anything = json_content({{"type", "object"}});
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "transformer serve"}, {"version", version}}},
          {"paths",
           {{"/v1/translate", translate},
            {"/v1/sentences", sentences_path(model_names)},
            {"/v1/models", get("Lists the models.", anything)},
            {"/translate", libretranslate_path()},
            {"/languages", get("Lists the languages as LibreTranslate does.", json_content({{"type", "array"}}))},
            {"/healthz", get("Tells whether the server takes requests; 503 while it stops.", anything)},
            {"/metrics", get("Counters for Prometheus.", {{"text/plain", Json::object()}})}}},
          {"components",
           {{"schemas",
             {{"Translation", translation},
              {"Error", object_of_schemas({{"error", typed("string", "one sentence")}}, {"error"})}}},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
          {"security", {{{"token", Json::array()}}, Json::object()}}};
}

}  // namespace transformer
