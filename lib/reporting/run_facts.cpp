#include "reporting/run_facts.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"

namespace transformer {
namespace {

RunStatus status_of(const std::string& name) {
  if (const auto status = value_named<RunStatus>(name)) return *status;
  throw Error("expected the status of a run, got '{}'", name);
}

VocabularySizes vocabularies_of(const Json& object) {
  const int64_t target = integer_of(member_of(object, "vocabulary_size"));
  if (!object.contains("source_vocabulary_size")) return target;
  return VocabularySizes::separate(integer_of(object.at("source_vocabulary_size")), target);
}

}  // namespace

void write_run_facts(const std::string& path, const RunFacts& facts) {
  Json object = {{"status", name_of(facts.status)}, {"updated", facts.updated}, {"device", facts.device},
                 {"threads", facts.threads},        {"devices", facts.devices}, {"parameters", facts.parameters}};
  object["vocabulary_size"] = facts.vocabularies.target();
  if (!facts.vocabularies.are_shared()) object["source_vocabulary_size"] = facts.vocabularies.source();
  write_file_atomically(path, json_text(object, 2) + "\n");
}

RunFacts read_run_facts(const std::string& path) {
  const std::string text = read_file(path);
  try {
    const Json object = parse_json(text);
    return {.status = status_of(string_of(member_of(object, "status"))),
            .updated = string_of(member_of(object, "updated")),
            .device = string_of(member_of(object, "device")),
            .threads = integer_of(member_of(object, "threads")),
            .devices = integer_of(member_of(object, "devices")),
            .parameters = integer_of(member_of(object, "parameters")),
            .vocabularies = vocabularies_of(object)};
  } catch (const Error& misfit) {
    throw DamagedFile("{}: the file is damaged ({}); remove it and try again", path, misfit.what());
  }
}

}  // namespace transformer
