#include <csignal>
#include <filesystem>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Reads the run directory's events as TensorBoard does, and prints scalars and texts as JSON: per tag a list of pairs
/// of step and value.
constexpr const char* kReadEvents = R"(
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "tensors": 0})
events.Reload()
tags = events.Tags()
found = {tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in tags["scalars"]}
for tag in tags["tensors"]:
    assert events.SummaryMetadata(tag).plugin_data.plugin_name == "text"
    found[tag] = [[e.step, e.tensor_proto.string_val[0].decode()] for e in events.Tensors(tag)]
print(json.dumps(found))
)";

/// Checks that the tag has the values of this key of metrics.jsonl, each step once.
void check_scalars(const Workplace& place, const Json& events, const std::string& tag, const std::string& key) {
  INFO(tag);
  const Json& values = events.at(tag);
  size_t i = 0;
  for (const Json& metrics : metrics_with(place, "run", key)) {
    REQUIRE(i < values.size());
    CHECK(values.at(i).at(0) == metrics.at("step"));
    CHECK(values.at(i).at(1).get<double>() == Approx(metrics.at(key).get<double>()));
    ++i;
  }
  CHECK(i == values.size());
}

}  // namespace

TEST_CASE("TensorBoard reads the scalars and texts of a run, and those of a resumed one once") {
  const Workplace place(trained());
  for (const int step : {200, 250}) std::filesystem::remove(place / checkpoint_name(step));
  const Result resumed = place.train();
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK(place.list("run/tensorboard").size() == 2);
  place.write("read.py", kReadEvents);
  const Result read = place.run_python({"read.py", "run/tensorboard"});
  INFO(read.err);
  REQUIRE(read.status == 0);
  const Json events = parse_json(read.out);
  check_scalars(place, events, "loss/train", "loss");
  check_scalars(place, events, "loss/valid", "valid_loss");
  check_scalars(place, events, "perplexity/train", "perplexity");
  check_scalars(place, events, "perplexity/valid", "valid_perplexity");
  check_scalars(place, events, "BLEU/valid", "valid_bleu");
  check_scalars(place, events, "training/learning_rate", "learning_rate");
  check_scalars(place, events, "training/target_tokens_per_second", "target_tokens_per_second");
  check_scalars(place, events, "training/memory_bytes", "memory_bytes");
  const Json& latest_text = events.at("translations/1").back();
  CHECK(latest_text.at(0) == kLastStep);
  CHECK_THAT(latest_text.at(1).get<std::string>(), Catch::Contains(place.read_lines("valid.source").front()));
}

TEST_CASE("train writes no event file with training.tensorboard=false") {
  const Workplace place;
  REQUIRE(place.train({"--set", "training.train_steps=10", "--set", "training.tensorboard=false"}).status == 0);
  CHECK_FALSE(place.has("run/tensorboard"));
  CHECK(place.has("run/metrics.jsonl"));
  REQUIRE(place.train({"--set", "training.train_steps=20"}).status == 0);
  CHECK(place.has("run/tensorboard"));
  REQUIRE(
      place.train({"--overwrite", "--set", "training.train_steps=10", "--set", "training.tensorboard=false"}).status ==
      0);
  CHECK_FALSE(place.has("run/tensorboard"));
}

TEST_CASE("train keeps the report up to date without validation, and says when the run has ended") {
  const Workplace place;
  const Result result = place.train({"--set", "training.train_steps=30", "--set", "training.validate_every=null",
                                     "--set", "training.checkpoint_every=5"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(place.read("run/report.html"), Catch::Contains(">30</div><div class=\"note\">of 30<") &&
                                                Catch::Contains(">finished</span>") && !Catch::Contains("refresh"));
  CHECK(parse_json(place.read("run/run.json")).at("status") == "finished");

  const auto longer = place.start(Workplace::train_command(
      {"--set", "training.train_steps=" + std::to_string(kNeverReached), "--set", "training.validate_every=null"}));
  longer->wait_until("a step",
                     [&] { return place.read("run/metrics.jsonl").find("\"step\":50,") != std::string::npos; });
  CHECK_THAT(place.read("run/report.html"), Catch::Contains(">running</span>") && Catch::Contains("\"refresh\""));
  longer->signal(SIGTERM);
  REQUIRE(longer->wait().status == 0);
  CHECK_THAT(place.read("run/report.html"), Catch::Contains(">stopped</span>") && !Catch::Contains("\"refresh\""));
}

TEST_CASE("train drops the sample translations after the checkpoint at which it resumes") {
  const Workplace place(trained());
  for (const int step : {200, 250}) std::filesystem::remove(place / checkpoint_name(step));
  REQUIRE(place.train().status == 0);
  CHECK(place.read_lines("run/samples.jsonl") == trained().read_lines("run/samples.jsonl"));
}

TEST_CASE("report writes the page of one run, and of several") {
  const Workplace place(trained());
  const Result one = place.run({"report", "run", "-o", "one.html"});
  INFO(one.err);
  REQUIRE(one.status == 0);
  CHECK_THAT(one.err, Catch::Contains("wrote one.html"));
  CHECK(place.read("one.html") == place.read("run/report.html"));

  REQUIRE(
      place.train({"--set", "training.directory=other", "--set", "training.seed=2", "--set", "training.train_steps=20"})
          .status == 0);
  REQUIRE(place.run({"report", "run", "other", "--output", "both.html", "--quiet"}).status == 0);
  const std::string both = place.read("both.html");
  CHECK_THAT(both,
             Catch::Contains("Comparison of 2 runs") && Catch::Contains("training.seed</th><td>1</td><td>2</td>"));
  CHECK_THAT(both, Catch::Contains("other, training") && Catch::Contains("run, validation"));
}

TEST_CASE("report names what is missing") {
  const Workplace place(trained());
  check_fails(place.run({"report", "run", "none", "-o", "x.html"}), 1, {"none: there is no run directory"});
  check_fails(place.run({"report", "config.yaml", "-o", "x.html"}), 1, {"config.yaml: is a file"});
  check_fails(place.run({"report", "run", "-o", "no/such/x.html"}), 1, {"no/such", "does not exist"});
  check_fails(place.run({"report", "-o", "x.html"}), 2, {"runs"});
  check_fails(place.run({"report", "run"}), 2, {"--output"});
  check_fails(place.run({"report", "run", "./run", "-o", "x.html"}), 2, {"report: ./run is given twice"});
  std::filesystem::remove(place / "run/metrics.jsonl");
  check_fails(place.run({"report", "run", "-o", "x.html"}), 1, {"run: this run has no metrics yet"});
  CHECK_FALSE(place.has("x.html"));
}

TEST_CASE("a report is written to stdout if the output is -") {
  const Workplace place(trained());
  REQUIRE(place.run({"report", "run", "-o", "page.html"}).status == 0);
  CHECK(only_output_of(place.run({"report", "run", "-o", "-"})) == place.read("page.html"));
  CHECK(!place.has("-"));
}

}  // namespace transformer
