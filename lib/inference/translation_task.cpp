#include "inference/translation_task.h"

#include <fmt/core.h>

#include <utility>

#include "base/command_files.h"
#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/parameter_error.h"
#include "base/words.h"
#include "inference/translator.h"
#include "text/clean_line.h"

namespace transformer {
namespace {

/// The words and phrases of a file, one in each line.
std::vector<std::string> read_phrases(const std::string& path) {
  std::vector<std::string> phrases;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const std::string phrase = clean_line(line).text;
    if (is_blank(phrase)) continue;
    if (phrase.find_first_not_of(" \t*") == std::string::npos) {
      throw Error("{}:{}: '{}' is no word or phrase; write one between the asterisks", shown_path(path),
                  reader.line_number(), shown_value(phrase));
    }
    phrases.push_back(phrase);
  }
  if (phrases.empty()) throw Error("{}: has no word or phrase; write one in each line", shown_path(path));
  return phrases;
}

/// The terms of a file, one in each line.
std::vector<Term> read_terms(const std::string& path) {
  std::vector<Term> terms;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const std::string text = clean_line(line).text;
    if (is_blank(text)) continue;
    const auto phrases = split(text, '\t');
    const std::string place = fmt::format("{}:{}", shown_path(path), reader.line_number());
    if (phrases.size() != 2) {
      throw Error("{}: has {} with tabs between them; write a source phrase, a tab and a target phrase", place,
                  counted(std::ssize(phrases), "phrase"));
    }
    terms.push_back({phrases[0], phrases[1], place});
  }
  if (terms.empty()) {
    throw Error("{}: has no term; write a source phrase, a tab and a target phrase in each line", shown_path(path));
  }
  return terms;
}

}  // namespace

TranslationTask checked(TranslationTask task) {
  // Only the terms may be a file of columns.
  check_input_texts({task.input, task.prefix, task.forbid, task.terminology == "-" ? "-" : ""});
  std::vector<std::string> inputs = {task.input, task.prefix, task.forbid, task.terminology};
  inputs.insert(inputs.end(), task.models.begin(), task.models.end());
  check_replaces_no_input(task.output, inputs);
  const TranslationFormat& format = task.format;
  const int64_t nbest = task.translator.nbest;
  check_choice(task.choice, task.translator);
  if (nbest > 1 && format.kind == OutputFormat::text) {
    throw ParameterError("'nbest' {}: a line of text holds one translation; give 'format' nbest or jsonl", nbest);
  }
  if (format.kind == OutputFormat::document && (format.scores || format.word_scores)) {
    throw ParameterError("'{}': a document has no place for scores; leave it out, or give 'format' text",
                         format.scores ? "scores" : "word_scores");
  }
  if (format.scores && format.kind != OutputFormat::text) {
    throw ParameterError("'scores': nbest and jsonl contain the scores in any case; leave it out");
  }
  if (format.word_scores && format.kind == OutputFormat::jsonl) {
    throw ParameterError("'word_scores': jsonl contains them in any case; leave it out");
  }
  task.translator.words = format.words;
  task.translator.word_alignment = format.word_alignment;
  if (task.choice.alternatives > 0 && (format.kind == OutputFormat::text || format.kind == OutputFormat::document)) {
    throw ParameterError(
        "'alternatives' {}: a line of text, or a segment, holds one translation; give 'format' nbest or jsonl",
        task.choice.alternatives);
  }
  if (!task.terminology.empty()) task.translator.control.terms = read_terms(task.terminology);
  if (!task.forbid.empty()) task.translator.control.forbidden = read_phrases(task.forbid);
  check_part_options(task.parts);
  const bool in_parts = task.parts.divide_lines();
  const bool has_more = task.translator.alignment || format.words || format.word_alignment;
  const bool is_plain = format.kind == OutputFormat::text && !format.scores && !format.word_scores;
  const bool is_document = format.kind == OutputFormat::document;
  if (is_document && nbest > 1) throw ParameterError("'nbest' {}: a document holds one translation", nbest);
  if ((in_parts || is_document) && has_more) {
    throw ParameterError(
        "'{}': needs whole lines as text; leave it out, or the options for parts and documents",
        format.words ? "word_probabilities" : (format.word_alignment ? "word_alignment" : "alignment"));
  }
  if (in_parts && !is_plain && !is_document) {
    throw ParameterError(
        "'split' and 'protect' join translations of parts, which have no score in common; give 'format' text or "
        "document, without scores");
  }
  if ((in_parts || is_document) && !task.prefix.empty()) {
    throw ParameterError("'prefix': begins whole lines; leave it out with 'split', 'protect' and documents");
  }
  if (!is_document && !task.into.empty()) throw ParameterError("'into': needs 'format' document");
  return task;
}

void check_fits_task(const TranslationTask& task, const DecodingConfig& config) {
  check_choice_fits(task.choice, task.translator, config);
  if (config.trees && !task.prefix.empty()) {
    throw ParameterError("'prefix': outputs that are trees take no prefix; give 'no_trees'");
  }
}

}  // namespace transformer
