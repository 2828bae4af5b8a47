#include "run/next_commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>

#include "base/format.h"
#include "base/log.h"
#include "evaluation/bleu.h"
#include "model/run_files.h"
#include "run/choose_checkpoints.h"
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

std::string text_of(EndReason reason, const ValidationHistory& validations) {
  switch (reason) {
    case EndReason::patience:
      return fmt::format(
          ", because the last {} not better (training.patience)",
          validations.since_best == 1 ? "validation was" : fmt::format("{} validations were", validations.since_best));
    case EndReason::train_steps:
      return "";
    case EndReason::max_epochs:
      return ", as training.max_epochs says";
  }
  return "";
}

/// The options of average-checkpoints for a finished run; none if best.pt is the model to use.
std::optional<std::string> checkpoints_to_average(EndReason reason, const TrainingConfig& config) {
  static constexpr int64_t kAveraged = 5;  // the base model's number (§6.1)
  const bool is_past_best = reason == EndReason::patience;
  if (config.ema_decay) return is_past_best ? std::nullopt : std::optional<std::string>("--ema --last 1");
  if (!is_past_best) {
    const int64_t count = std::ssize(RunFiles(config.directory).checkpoints());
    return fmt::format("--last {}", std::min(kAveraged, count));
  }
  const bool has_best = has_best_checkpoints(config.directory, kAveraged);
  return has_best ? std::optional(fmt::format("--best {}", kAveraged)) : std::nullopt;
}

/// The option with which eval-bleu has this tokenization; empty for its default.
std::string tokenization_option(Tokenization tokenization) {
  if (tokenization == BleuOptions().tokenization) return "";
  return tokenization == Tokenization::paper ? " --paper" : fmt::format(" --tokenize {}", name_of(tokenization));
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
           text_of(*reason, state.validations), human_duration(state.seconds));
  const auto averaged = checkpoints_to_average(*reason, config.training);
  if (averaged) log_info("  transformer average-checkpoints {0} {1} -o {1}/averaged.pt", *averaged, directory);
  const std::string source = shell_word(config.data.test_source.value_or("SOURCE"));
  log_info("  transformer translate --model {0}/{1} --input {2} --output {0}/translated", directory,
           averaged ? "averaged.pt" : "checkpoints/best.pt", source);
  if (config.decoding.trees) {
    log_info("  transformer trees restore --words {} --brackets {}/translated -o {}/trees", source, directory,
             directory);
    log_info("  transformer eval-parse --gold TREES --predicted {}/trees", directory);
    return;
  }
  log_info("  transformer eval-bleu --hypothesis {}/translated --reference {}{}", directory,
           shell_word(config.data.test_target.value_or("REFERENCE")), tokenization_option(config.evaluation.tokenize));
}

}  // namespace transformer
