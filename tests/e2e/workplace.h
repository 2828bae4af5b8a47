#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/temporary_directory.h"
#include "program.h"

namespace transformer {

/// A directory with a small corpus and `config.yaml`, whose model learns it in two seconds. Programs run inside it, so
/// tests name files as they lie there: `train.source`, `train.target`, likewise `valid` and `test`, and once trained
/// `prepared/` and `run/`.
///
/// A sentence is 3 to 8 of 20 made-up words, its translation the words' counterparts in the same order.
class Workplace {
 public:
  Workplace();
  /// In an existing directory, which is left as it is in the end.
  explicit Workplace(const std::string& directory) : path_(directory) {}
  /// A copy of another workplace with all its files.
  explicit Workplace(const Workplace& other);
  Workplace& operator=(const Workplace&) = delete;

  /// Writes the corpus and `config.yaml`, which a new workplace has from the start.
  void fill() const;

  /// The path of a file in this directory; an absolute `name` is returned unchanged.
  std::string operator/(const std::string& name) const { return std::filesystem::path(path_) / name; }
  bool has(const std::string& name) const;
  std::string read(const std::string& name) const;
  std::vector<std::string> read_lines(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  /// For files that a failed comparison should not print.
  bool have_same_bytes(const std::string& one, const std::string& other) const { return read(one) == read(other); }
  /// The names in a directory, in order.
  std::vector<std::string> list(const std::string& name) const;

  Result run(const std::vector<std::string>& arguments, const std::string& input = "") const;
  Result run_shell(const std::string& script) const;
  /// With the Python environment that the build uses.
  Result run_python(const std::vector<std::string>& arguments) const;
  std::unique_ptr<Process> start(const std::vector<std::string>& arguments) const;
  std::unique_ptr<Process> start_shell(const std::string& script) const;

  /// Trains with `config.yaml`; `more` are further arguments.
  Result train(const std::vector<std::string>& more = {}) const { return run(train_command(more)); }
  static std::vector<std::string> train_command(const std::vector<std::string>& more = {});

 private:
  std::optional<TemporaryDirectory> own_;
  const std::string path_;
};

/// The last step of `config.yaml`, and how often it writes checkpoints and metrics.
constexpr int kLastStep = 250, kCheckpointEvery = 50, kLogEvery = 10;
/// More steps than a run makes before its test ends it, however late the test comes to look.
constexpr int kNeverReached = 1000000;

/// "run/checkpoints/step-00000050.safetensors".
std::string checkpoint_name(int step);

/// The lines of a run's metrics.jsonl that have this key.
std::vector<Json> metrics_with(const Workplace& place, const std::string& run, const std::string& key);

/// Trained by one unbroken run, with the mean of its last three checkpoints in `model.pt`. Tests leave it as it is: the
/// first test that calls this trains it, and all later tests of the same build share it, whatever process they run in.
const Workplace& trained();

/// A command's arguments, followed by `more`.
std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more);

/// The text's lines without their ends; every line must have one.
std::vector<std::string> lines_of(const std::string& text);
std::string text_of(const std::vector<std::string>& lines);

}  // namespace transformer
