#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "reporting/html.h"
#include "reporting/report_parts.h"

namespace transformer {
namespace {

struct ShownTranslation {
  std::string run;  // the run's name; empty on the page of a single run
  int64_t first_step, last_step;
  std::string text;
};

/// A sentence with its translations in the order of the page.
struct Sentence {
  std::string source, reference;
  std::vector<ShownTranslation> translations;
};

Sentence& sentence_of(std::vector<Sentence>& sentences, const SampleTranslation& sample) {
  const auto found = std::find_if(sentences.begin(), sentences.end(), [&](const Sentence& sentence) {
    return sentence.source == sample.source && sentence.reference == sample.reference;
  });
  if (found != sentences.end()) return *found;
  return sentences.emplace_back(Sentence{sample.source, sample.reference, {}});
}

/// The sentences of one run, with equal translations of several steps as one.
std::vector<Sentence> sentences_by_step(const RunRecord& run) {
  std::vector<Sentence> sentences;
  for (auto samples = run.samples.rbegin(); samples != run.samples.rend(); ++samples) {
    for (const SampleTranslation& sample : samples->translations) {
      auto& translations = sentence_of(sentences, sample).translations;
      if (!translations.empty() && translations.back().text == sample.translation) {
        translations.back().first_step = samples->step;
      } else {
        translations.push_back({"", samples->step, samples->step, sample.translation});
      }
    }
  }
  return sentences;
}

/// The sentences of several runs, with the latest translation of each.
std::vector<Sentence> sentences_by_run(const std::vector<RunRecord>& runs) {
  std::vector<Sentence> sentences;
  for (const RunRecord& run : runs) {
    if (run.samples.empty()) continue;
    const auto& [step, translations] = run.samples.back();
    for (const SampleTranslation& sample : translations) {
      sentence_of(sentences, sample).translations.push_back({run.name, step, step, sample.translation});
    }
  }
  return sentences;
}

/// "500", "300–500" for equal translations from step 300 on, or "runs/a, step 500".
std::string label_of(const ShownTranslation& translation) {
  const auto& [run, first_step, last_step, text] = translation;
  if (!run.empty()) return fmt::format("{}, step {}", run, with_thousands(last_step));
  const std::string last = with_thousands(last_step);
  return first_step == last_step ? last : fmt::format("{}–{}", with_thousands(first_step), last);
}

/// dir="auto" lets the browser find out the direction of the writing.
std::string row(std::string_view label, std::string_view text, std::string_view css_class) {
  return fmt::format("<dt>{}</dt><dd dir=\"auto\"{}>{}</dd>\n", escaped_html(label), css_class,
                     text.empty() ? "<span class=\"note\">(empty)</span>" : escaped_html(text));
}

std::string sentence_html(const Sentence& sentence) {
  std::string html = fmt::format("<dl class=\"sample\">\n{}{}", row("Source", sentence.source, ""),
                                 row("Reference", sentence.reference, ""));
  html += "</dl>\n<dl class=\"sample translations\">\n";
  for (const ShownTranslation& translation : sentence.translations) {
    const bool is_exact = translation.text == sentence.reference;
    html += row(label_of(translation), translation.text, is_exact ? " class=\"exact\"" : "");
  }
  return "<div class=\"card\">" + html + "</dl></div>\n";
}

}  // namespace

std::string sample_translations(const std::vector<RunRecord>& runs) {
  const bool one_run = runs.size() == 1;
  const std::vector<Sentence> sentences = one_run ? sentences_by_step(runs[0]) : sentences_by_run(runs);
  if (sentences.empty()) return "";
  std::string html =
      fmt::format("<h2>Sample translations {}</h2>\n", one_run ? "by step" : "of the latest validations");
  for (const Sentence& sentence : sentences) html += sentence_html(sentence);
  return html;
}

}  // namespace transformer
