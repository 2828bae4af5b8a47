#include "reporting/report_samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "reporting/html.h"

namespace transformer {
namespace {

struct LabeledTranslation {
  std::string label, text;
};

/// A sentence with its translations in the order of the page.
struct Sentence {
  std::string source, reference;
  std::vector<LabeledTranslation> translations;
};

Sentence& sentence_of(std::vector<Sentence>& sentences, const SampleTranslation& sample) {
  const auto found = std::find_if(sentences.begin(), sentences.end(), [&](const Sentence& sentence) {
    return sentence.source == sample.source && sentence.reference == sample.reference;
  });
  if (found != sentences.end()) return *found;
  return sentences.emplace_back(Sentence{sample.source, sample.reference, {}});
}

/// The sentences of one run, whose labels are steps: "500", or "300–500" for equal translations from step 300 on.
std::vector<Sentence> sentences_by_step(const RunRecord& run) {
  std::vector<Sentence> sentences;
  for (auto samples = run.samples.rbegin(); samples != run.samples.rend(); ++samples) {
    const std::string step = with_thousands(samples->step);
    for (const SampleTranslation& sample : samples->translations) {
      auto& translations = sentence_of(sentences, sample).translations;
      if (!translations.empty() && translations.back().text == sample.translation) {
        std::string& label = translations.back().label;
        const size_t separator = label.find("–");
        label = fmt::format("{}–{}", step,
                            separator == label.npos ? label : label.substr(separator + std::string_view("–").size()));
      } else {
        translations.push_back({step, sample.translation});
      }
    }
  }
  return sentences;
}

/// The sentences of several runs, whose labels are the runs.
std::vector<Sentence> sentences_by_run(const std::vector<RunRecord>& runs) {
  std::vector<Sentence> sentences;
  for (const RunRecord& run : runs) {
    if (run.samples.empty()) continue;
    const auto& [step, translations] = run.samples.back();
    for (const SampleTranslation& sample : translations) {
      sentence_of(sentences, sample)
          .translations.push_back({fmt::format("{}, step {}", run.name, with_thousands(step)), sample.translation});
    }
  }
  return sentences;
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
  for (const auto& [label, text] : sentence.translations) {
    html += row(label, text, text == sentence.reference ? " class=\"exact\"" : "");
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
