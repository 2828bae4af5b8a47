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

Json list_of(const Json& items, const char* description) {
  return {{"type", "array"}, {"items", items}, {"description", description}};
}

Json index_pairs(const char* description) {
  const Json pair = {{"type", "array"}, {"items", {{"type", "integer"}}}, {"minItems", 2}, {"maxItems", 2}};
  return list_of(pair, description);
}

Json reference(const std::string& schema) { return {{"$ref", "#/components/schemas/" + schema}}; }

Json json_content(const Json& schema) { return {{"application/json", {{"schema", schema}}}}; }

Json object_of_schemas(const Json& properties, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json error_answer(const char* description) { return answer(description, json_content(reference("Error"))); }

/// Of a request that may be sent again.
Json later_answer(const char* description) {
  Json later = error_answer(description);
  later["headers"] = {{"Retry-After", {{"description", "seconds to wait"}, {"schema", {{"type", "integer"}}}}}};
  return later;
}

Json unknown_path() { return error_answer("The path is unknown, or takes another method."); }

Json wrong_token() { return error_answer("The server wants a token, and the request has none of its tokens."); }

Json error_answers() {
  return {{"400", error_answer("The request cannot be read, or its options cannot be used.")},
          {"401", wrong_token()},
          {"404", unknown_path()},
          {"408", error_answer("The body did not arrive in time.")},
          {"411", error_answer("The request does not say how long its body is.")},
          {"413", error_answer("The body or a text is too long, or there are too many texts.")},
          {"422", error_answer("The options permit no translation.")},
          {"429", later_answer("This client has too many texts in the queue.")},
          {"500", error_answer("The model or the server failed.")},
          {"503", later_answer("The queue is full, the translation took too long, or the server stops.")}};
}

Json post(const char* summary, const Json& body_content, const Json& success) {
  Json responses = {{"200", success}};
  responses.update(error_answers());
  return {{"post",
           {{"summary", summary},
            {"requestBody", {{"required", true}, {"content", body_content}}},
            {"responses", responses}}}};
}

/// A path that needs a token, if the server wants one.
Json get(const char* summary, const Json& content) {
  return {{"get",
           {{"summary", summary},
            {"responses", {{"200", answer("Success.", content)}, {"401", wrong_token()}, {"404", unknown_path()}}}}}};
}

/// A path that needs no token.
Json open_get(const char* summary, const Json& content) {
  Json path = get(summary, content);
  path["get"]["responses"].erase("401");
  path["get"]["security"] = Json::array();
  return path;
}

/// A translation that is one of several of its text.
Json alternative_schema() {
  const Json text = {{"type", "string"}};
  return object_of_schemas(
      {{"text", typed("string", "the translation")},
       {"score", typed("number", "its log-probability divided by the length penalty; not with split or protect")},
       {"finish_reason", {{"type", "string"}, {"enum", {"stop", "length"}}}},
       {"utility", typed("number", "the expected one by which it was chosen, with mbr")},
       {"log_prob", typed("number", "in nats, with word_scores")},
       {"pieces", list_of(text, "of the translation, with word_scores")},
       {"piece_log_probs", list_of({{"type", "number"}}, "of each piece in nats, with word_scores")},
       {"alignment", index_pairs("pairs of a source and an output piece, with alignment")},
       {"words",
        list_of(object_of_schemas({{"text", text}, {"probability", {{"type", "number"}}}}, {"text", "probability"}),
                "text and probability of each word, with word_probabilities")},
       {"word_alignment", index_pairs("pairs of a source and an output word, with word_alignment")},
       {"unmet_terms", list_of(object_of_schemas({{"source", text}, {"target", text}}, {"source", "target"}),
                               "terms of the text that the translation lacks, with terminology")}},
      {"text", "finish_reason"});
}

/// The best translation of a text.
Json translation_schema() {
  const Json text = {{"type", "string"}};
  Json schema = alternative_schema();
  schema["properties"]["alternatives"] =
      list_of(reference("Alternative"), "the other translations, with nbest above 1 or alternatives");
  schema["properties"]["source_pieces"] = list_of(text, "of the text, with word_scores or alignment");
  schema["properties"]["warnings"] = list_of(text, "what is unusual about the text or its translation");
  return schema;
}

/// A line of a stream.
Json streamed_schema() {
  Json schema = translation_schema();
  schema["properties"]["index"] = typed("integer", "of the text in the request, from 0");
  schema["required"].push_back("index");
  return schema;
}

Json prefix_schema() {
  const Json list = {{"type", "array"}, {"items", {{"type", {"string", "null"}}}}};
  return {{"description", "for each text, with what its translations begin; null: with anything"},
          {"oneOf", {{{"type", "string"}}, {{"type", "null"}}, list}}};
}

Json translate_path(const std::vector<std::string>& model_names) {
  Json properties = {{"text", text_or_list("one line of text, or several")},
                     {"model", {{"type", "string"}, {"enum", model_names}, {"description", "default: the first"}}},
                     {"prefix", prefix_schema()},
                     {"stream", typed("boolean",
                                      "answer with a line of JSON for each text as soon as it is translated, with its "
                                      "`index`")}};
  for (const RequestOption& option : request_options()) properties[option.name] = option.schema;
  Json schema = object_of_schemas(properties, {"text"});
  schema["additionalProperties"] = false;
  Json content = json_content(object_of_schemas(
      {{"model", typed("string", "its name")}, {"translations", list_of(reference("Translation"), "of each text")}},
      {"model", "translations"}));
  content["application/x-ndjson"] = {
      {"schema",
       {{"description", "of each line, with stream; the last line is an error if a search fails after the first"},
        {"anyOf", {reference("StreamedTranslation"), reference("Error")}}}}};
  return post("Translates texts.", json_content(schema), answer("A translation of each text, in order.", content));
}

Json sentences_path(const std::vector<std::string>& model_names) {
  Json schema =
      object_of_schemas({{"text", text_or_list("one line of text, or several")},
                         {"model", {{"type", "string"}, {"enum", model_names}, {"description", "default: the first"}}},
                         {"split_language", typed("string", "code of the texts' language, as of /v1/translate")}},
                        {"text"});
  schema["additionalProperties"] = false;
  const Json sentences = {{"type", "array"}, {"items", {{"type", "string"}}}};
  const Json result = object_of_schemas(
      {{"sentences", list_of(sentences, "those of each text, each with the tag with which the text begins")}},
      {"sentences"});
  return post("Divides texts into sentences, as /v1/translate does with split.", json_content(schema),
              answer("The sentences of each text, in order.", json_content(result)));
}

Json libretranslate_path() {
  const Json text = {{"type", "string"}};
  const Json schema = object_of_schemas({{"q", text_or_list("text, also of several lines, or several texts")},
                                         {"source", typed("string", "code of the language, or auto")},
                                         {"target", typed("string", "code of the language")},
                                         {"format", {{"type", "string"}, {"enum", {"text", "html"}}}},
                                         {"alternatives", typed("integer", "number of further translations")},
                                         {"api_key", typed("string", "a token, in place of the header Authorization")}},
                                        {"q", "source", "target"});
  Json content = json_content(schema);
  for (const char* form : {"application/x-www-form-urlencoded", "multipart/form-data"})
    content[form] = {{"schema", schema}};
  const Json alternatives = list_of({{"oneOf", {text, {{"type", "array"}, {"items", text}}}}},
                                    "if some were asked for; a list for each text, if `q` was a list");
  const Json result = object_of_schemas(
      {{"translatedText", text_or_list("as `q` was")}, {"alternatives", alternatives}}, {"translatedText"});
  return post("Translates as LibreTranslate does; a form is taken as well.", content,
              answer("The translation.", json_content(result)));
}

Json health_path() {
  const Json status = object_of_schemas({{"status", typed("string", "ok")}}, {"status"});
  Json path = open_get("Tells whether the server takes requests; 503 while it stops.", json_content(status));
  path["get"]["responses"]["503"] = later_answer("The server stops.");
  return path;
}

Json models_path() {
  const Json names = list_of({{"type", "string"}}, "their names; the first is the default");
  return get("Lists the models.", json_content(object_of_schemas({{"models", names}}, {"models"})));
}

Json languages_path() {
  const Json language = object_of_schemas({{"code", typed("string", "as `source` and `target` take it")},
                                           {"name", typed("string", "in English")},
                                           {"targets", list_of({{"type", "string"}}, "codes")}},
                                          {"code", "name", "targets"});
  return open_get("Lists the languages as LibreTranslate does.",
                  json_content(list_of(language, "with what each is translated into")));
}

}  // namespace

Json api_description(const std::vector<std::string>& model_names, const std::string& version) {
  const Json any_text = {{"schema", {{"type", "string"}}}};
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "transformer serve"}, {"version", version}}},
          {"paths",
           {{"/v1/translate", translate_path(model_names)},
            {"/v1/sentences", sentences_path(model_names)},
            {"/v1/models", models_path()},
            {"/translate", libretranslate_path()},
            {"/languages", languages_path()},
            {"/healthz", health_path()},
            {"/metrics", get("Counters for Prometheus.", {{"text/plain", any_text}})},
            {"/openapi.json", open_get("This description.", json_content({{"type", "object"}}))},
            {"/", open_get("A page that translates.", {{"text/html", any_text}})}}},
          {"components",
           {{"schemas",
             {{"Alternative", alternative_schema()},
              {"Translation", translation_schema()},
              {"StreamedTranslation", streamed_schema()},
              {"Error", object_of_schemas({{"error", typed("string", "one sentence")}}, {"error"})}}},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
          {"security", {{{"token", Json::array()}}, Json::object()}}};
}

}  // namespace transformer
