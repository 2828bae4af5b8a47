#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <regex>
#include <thread>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

const std::string kErase = "\r\033[K";

/// A run of `train` on a pseudo-terminal, whose output `script` (util-linux) writes to `screen`.
class TerminalRun {
 public:
  TerminalRun(const Workplace& place, const std::vector<std::string>& settings, const std::string& term = "xterm",
              const std::vector<std::string>& arguments = {})
      : place_(place) {
    std::string command = "stty cols 200; echo $$ > pid; exec " + quoted(program(Workplace::train_command(arguments)));
    for (const auto& setting : settings) command += " " + quoted({"--set", setting});
    script_ = std::make_unique<Process>(
        std::vector<std::string>{"env", "TERM=" + term, "SHELL=/bin/sh", "script", "-qefc", command, "screen"},
        place / ".", "");
  }

  std::string screen() const { return place_.has("screen") ? place_.read("screen") : ""; }
  void wait_for(const std::string& text) const {
    script_->wait_until(text, [&] { return screen().find(text) != std::string::npos; });
  }
  void signal(int number) const { kill(std::stoi(place_.read("pid")), number); }
  /// Suspends the terminal's output with TCOOFF, as Ctrl-S does, or continues it with TCOON.
  void control_output(int action) const {
    const int terminal =
        open(("/proc/" + std::to_string(std::stoi(place_.read("pid"))) + "/fd/2").c_str(), O_WRONLY | O_NOCTTY);
    REQUIRE(terminal != -1);
    CHECK(tcflow(terminal, action) == 0);
    close(terminal);
  }
  bool is_running() const { return script_->is_running(); }
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

TEST_CASE("train on a terminal shows a status line, acknowledges Ctrl-C, and erases the line in the end") {
  const Workplace place;
  const TerminalRun run(place, {"training.train_steps=" + std::to_string(kNeverReached), "training.log_every=1000000",
                                "training.validate_every=null", "training.checkpoint_every=1000000"});
  run.wait_for(" target tokens/s");  // which only the status line has, because no log line is due
  run.signal(SIGINT);
  CHECK(run.wait() == 0);
  const std::string screen = run.screen();
  INFO(screen);
  CHECK_THAT(screen, Catch::Contains(kErase + "step ") && Catch::Contains(" of 1,000,000 (0 %)"));
  const size_t stopping = screen.find(kErase + "stopping after this step; press Ctrl-C again to stop now\r\n");
  const size_t stopped = screen.find(kErase + "stopped after step ");
  REQUIRE(stopping != std::string::npos);
  REQUIRE(stopped != std::string::npos);
  CHECK(stopping < stopped);
  const size_t last_status = screen.rfind(" of 1,000,000 (");
  CHECK(screen.find(kErase, last_status) != std::string::npos);
}

TEST_CASE("Ctrl-C is acknowledged during a step, and a second one ends train at once") {
  const Workplace place;
  // A step that takes long enough for both signals to arrive in it.
  const TerminalRun run(place, {"model.d_model=512", "model.d_ff=8192", "model.N=6", "training.batch_tokens=100000"});
  run.wait_for("step 0 of 250 (0 %)");
  run.signal(SIGINT);
  run.wait_for("stopping after this step");
  run.signal(SIGINT);
  CHECK(run.wait() == 128 + SIGINT);
  CHECK_THAT(run.screen(), !Catch::Contains("stopped after step"));
}

TEST_CASE("a second SIGTERM ends train at once if it comes two seconds after the first or later", "[waits]") {
  const Workplace place;
  const TerminalRun run(place, {"model.d_model=512", "model.d_ff=8192", "model.N=6", "training.batch_tokens=100000"});
  run.wait_for("step 0 of 250 (0 %)");
  run.signal(SIGTERM);
  run.wait_for("stopping after this step");
  run.signal(SIGTERM);  // as a launcher forwards it
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  REQUIRE(run.is_running());
  run.signal(SIGTERM);
  CHECK(run.wait() == 128 + SIGTERM);
  CHECK_THAT(run.screen(), !Catch::Contains("stopped after step"));
}

TEST_CASE("ranks on a terminal that is suspended with Ctrl-S go on when it continues", "[waits]") {
  const Workplace place;
  const TerminalRun run(place,
                        {"training.train_steps=" + std::to_string(kNeverReached), "training.validate_every=null",
                         "training.checkpoint_every=1000000"},
                        "xterm", {"--devices", "2", "--device", "cpu", "--verbose", "--step-timeout", "5"});
  run.wait_for("step 100  ");
  run.control_output(TCOOFF);
  std::this_thread::sleep_for(std::chrono::seconds(10));  // longer than the step timeout
  run.control_output(TCOON);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // in which the run would end
  run.signal(SIGTERM);
  CHECK(run.wait() == 0);
  CHECK_THAT(run.screen(), Catch::Contains("stopped after step "));
}

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
  CHECK_THAT(logged(quiet), Catch::StartsWith("the first pair of the training corpus:\n") &&
                                Catch::Contains("finished after step 20"));
}

}  // namespace transformer
