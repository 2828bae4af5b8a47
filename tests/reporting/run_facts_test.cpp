#include "reporting/run_facts.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("run facts read back are those written") {
  const TemporaryDirectory directory;
  const std::string path = directory / "run.json";
  write_run_facts(path, {.status = RunStatus::stopped,
                         .updated = "2017-06-12 17:57:34 UTC",
                         .device = "a \"GPU\"",
                         .threads = 3,
                         .devices = 8,
                         .parameters = 5'000'000'000,
                         .vocabularies = VocabularySizes::separate(8000, 6000)});
  const RunFacts facts = read_run_facts(path);
  CHECK(facts.status == RunStatus::stopped);
  CHECK(facts.updated == "2017-06-12 17:57:34 UTC");
  CHECK(facts.device == "a \"GPU\"");
  CHECK(facts.threads == 3);
  CHECK(facts.devices == 8);
  CHECK(facts.parameters == 5'000'000'000);
  CHECK(facts.vocabularies.source() == 8000);
  CHECK(facts.vocabularies.target() == 6000);
}

TEST_CASE("run facts name a file that is damaged") {
  const TemporaryDirectory directory;
  const std::string path = directory / "run.json";
  for (const char* text : {"", "{}", "{\"status\": \"asleep\"}"}) {
    write_file_atomically(path, text);
    CHECK_THROWS_WITH(read_run_facts(path), Catch::StartsWith(path + ": the file is damaged"));
  }
}

}  // namespace transformer
