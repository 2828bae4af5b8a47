#include "run/next_commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <string>

#include "base/format.h"
#include "base/log.h"
#include "evaluation/bleu.h"
#include "model/run_files.h"
#include "training/due.h"

namespace transformer {
namespace {

/// The path as one word of a shell command, which is no option either.
std::string shell_word(const std::string& path) {
  const std::string word = path.starts_with('-') ? "./" + path : path;
  static const std::regex plain("[A-Za-z0-9_./:+,=@%-]+");
  if (std::regex_match(word, plain)) return word;
  return fmt::format("'{}'", std::regex_replace(word, std::regex("'"), "'\\''"));
}

std::string text_of(EndReason reason, const TrainingState& state, const TrainingConfig& config) {
  const ValidationHistory& validations = state.validations;
  switch (reason) {
    case EndReason::patience:
      return fmt::format(
          ", because the last {} not better (training.patience)",
          validations.since_best == 1 ? "validation was" : fmt::format("{} validations were", validations.since_best));
    case EndReason::train_steps:
      if (!config.max_epochs) return "";
      return fmt::format(", as training.train_steps says, in epoch {} of at most {}",
                         static_cast<int64_t>(state.epochs) + 1, *config.max_epochs);
    case EndReason::max_epochs:
      return ", as training.max_epochs says";
  }
  return "";
}

/// The arguments of average-checkpoints for a finished run, whose directory is `directory` as a word of the shell.
/// Without validation text it cannot find the best average itself.
std::string average_arguments(const Config& config, const std::string& directory) {
  static constexpr int64_t kAveraged = 5;  // the base model's number (§6.1)
  if (!config.data.valid.empty()) return directory;
  const int64_t count = std::ssize(RunFiles(config.training.directory).checkpoints());
  const std::string choice =
      config.training.ema_decay ? "--ema --last 1" : fmt::format("--last {}", std::min(kAveraged, count));
  return fmt::format("{0} {1} -o {1}/averaged.safetensors", choice, directory);
}

/// The options with which eval-bleu has this tokenization; empty for its default.
std::string tokenization_options(const EvaluationConfig& config) {
  if (config.tokenize == BleuOptions().tokenization) return "";
  if (config.tokenize == Tokenization::paper) return " --paper";
  const std::string model =
      config.tokenizer_model ? " --tokenizer-model " + shell_word(*config.tokenizer_model) : std::string();
  return fmt::format(" --tokenize {}{}", name_of(config.tokenize), model);
}

}  // namespace

void log_next_commands(const Config& config, const TrainingState& state, bool overwrite) {
  std::string run = config.training.directory;
  while (run.size() > 1 && run.ends_with('/')) run.pop_back();
  const std::string directory = shell_word(run);
  const auto reason = end_reason(state, config.training);
  if (!reason) {
    log_info("stopped after step {}; the same command{} resumes the run", with_thousands(state.step),
             overwrite ? " without --overwrite" : "");
    return;
  }
  log_info("finished after step {}{} ({} of training). Next:", with_thousands(state.step),
           text_of(*reason, state, config.training), human_duration(state.seconds));
  log_info("  transformer average-checkpoints {}", average_arguments(config, directory));
  const std::string source = shell_word(config.data.test_source.value_or("SOURCE"));
  log_info("  transformer translate --model {0}/averaged.safetensors --input {1} --output {0}/translated", directory,
           source);
  if (config.decoding.trees) {
    log_info("  transformer trees restore --words {} --brackets {}/translated -o {}/trees", source, directory,
             directory);
    log_info("  transformer eval-parse --gold TREES --predicted {}/trees", directory);
    return;
  }
  log_info("  transformer eval-bleu --hypothesis {}/translated --reference {}{}", directory,
           shell_word(config.data.test_target.value_or("REFERENCE")), tokenization_options(config.evaluation));
}

}  // namespace transformer
