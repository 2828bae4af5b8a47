#include "run/run_recorder.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/format.h"
#include "base/log.h"
#include "reporting/step_lines.h"
#include "run/run_report.h"

namespace transformer {
namespace {

/// Keys of metrics.jsonl and TensorBoard's tags for them. TensorBoard shows tags with a common beginning together.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTags = {
    {{"loss", "loss/train"},
     {"valid_loss", "loss/valid"},
     {"perplexity", "perplexity/train"},
     {"valid_perplexity", "perplexity/valid"},
     {"valid_bleu", "BLEU/valid"},
     {"valid_chrf", "chrF/valid"},
     {"valid_ter", "TER/valid"},
     {"learning_rate", "training/learning_rate"},
     {"target_tokens_per_second", "training/target_tokens_per_second"},
     {"memory_bytes", "training/memory_bytes"}}};

/// TensorBoard's tag for a key of metrics.jsonl; none if it is not shown.
std::optional<std::string> tag_of(std::string_view key) {
  for (const auto& [known, tag] : kTags) {
    if (!key.starts_with(known)) continue;
    const std::string_view suffix = key.substr(known.size());
    if (suffix.empty() || (known.starts_with("valid_") && suffix.starts_with('_')))
      return fmt::format("{}{}", tag, suffix);
  }
  return std::nullopt;
}

/// TensorBoard shows the text as Markdown, where indented lines are preformatted text.
std::vector<std::pair<std::string, std::string>> tagged_texts(const ValidationSamples& samples) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const SampleTranslation& sample : samples.translations) {
    texts.emplace_back(fmt::format("translations/{}", texts.size() + 1), text_of(sample));
  }
  return texts;
}

}  // namespace

void RunRecorder::begin(const RunFacts& facts, int64_t step) {
  facts_ = facts;
  drop_step_lines_after<MetricsLine>(directory_.metrics(), step);
  drop_step_lines_after<ValidationSamples>(directory_.samples(), step);
  if (config_.training.tensorboard) events_.emplace(directory_.tensorboard(), step + 1);
  write_report();
}

void RunRecorder::write_metrics(const MetricsLine& line) {
  append_step_line(directory_.metrics(), line);
  if (!events_) return;
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [key, value] : line.values) {
    if (const auto tag = tag_of(key)) values.emplace_back(*tag, value);
  }
  events_->write_scalars(line.step, values);
}

void RunRecorder::write_validation(const MetricsLine& line, const ValidationSamples& samples) {
  write_metrics(line);
  append_step_line(directory_.samples(), samples);
  if (events_) events_->write_texts(samples.step, tagged_texts(samples));
  write_report();
}

void RunRecorder::write_report() {
  facts_.updated = utc_time(std::chrono::system_clock::now());
  write_run_facts(directory_.facts(), facts_);
  if (!std::filesystem::exists(directory_.metrics())) return;
  write_file_atomically(directory_.report(), report_page({read_run_record(directory_, config_)}, /*refreshes=*/true));
}

void RunRecorder::end(RunStatus status) {
  facts_.status = status;
  write_report();
}

void RunRecorder::end_after_failure() noexcept {
  try {
    end(RunStatus::failed);
  } catch (const std::exception& error) {
    log_warning("{}; the run's files are not up to date", error.what());
  }
}

}  // namespace transformer
