#include "serving/metrics.h"

#include <fmt/core.h>

#include <string_view>

namespace transformer {
namespace {

std::string heading(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

/// A label's value, in which Prometheus' format wants these characters escaped.
std::string label(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

void ServerMetrics::add_answer(const std::string& path, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++answers_[{path, status}];
  Histogram& times = times_[path];
  for (size_t i = 0; i < kBuckets.size(); ++i) {
    if (seconds <= kBuckets[i]) ++times.counts[i];
  }
  ++times.count;
  times.seconds += seconds;
}

void ServerMetrics::add_text(const std::string& model, int64_t source_tokens, int64_t output_tokens) {
  const std::lock_guard lock(mutex_);
  Tokens& tokens = tokens_[model];
  ++tokens.texts;
  tokens.source += source_tokens;
  tokens.output += output_tokens;
}

std::string ServerMetrics::text(int64_t num_texts_in_progress) const {
  const std::lock_guard lock(mutex_);
  std::string text = heading("transformer_requests_total", "counter", "Answered requests by path and HTTP status.");
  for (const auto& [answer, count] : answers_) {
    text +=
        fmt::format("transformer_requests_total{{path=\"{}\",status=\"{}\"}} {}\n", answer.first, answer.second, count);
  }
  text += heading("transformer_request_seconds", "histogram", "Time from a request's header to its answer.");
  for (const auto& [path, times] : times_) {
    for (size_t i = 0; i < kBuckets.size(); ++i) {
      text += fmt::format("transformer_request_seconds_bucket{{path=\"{}\",le=\"{:g}\"}} {}\n", path, kBuckets[i],
                          times.counts[i]);
    }
    text += fmt::format(
        "transformer_request_seconds_bucket{{path=\"{0}\",le=\"+Inf\"}} {1}\n"
        "transformer_request_seconds_sum{{path=\"{0}\"}} {2:.6f}\n"
        "transformer_request_seconds_count{{path=\"{0}\"}} {1}\n",
        path, times.count, times.seconds);
  }
  const auto add_counter = [&](std::string_view name, std::string_view help, int64_t Tokens::*member) {
    text += heading(name, "counter", help);
    for (const auto& [model, tokens] : tokens_) {
      text += fmt::format("{}{{model=\"{}\"}} {}\n", name, label(model), tokens.*member);
    }
  };
  add_counter("transformer_texts_total", "Translated texts.", &Tokens::texts);
  add_counter("transformer_source_tokens_total", "Pieces of translated texts.", &Tokens::source);
  add_counter("transformer_output_tokens_total", "Pieces of best translations.", &Tokens::output);
  text += heading("transformer_texts_in_progress", "gauge", "Texts that wait or are being translated.");
  return text + fmt::format("transformer_texts_in_progress {}\n", num_texts_in_progress);
}

}  // namespace transformer
