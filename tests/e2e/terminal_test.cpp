#include <memory>
#include <regex>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// A run of `train` on a pseudo-terminal, whose output `script` (util-linux) writes to `screen`.
class TerminalRun {
 public:
  TerminalRun(const Workplace& place, const std::vector<std::string>& settings, const std::string& term = "xterm")
      : place_(place) {
    std::string command = "stty cols 200; exec '" TRANSFORMER_BINARY "'";
    for (const auto& word : Workplace::train_command()) command += " " + word;
    for (const auto& setting : settings) command += " --set " + setting;
    script_ = std::make_unique<Process>(
        std::vector<std::string>{"env", "TERM=" + term, "script", "-qefc", command, "screen"}, place / ".", "");
  }

  std::string screen() const { return place_.has("screen") ? place_.read("screen") : ""; }
  int wait() const { return script_->wait().status; }

 private:
  const Workplace& place_;
  std::unique_ptr<Process> script_;
};

/// The messages in `run/train.log`, without their dates.
std::string logged(const Workplace& place) {
  static const std::regex kDate("(^|\n)[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ");
  return std::regex_replace(place.read("run/train.log"), kDate, "$1");
}

}  // namespace

TEST_CASE("train writes plain lines to a pipe and to a terminal that cannot move its cursor") {
  const Workplace place, dumb;
  const Result piped = place.train({"--set", "training.train_steps=20"});
  REQUIRE(piped.status == 0);
  CHECK_THAT(piped.err, !Catch::Contains("\033") && !Catch::Contains("\r"));
  for (const char* begun_or_done :
       {"learning 60 pieces from", "learned 60 pieces  (took ", "encoding the training corpus",
        "training corpus: 400 pairs", "validation loss", " left\n"}) {
    CHECK_THAT(piped.err, Catch::Contains(begun_or_done));
  }
  const TerminalRun run(dumb, {"training.train_steps=20"}, "dumb");
  CHECK(run.wait() == 0);
  CHECK_THAT(run.screen(), !Catch::Contains("\033") && Catch::Contains("finished after step 20"));
}

TEST_CASE("train.log has every message, with --quiet as well") {
  const Workplace place, quiet;
  const Result shown = place.train({"--set", "training.train_steps=20"});
  CHECK(logged(place) == shown.err);
  const Result hidden = quiet.train({"--set", "training.train_steps=20", "--quiet"});
  CHECK(hidden.err.empty());
  CHECK(lines_of(logged(quiet)).size() == lines_of(shown.err).size());
  CHECK_THAT(logged(quiet), Catch::StartsWith("learning 60 pieces") && Catch::Contains("finished after step 20"));
}

}  // namespace transformer
