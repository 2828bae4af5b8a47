#include "options.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/log.h"
#include "ops/precision.h"
#include "platform/device.h"

namespace transformer {
namespace {

// These return what is wrong with the value of an option of `command`; empty if nothing is.

std::string check_path(const CLI::App& command, const std::string& path) {
  if (path.empty()) return "is empty; give a path, or leave the option out";
  if (!path.starts_with('-') || path == "-" || command.get_option_no_throw(path) == nullptr) return "";
  return fmt::format("a path is missing before the option {0}; if a file has this name, give ./{0}", path);
}

std::string check_number(const std::string& text) {
  double number = 0;
  if (!CLI::detail::lexical_cast(text, number) || std::isfinite(number)) return "";
  return "expected a finite number, got '" + text + "'";
}

/// CLI11 would turn a negative number into a large unsigned one.
std::string check_sign(const std::string& text) {
  return text.starts_with('-') ? "expected a whole number from 0, got '" + text + "'" : "";
}

}  // namespace

void refuse_meaningless_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string checked_type = option->get_type_name();  // such as "FILE", or "FLOAT:POSITIVE" with a check
    const std::string type = checked_type.substr(0, checked_type.find(':'));
    if (type == "FILE" || type == "DIR") {
      option->check([&app](const std::string& path) { return check_path(app, path); });
    }
    if (type == "FLOAT") option->check(check_number);
    if (type == "UINT") option->check(check_sign);
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_meaningless_values(*command);
  }
}

void refuse_given(const std::vector<CLI::Option*>& options, const std::string& command, const std::string& where) {
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    throw UsageError("{}: {} has no effect {}; leave it out", command, option->get_name(), where);
  }
}

void add_log_options(CLI::App& command) {
  command
      .add_flag_callback(
          "--quiet", [] { set_log_level(LogLevel::warning); }, "Log warnings and errors only")
      ->group("Messages");
  command
      .add_flag_callback(
          "--verbose", [] { set_log_level(LogLevel::debug); }, "Also log debug messages")
      ->group("Messages");
}

CLI::Option* add_config_options(CLI::App& command, ConfigSource& source) {
  command
      .add_option("--set", source.overrides,
                  "Override a setting of the config, as in --set training.seed=2. The keys are listed by "
                  "transformer config --list and in docs/configuration.md")
      ->type_name("SECTION.KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false)
      ->group("Config");
  CLI::Option* config = command
                            .add_option("--config,config", source.file,
                                        "Config file, for example configs/base.yaml; --config may be left out")
                            ->type_name("FILE")
                            ->group("Config")
                            ->allow_extra_args();  // so that a second file reaches the check
  return config->check([config](const std::string&) -> std::string {
    const auto& files = config->results();
    for (const std::string& file : files) {
      if (file.find('=') == std::string::npos || std::filesystem::exists(file)) continue;
      return fmt::format("got {} as a config file; to override a setting, write --set {}", file, file);
    }
    return files.size() < 2 ? ""
                            : fmt::format("got {} config files, {} and {}; give one", files.size(), files[0], files[1]);
  });
}

CLI::Option* add_model_option(CLI::App& command, std::string& model) {
  return command.add_option("--model", model, "Model file, checkpoint or run directory")->type_name("FILE");
}

torch::Device DeviceOptions::apply() const { return apply_to_several(1).front(); }

std::vector<torch::Device> DeviceOptions::apply_to_several(int count) const {
  warn_of_oversubscription(threads);
  set_num_threads(threads);
  allow_tf32(false);  // which is the default, but an environment variable changes it; training has a key for it
  return select_devices(device, count);
}

void add_device_options(CLI::App& command, DeviceOptions& options) {
  command
      .add_option("--device", options.device,
                  "auto (the first CUDA device, or the CPU if there is none), cpu, cuda or cuda:N")
      ->take_last()
      ->capture_default_str()
      ->group("Devices");
  add_threads_option(command, options.threads);
}

void add_threads_option(CLI::App& command, int& threads) {
  command
      .add_option("--threads", threads,
                  "Number of CPU threads; 0: one for each core, or fewer if OMP_NUM_THREADS or a CPU quota says so")
      ->check(CLI::Range(0, 4096))
      ->take_last()
      ->capture_default_str()
      ->group("Devices");
}

std::vector<CLI::Option*> add_search_options(CLI::App& command, DecodingOverrides& decoding) {
  CLI::Option* beam_size =
      command
          .add_option("--beam-size", decoding.beam_size,
                      "Number of hypotheses in the beam; 1: greedy search; default: from the model's config")
          ->check(in_range_of<int>("decoding.beam_size"));
  CLI::Option* alpha =
      command.add_option("--alpha", decoding.alpha, "Exponent of the length penalty; default: from the model's config")
          ->check(in_range_of<double>("decoding.alpha"));
  CLI::Option* length_penalty =
      command.add_option("--length-penalty", decoding.length_penalty,
                         "Divide log-probabilities by ((5 + length) / 6)^alpha (gnmt), by length^alpha (average) or "
                         "not at all; default: from the model's config");
  accept_names<LengthPenaltyForm>(length_penalty);
  CLI::Option* max_extra_tokens =
      command
          .add_option(
              "--max-extra-tokens", decoding.max_extra_tokens,
              "Number of tokens by which an output may be longer than its input; default: from the model's config")
          ->check(in_range_of<int>("decoding.max_extra_tokens"));
  CLI::Option* trees = command.add_flag_callback(
      "--trees", [&decoding] { decoding.trees = true; },
      "Generate only well-formed trees with one leaf for each word of the line; default: from the model's config");
  CLI::Option* no_trees = command.add_flag_callback(
      "--no-trees", [&decoding] { decoding.trees = false; }, "Do not restrict outputs to trees");
  trees->excludes(no_trees);
  return {beam_size, alpha, length_penalty, max_extra_tokens, trees, no_trees};
}

void add_control_options(CLI::App& command, OutputControl& control) {
  command
      .add_option("--no-repeat-ngram", control.no_repeat_ngram,
                  "Let no sequence of so many pieces occur twice in an output; 0: any may")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command
      .add_option("--repetition-penalty", control.repetition_penalty,
                  "Multiply the log-probabilities of pieces that the output already has by this number; above 1, "
                  "repetitions become less likely")
      ->check(CLI::Range(1e-3, 1e3))
      ->capture_default_str();
  command
      .add_option("--min-length", control.min_length,
                  "Minimum length of an output in tokens, the end symbol included; raises the limit of "
                  "--max-extra-tokens where that is shorter")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      .add_option(
          "--max-length", control.max_length,
          "Maximum length of an output in tokens, the end symbol included, besides --max-extra-tokens; default: "
          "none")
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--coverage-penalty", control.coverage_penalty,
                  "Add so many times the coverage penalty of Wu et al. (2016) to the scores of the beam's outputs, and "
                  "choose the best of them: outputs that leave parts of the source unattended lose")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  command
      .add_option("--diversity", control.diversity,
                  "Prefer hypotheses with different beginnings in the beam: the n-th best continuation of one counts n "
                  "times this number less (Li and Jurafsky, 2016)")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
}

void add_tag_option(CLI::App& command, std::optional<std::string>& tag) {
  command
      .add_option_function<std::string>(
          "--tag", [&tag](const std::string& word) { tag = word; },
          "Tag of the model, such as <2de>, to put before each source text that begins with none: one of those of the "
          "training text (data.train.tag), or a target language of an imported model, such as >>deu<<")
      ->type_name("TAG");
}

void add_translator_options(CLI::App& command, TranslatorOptions& options, WeightType& precision) {
  command
      .add_option("--batch-size", options.batch_size,
                  "Number of sentences that each worker searches together; fewer if they are long")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command
      .add_option("--workers", options.workers,
                  "Number of searches that run in parallel on each device; they share the CPU threads; default: on a "
                  "CPU one for each thread, on a GPU 1")
      ->check(CLI::Range(1, 1024));
  accept_names<WeightType>(
      command.add_option("--precision", precision,
                         "Data type in which the model's matrices are stored and multiplied; fp16 is for GPUs, "
                         "int8 for CPUs; default: fp32"));
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  write_file_atomically(path, text);
  log_info("wrote {}", path);
}

CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print JSON instead of text");
}

}  // namespace transformer
