#include "workplace.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include "base/directory_lock.h"
#include "catch.h"

namespace transformer {
namespace {

constexpr const char* kConfig = R"(model:
  N: 1
  d_model: 32
  d_ff: 64
  h: 2
data:
  train:
    source: train.source
    target: train.target
  valid:
    source: valid.source
    target: valid.target
  test:
    source: test.source
    target: test.target
  vocabulary_size: 60
  prepared: prepared
training:
  directory: run
  train_steps: 250
  batch_tokens: 600
  device_tokens: 300
  warmup_steps: 100
  log_every: 10
  validate_every: 100
  checkpoint_every: 50
  checkpoint_minutes: null
)";

/// Word 0 is "ba" and means "al", word 1 is "be" and means "el", ... word 19 is "ku" and means "us".
std::string source_word(size_t number) { return {"bdgk"[number / 5], "aeiou"[number % 5]}; }
std::string target_word(size_t number) { return {"aeiou"[number % 5], "lmns"[number / 5]}; }

/// `num_pairs` sentences and their translations, the same ones for the same seed.
void write_corpus(const Workplace& place, const std::string& name, int num_pairs, unsigned seed) {
  std::mt19937 random(seed);
  std::string sources, targets;
  for (int pair = 0; pair < num_pairs; ++pair) {
    const size_t length = 3 + random() % 6;
    for (size_t i = 0; i < length; ++i) {
      const size_t word = random() % 20;
      sources += (i == 0 ? "" : " ") + source_word(word);
      targets += (i == 0 ? "" : " ") + target_word(word);
    }
    sources += "\n";
    targets += "\n";
  }
  place.write(name + ".source", sources);
  place.write(name + ".target", targets);
}

/// The processor's name and features, from /proc/cpuinfo. platform/cpu_features.h has them too, but needs LibTorch,
/// which would take time in every test.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string description;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("model name") || line.starts_with("flags")) description += line + "\n";
  }
  return description;
}

/// What a trained model depends on: the processor, and sizes and times of the program and of this one with its config
/// and corpus.
std::string version_of_model() {
  std::string version = processor();
  for (const std::string& program : {std::string(TRANSFORMER_BINARY), std::string("/proc/self/exe")}) {
    const std::filesystem::path file = std::filesystem::canonical(program);
    const auto time = std::filesystem::last_write_time(file).time_since_epoch().count();
    version += std::to_string(std::filesystem::file_size(file)) + " " + std::to_string(time) + "\n";
  }
  return version;
}

/// Fills the directory with a workplace and trains in it.
void train_in(const std::string& directory) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  const Workplace place(directory);
  place.fill();
  const Result training = place.train();
  INFO(training.err);
  REQUIRE(training.status == 0);
  REQUIRE(place.run({"average-checkpoints", "--last", "3", "run", "-o", "model.pt"}).status == 0);
}

}  // namespace

Workplace::Workplace() : own_(std::in_place), path_(own_->path()) { fill(); }

void Workplace::fill() const {
  write("config.yaml", kConfig);
  write_corpus(*this, "train", 400, 1);
  write_corpus(*this, "valid", 20, 2);
  write_corpus(*this, "test", 100, 3);
}

Workplace::Workplace(const Workplace& other) : own_(std::in_place), path_(own_->path()) {
  std::filesystem::copy(other.path_, path_, std::filesystem::copy_options::recursive);
}

bool Workplace::has(const std::string& name) const { return std::filesystem::exists(*this / name); }

std::string Workplace::read(const std::string& name) const {
  std::ifstream file(*this / name, std::ios::binary);
  if (!file) FAIL("cannot read " << name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Workplace::read_lines(const std::string& name) const { return lines_of(read(name)); }

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream file(*this / name, std::ios::binary);
  if (!(file << text << std::flush)) FAIL("cannot write " << name);
}

std::vector<std::string> Workplace::list(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(*this / name)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result Workplace::run(const std::vector<std::string>& arguments, const std::string& input) const {
  return Process(program(arguments), path_, input).wait();
}

Result Workplace::run_shell(const std::string& script) const { return Process(shell(script), path_, "").wait(); }

Result Workplace::run_python(const std::vector<std::string>& arguments) const {
  return Process(with({TRANSFORMER_VENV "/bin/python"}, arguments), path_, "").wait();
}

std::unique_ptr<Process> Workplace::start(const std::vector<std::string>& arguments) const {
  return std::make_unique<Process>(program(arguments), path_, "");
}

std::unique_ptr<Process> Workplace::start_shell(const std::string& script) const {
  return std::make_unique<Process>(shell(script), path_, "");
}

std::vector<std::string> Workplace::train_command(const std::vector<std::string>& more) {
  return with({"train", "--config", "config.yaml", "--threads", "1", "--device", "cpu"}, more);
}

std::string checkpoint_name(int step) {
  const std::string digits = std::to_string(step);
  return "run/checkpoints/step-" + std::string(8 - digits.size(), '0') + digits + ".safetensors";
}

const Workplace& trained() {
  static const std::string directory = TRANSFORMER_SHARED_DIRECTORY "/trained";
  static const Workplace place(directory);
  static const bool done = [] {
    std::filesystem::create_directories(TRANSFORMER_SHARED_DIRECTORY);
    DirectoryLock one_at_a_time(TRANSFORMER_SHARED_DIRECTORY);
    while (!one_at_a_time.try_exclusive()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const Workplace shared(TRANSFORMER_SHARED_DIRECTORY);
    if (!shared.has("version") || shared.read("version") != version_of_model()) {
      std::filesystem::remove(shared / "version");
      train_in(directory);
      shared.write("version", version_of_model());
    }
    return true;
  }();
  REQUIRE(done);
  return place;
}

std::vector<Json> metrics_with(const Workplace& place, const std::string& run, const std::string& key) {
  std::vector<Json> lines;
  for (const auto& line : place.read_lines(run + "/metrics.jsonl")) {
    const Json metrics = parse_json(line);
    if (metrics.contains(key)) lines.push_back(metrics);
  }
  return lines;
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> lines_of(const std::string& text) {
  if (!text.empty() && text.back() != '\n') FAIL("the last line has no end: " << text);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace transformer
