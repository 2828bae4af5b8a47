#include "evaluation/evaluate_translation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/command_files.h"
#include "base/format.h"
#include "base/found_lines.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/utf8.h"
#include "evaluation/characters.h"
#include "evaluation/score_format.h"
#include "evaluation/text_kind.h"
#include "text/aligned_lines.h"
#include "text/clean_line.h"
#include "text/text_form.h"

namespace transformer {
namespace {

using Task = TranslationEvaluationTask;
using MetricList = std::vector<std::unique_ptr<Metric>>;

void check(const Task& task) {
  std::vector<std::string> paths = task.hypotheses;
  paths.insert(paths.end(), task.references.begin(), task.references.end());
  if (!task.source.empty()) paths.push_back(task.source);
  check_input_texts(paths);
  check_are_different(task.hypotheses, "'hypothesis'");
  const bool takes_value = task.bleu.smoothing == Smoothing::floor || task.bleu.smoothing == Smoothing::add_k;
  if (task.bleu.smooth_value && !takes_value) {
    throw ParameterError("'smooth_value' is for 'smooth_method' floor and add-k; leave it out or choose one of them");
  }
  const bool has_model = !task.bleu.tokenizer_model.empty();
  if (needs_model(task.bleu.tokenization) && !has_model) {
    throw ParameterError(
        "'tokenize' {0} needs the SentencePiece model of that name, which is not a part of this program; give the file "
        "as 'tokenizer_model' (where sacreBLEU has used {0}, it has a copy in ~/.sacrebleu/models)",
        name_of(task.bleu.tokenization));
  }
  if (has_model && !needs_model(task.bleu.tokenization)) {
    throw ParameterError(
        "'tokenizer_model' has no effect with 'tokenize' {}; leave it out, or give 'tokenize' flores200",
        name_of(task.bleu.tokenization));
  }
  const bool several = task.hypotheses.size() > 1;
  if (task.paired && !several) {
    throw ParameterError("'paired_bs' compares systems; give 'hypothesis' two files or more, the baseline first");
  }
  if (task.confidence && several) {
    throw ParameterError("'confidence' is for one system; for several use 'paired_bs', which gives intervals, too");
  }
  if (task.score_only && several) throw ParameterError("'score_only' is for one system; score each by itself");
  if (task.sentence && (several || task.paper || task.metrics.size() > 1)) {
    throw ParameterError("'sentence' scores one system by one metric; score each by itself");
  }
}

MetricList make_metrics(const Task& task) {
  MetricList metrics;
  if (task.has_metric(EvaluationMetric::bleu)) {
    BleuOptions bleu = task.bleu;
    bleu.effective_order = bleu.effective_order || task.sentence;
    metrics.push_back(std::make_unique<Bleu>(bleu));
  }
  if (task.paper) metrics.push_back(std::make_unique<Bleu>(paper_bleu_options()));
  if (task.has_metric(EvaluationMetric::chrf)) metrics.push_back(std::make_unique<Chrf>(task.chrf));
  if (task.has_metric(EvaluationMetric::chrf_plus_plus)) {
    ChrfOptions chrf = task.chrf;
    chrf.word_order = 2;
    metrics.push_back(std::make_unique<Chrf>(chrf));
  }
  if (task.has_metric(EvaluationMetric::ter)) metrics.push_back(std::make_unique<Ter>(task.ter));
  return metrics;
}

std::vector<NamedText> read_texts(const std::vector<std::string>& paths) {
  std::vector<NamedText> texts;
  for (const std::string& path : paths) {
    NamedText& text = texts.emplace_back(NamedText{shown_path(path), {}});
    LineReader reader(path);
    for (std::string line; reader.next(line);) {
      text.lines.push_back(line);
      text.segments.push_back(reader.segment_name());
    }
  }
  return texts;
}

/// The lines with the property; `has_property` gets their indices.
template <class Property>
FoundLines find_lines(size_t num_lines, const Property& has_property) {
  FoundLines found;
  for (size_t i = 0; i < num_lines; ++i) {
    if (has_property(i)) found.add(static_cast<int64_t>(i) + 1);
  }
  return found;
}

void warn_of_invalid_text(const std::vector<NamedText>& texts) {
  for (const NamedText& text : texts) {
    const FoundLines invalid = find_lines(text.lines.size(), [&](size_t i) { return !is_valid_utf8(text.lines[i]); });
    if (invalid.count == 0) continue;
    log_warning(
        "{}; scored as it is, but invalid bytes match no valid text (convert the file, for example with `iconv -f "
        "WINDOWS-1252 -t UTF-8`)",
        describe_invalid_lines(text.name, invalid));
  }
}

void warn_of_text_form(const std::vector<NamedText>& texts) {
  for (const NamedText& text : texts) {
    TextForm form;
    for (const std::string& line : text.lines) form.add(line);
    form.warn(text.name, "it is scored as it is");
  }
}

void warn_of_empty_lines(const std::vector<NamedText>& references) {
  for (const NamedText& reference : references) {
    const FoundLines empty =
        find_lines(reference.lines.size(), [&](size_t i) { return strip_whitespace(reference.lines[i]).empty(); });
    if (empty.count == 0) continue;
    log_warning("{}:{}: {}; scored nevertheless, but no word of a translation can match an empty reference{}",
                reference.name, empty.first,
                empty.count == 1 ? "this reference line is empty"
                                 : fmt::format("the first of {} empty reference lines", with_thousands(empty.count)),
                references.size() == 1
                    ? ""
                    : ", which counts as one of length 0 and not as absent (as in sacreBLEU, whatever "
                      "its README says), so that BLEU's brevity penalty spares short translations");
  }
}

/// The lines that have one of the strings.
template <size_t kCount>
FoundLines find_any(const std::vector<std::string>& lines, const std::array<std::string_view, kCount>& strings) {
  return find_lines(lines.size(), [&](size_t i) {
    return std::any_of(strings.begin(), strings.end(),
                       [&](std::string_view string) { return lines[i].find(string) != std::string::npos; });
  });
}

/// Warns if some of the texts have what Moses' tokenizer writes for some characters, and others have these characters
/// themselves, so that they were not all detokenized.
void warn_of_moses_escapes(const std::vector<NamedText>& systems, const std::vector<NamedText>& references) {
  static constexpr std::array<std::string_view, 5> kEscapes = {"&apos;", "&quot;", "&#91;", "&#93;", "&#124;"};
  static constexpr std::array<std::string_view, 2> kPlain = {"'", "\""};
  std::vector<const NamedText*> texts;
  for (const NamedText& system : systems) texts.push_back(&system);
  for (const NamedText& reference : references) texts.push_back(&reference);
  const auto plain = std::find_if(texts.begin(), texts.end(), [](const NamedText* text) {
    return find_any(text->lines, kEscapes).count == 0 && find_any(text->lines, kPlain).count > 0;
  });
  if (plain == texts.end()) return;
  for (const NamedText* text : texts) {
    const FoundLines escaped = find_any(text->lines, kEscapes);
    if (escaped.count == 0) continue;
    log_warning(
        "{}:{}: has &apos; or another escape of Moses' tokenizer, {}, and {} has the characters themselves; scored as "
        "it is, but the score is too low until both are detokenized",
        text->name, escaped.first, first_of_such_lines(escaped.count), (*plain)->name);
  }
}

/// The first character reference of HTML in the line, such as "&#39;" or "&ouml;", except for those that the
/// tokenization 13a replaces and the escapes of Moses' tokenizer; empty if there is none.
std::string find_character_reference(const std::string& line) {
  static const std::regex reference(
      "&(?!(?:quot|amp|lt|gt|apos|#91|#93|#124);)(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8}[0-9]{0,2});");
  std::smatch match;
  if (line.find('&') == std::string::npos || !std::regex_search(line, match, reference)) return "";
  return match.str();
}

/// Warns if some of the texts have character references of HTML, and others have none.
void warn_of_character_references(const std::vector<NamedText>& systems, const std::vector<NamedText>& references) {
  std::vector<std::pair<const NamedText*, FoundLines>> texts;
  for (const auto* group : {&systems, &references}) {
    for (const NamedText& text : *group) {
      texts.emplace_back(&text, find_lines(text.lines.size(),
                                           [&](size_t i) { return !find_character_reference(text.lines[i]).empty(); }));
    }
  }
  const auto plain = std::find_if(texts.begin(), texts.end(), [](const auto& text) { return text.second.count == 0; });
  if (plain == texts.end()) return;
  for (const auto& [text, found] : texts) {
    if (found.count == 0) continue;
    log_warning(
        "{}:{}: has '{}', as HTML writes a character, {}, and {} has nothing like it; scored as it is, but the score "
        "is too low until all texts have the characters themselves",
        text->name, found.first, find_character_reference(text->lines[static_cast<size_t>(found.first) - 1]),
        first_of_such_lines(found.count), plain->first->name);
  }
}

/// With several systems, some of which may be the same file or differ only in what the metric ignores.
void warn_of_no_difference(const SystemsTable& table) {
  static constexpr double kSignificant = 0.05;
  for (const Comparison& comparison : table.comparisons) {
    const ComparedScore& baseline = comparison.scores.front();
    for (size_t i = 1; i < comparison.scores.size(); ++i) {
      const ComparedScore& score = comparison.scores[i];
      if (score.value != baseline.value || score.p_value.value_or(1) >= kSignificant) continue;
      log_warning(
          "{}: has the same {} as the baseline, {}; its p-value of {:.4f}, which sacreBLEU prints, too, is no sign of "
          "a difference",
          table.systems[i], comparison.metric, table.systems[0], *score.p_value);
    }
  }
}

void warn_of_unsuitable_text(const Task& task, const std::vector<NamedText>& systems,
                             const std::vector<NamedText>& references) {
  static constexpr size_t kFilteredNewstest2014 = 2737;
  const WordTokenizer tokenize(task.bleu.tokenization, task.bleu.tokenizer_model);
  if (task.has_metric(EvaluationMetric::bleu)) {
    bool may_match = task.bleu.effective_order || task.sentence;  // n-grams of four words, or shorter ones count
    for (const NamedText& reference : references) {
      const bool lacks_spaces =
          warn_of_few_spaces(reference.name, reference.lines, task.bleu.tokenization, "give --tokenize");
      may_match = may_match || lacks_spaces || has_four_words(reference.lines, tokenize);
    }
    if (!may_match) {
      log_warning(
          "{}: no reference line has four words, so BLEU is 0 or close to it even if every translation is right; "
          "scored nevertheless, but give --effective-order or --metrics chrf",
          references.front().name);
    }
  }
  for (const NamedText& system : systems) {
    if (task.has_metric(EvaluationMetric::bleu) && task.bleu.tokenization != Tokenization::none &&
        looks_tokenized(system.lines)) {
      log_warning(
          "{}: 100 lines or more end in ' .', so the text seems to be tokenized; scored as it is, but only the BLEU of "
          "detokenized text can be compared with other figures",
          system.name);
    }
  }
  if (task.paper && systems[0].lines.size() == kFilteredNewstest2014) {
    log_warning(
        "{}: has 2,737 lines, as the filtered newstest2014 does; scored as it is, but the paper's figures are on the "
        "full newstest2014 of 3,003 lines",
        systems[0].name);
  }
}

/// The source text, which has as many lines as each system; empty without --source.
std::vector<std::string> read_source(const Task& task, const std::vector<NamedText>& systems) {
  if (task.source.empty()) return {};
  const NamedText source = read_texts({task.source}).front();
  for (const NamedText& system : systems) check_are_parallel(source, system);
  return source.lines;
}

/// Warns about systems that copy more than one in ten of the source lines.
void warn_of_copies(const std::vector<std::string>& source, const std::vector<NamedText>& systems) {
  for (const NamedText& system : systems) {
    const FoundLines copies = find_lines(source.size(), [&](size_t i) { return is_copy(source[i], system.lines[i]); });
    if (10 * copies.count <= std::ssize(source)) continue;
    log_warning("{}:{}: equals the source, as {} of {} do; scored as they are", system.name, copies.first,
                with_thousands(copies.count), counted(std::ssize(source), "line"));
  }
}

/// One score for each metric, or with --sentence one for each line.
std::vector<Score> scores_of(const NamedText& system, const std::vector<NamedText>& references, const Task& task) {
  std::optional<Resampling> resampling;
  if (task.confidence) resampling = {task.confidence_samples, task.seed};
  std::vector<Score> scores;
  for (const auto& metric : make_metrics(task)) {
    const auto lines = corpus_statistics(*metric, system, references);
    if (!task.sentence) {
      scores.push_back(score_of(*metric, lines, references.size(), resampling));
      continue;
    }
    for (const Statistics& line : lines) scores.push_back(score_of(*metric, {line}, references.size()));
  }
  return scores;
}

SystemsTable table_of(const std::vector<NamedText>& systems, const std::vector<NamedText>& references,
                      const Task& task) {
  SystemsTable table;
  if (task.paired) table.paired = {task.paired_samples, task.seed};
  for (const NamedText& system : systems) table.systems.push_back(system.name);
  for (const auto& metric : make_metrics(task)) {
    table.comparisons.push_back(compare(*metric, systems, references, table.paired));
  }
  return table;
}

std::string formatted(const std::vector<Score>& scores, const Task& task) {
  if (task.json) return format_json(scores, task.width);
  if (!task.score_only && !task.sentence) return format_text(scores, task.width);
  std::string text;
  for (const Score& score : scores) {
    const std::string line = task.score_only ? format_value(score, task.width) : format_text({score}, task.width);
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

}  // namespace

bool TranslationEvaluationTask::has_metric(EvaluationMetric metric) const {
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

std::string evaluate_translation(const TranslationEvaluationTask& task) {
  check(task);
  const std::vector<NamedText> systems = read_texts(task.hypotheses);
  const std::vector<NamedText> references = read_texts(task.references);
  const std::vector<std::string> source = read_source(task, systems);
  std::string result;
  if (systems.size() == 1) {
    result = formatted(scores_of(systems[0], references, task), task);
  } else {
    const SystemsTable table = table_of(systems, references, task);
    result = task.json ? format_json(table, task.width) : format_text(table, task.width);
    warn_of_no_difference(table);
  }
  warn_of_invalid_text(systems);
  warn_of_invalid_text(references);
  warn_of_text_form(systems);
  warn_of_text_form(references);
  warn_of_moses_escapes(systems, references);
  warn_of_character_references(systems, references);
  warn_of_empty_lines(references);
  warn_of_unsuitable_text(task, systems, references);
  if (!source.empty()) warn_of_copies(source, systems);
  return result;
}

}  // namespace transformer
