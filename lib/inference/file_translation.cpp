#include "inference/file_translation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/command_files.h"
#include "base/error.h"
#include "base/format.h"
#include "base/found_lines.h"
#include "base/line_reader.h"
#include "base/line_writer.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/status_line.h"
#include "base/words.h"
#include "decoding/terminology.h"
#include "documents/read_document.h"
#include "inference/alternatives.h"
#include "inference/encode_line.h"
#include "inference/part_translator.h"
#include "inference/translator.h"
#include "platform/malloc_policy.h"
#include "text/aligned_lines.h"
#include "text/clean_line.h"
#include "text/text_form.h"
#include "text/untagged_lines.h"

namespace transformer {
namespace {

/// The words and phrases of a file, one in each line.
std::vector<std::string> read_phrases(const std::string& path) {
  std::vector<std::string> phrases;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const std::string phrase = clean_line(line).text;
    if (phrase.find_first_not_of(" \t") == std::string::npos) continue;
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
    if (text.find_first_not_of(" \t") == std::string::npos) continue;
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

/// Checks the files and what does not depend on a model. Returns the task.
TranslationTask checked(TranslationTask task) {
  // Only the terms may be a file of columns.
  check_input_texts({task.input, task.prefix, task.forbid, task.terminology == "-" ? "-" : ""});
  std::vector<std::string> inputs = {task.input, task.prefix, task.forbid, task.terminology};
  inputs.insert(inputs.end(), task.models.begin(), task.models.end());
  check_replaces_no_input(task.output, inputs);
  const TranslationFormat& format = task.format;
  const int64_t nbest = task.translator.nbest;
  if (task.mbr == 0) check_sampling(task.translator);
  if (nbest > 1 && format.kind == OutputFormat::text) {
    throw ParameterError("'nbest' {}: a line of text holds one translation; give 'format' nbest or jsonl", nbest);
  }
  if (format.scores && format.kind != OutputFormat::text) {
    throw ParameterError("'scores': nbest and jsonl contain the scores in any case; leave it out");
  }
  if (format.word_scores && format.kind == OutputFormat::jsonl) {
    throw ParameterError("'word_scores': jsonl contains them in any case; leave it out");
  }
  task.translator.words = format.words;
  task.translator.word_alignment = format.word_alignment;
  if (task.alternatives > 0) {
    if (nbest > 1 || task.mbr > 0) {
      throw ParameterError(
          "'alternatives' is the number of translations, chosen in another way than by '{}'; leave out "
          "one of them",
          nbest > 1 ? "nbest" : "mbr");
    }
    if (format.kind == OutputFormat::text || format.kind == OutputFormat::document) {
      throw ParameterError(
          "'alternatives' {}: a line of text, or a segment, holds one translation; give 'format' nbest or jsonl",
          task.alternatives);
    }
  }
  if (task.mbr > 0 && nbest > task.mbr) {
    throw ParameterError("'nbest' {}: there are {} candidates; give a larger 'mbr'", nbest, task.mbr);
  }
  if (!task.terminology.empty()) task.translator.control.terms = read_terms(task.terminology);
  if (!task.forbid.empty()) task.translator.control.forbidden = read_phrases(task.forbid);
  const bool in_parts = task.split != LineParts::lines || task.protect || !task.protect_regex.empty();
  const bool has_more = task.translator.alignment || format.words || format.word_alignment;
  const bool is_plain = format.kind == OutputFormat::text && !format.scores && !format.word_scores;
  const bool is_document = format.kind == OutputFormat::document;
  if (is_document && nbest > 1) throw ParameterError("'nbest' {}: a document holds one translation", nbest);
  if ((in_parts || is_document) && has_more) {
    throw ParameterError("'{}': needs whole lines as text; leave it out, or the options for parts and documents",
                         format.words ? "words" : (format.word_alignment ? "word_alignment" : "alignment"));
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
  if (task.split == LineParts::lines && !task.split_language.empty()) {
    throw ParameterError("'split_language': needs 'split' sentences");
  }
  return task;
}

void check_fits_task(const TranslationTask& task, const DecodingConfig& config) {
  TranslatorOptions options = task.translator;
  if (task.mbr > 0) {
    if (task.mbr > config.beam_size && !options.sampling) {
      throw ParameterError("'mbr' {}: the beam size is {}; give a larger 'beam_size', or 'sample'", task.mbr,
                           config.beam_size);
    }
    options.nbest = 1;  // it is chosen among the candidates
  }
  check_fits(config, options);
  if (config.trees && !task.prefix.empty()) {
    throw ParameterError("'prefix': outputs that are trees take no prefix; give 'no_trees'");
  }
}

/// How translations are made: by the search alone, as alternatives after prefixes, or by minimum Bayes risk.
class LineTranslator {
 public:
  LineTranslator(const LoadedEnsemble& models, const DecodingConfig& config, const TranslationTask& task)
      : task_(task) {
    if (task.alternatives > 0) {
      alternatives_.emplace(models.replicas, models.tokenizers, config, task.translator, task.alternatives);
      return;
    }
    TranslatorOptions options = task.translator;
    if (task.mbr > 0) options.nbest = options.sampling ? 1 : task.mbr;
    translator_.emplace(models.replicas, models.tokenizers, config, options);
  }

  std::vector<TranslatedLine> translate(const std::vector<TranslationRequest>& block,
                                        const std::function<void(int64_t num_lines)>& on_progress) const {
    if (alternatives_) return alternatives_->translate(block, on_progress);
    if (task_.mbr == 0) return translator_->translate(block, on_progress);
    auto lines = task_.translator.sampling ? samples(block) : translator_->translate(block, on_progress);
    for (TranslatedLine& line : lines) choose_by_utility(line);
    return lines;
  }

  const LengthLimit& max_line_length() const {
    return alternatives_ ? alternatives_->max_line_length() : translator_->max_line_length();
  }

 private:
  /// `mbr` samples of each line, the first of which is the one that a line has without `mbr`.
  std::vector<TranslatedLine> samples(const std::vector<TranslationRequest>& block) const {
    static constexpr int kLineBits = 40;  // of a line's sampling key
    std::vector<TranslatedLine> lines;
    for (int64_t sample = 0; sample < task_.mbr; ++sample) {
      auto requests = block;
      for (auto& request : requests) request.sampling_key += static_cast<uint64_t>(sample) << kLineBits;
      auto drawn = translator_->translate(requests);
      for (size_t i = 0; i < drawn.size() && sample > 0; ++i) {
        if (!lines[i].source_pieces.empty()) lines[i].translations.push_back(std::move(drawn[i].translations.front()));
      }
      if (sample == 0) lines = std::move(drawn);
    }
    return lines;
  }

  void choose_by_utility(TranslatedLine& line) const {
    auto& translations = line.translations;
    std::vector<std::string> texts;
    std::vector<double> weights;  // samples come as often as they are likely
    for (const Translation& translation : translations) {
      texts.push_back(translation.text);
      if (!task_.translator.sampling) weights.push_back(std::exp(translation.log_prob - line.best().log_prob));
    }
    const auto utilities = task_.utilities(texts, weights);
    for (size_t i = 0; i < utilities.size(); ++i) translations[i].utility = utilities[i];
    std::stable_sort(translations.begin(), translations.end(),
                     [](const Translation& a, const Translation& b) { return a.utility > b.utility; });
    translations.resize(std::min(translations.size(), static_cast<size_t>(task_.translator.nbest)));
  }

  const TranslationTask& task_;
  std::optional<Translator> translator_;
  std::optional<AlternativesTranslator> alternatives_;
};

/// What is known of all lines.
struct Summary {
  explicit Summary(const std::vector<std::string>& tags) : untagged(tags) {}

  int64_t num_lines = 0, num_output_tokens = 0;
  FoundLines truncated, invalid, with_nul, at_limit, empty, around_placeholders, without_placeholders;
  TextForm form;
  UntaggedLines untagged;
  UnknownPieces unknown;

  /// `number` is for messages.
  void add(int64_t number, const JoinedLine& joined) {
    const TranslatedLine& line = joined.line;
    ++num_lines;
    if (joined.was_cut) around_placeholders.add(number);
    if (joined.lacks_placeholder) without_placeholders.add(number);
    num_output_tokens += std::ssize(line.best().tokens);
    if (line.was_cut) truncated.add(number);
    if (line.was_invalid) invalid.add(number);
    if (line.had_nul) with_nul.add(number);
    unknown.add(number, line.num_unknown);
    if (line.best().reached_limit) at_limit.add(number);
    const bool is_blank = line.best().text.find_first_not_of(' ') == std::string::npos;
    if (is_blank && !line.source_pieces.empty()) empty.add(number);
  }
};

void warn_of_unmet_terms(const std::string& input, int64_t number, const TranslatedLine& line) {
  for (const Term& term : unmet_terms(line.terms, line.best().text)) {
    log_warning("{}:{}: its translation has no '{}' for '{}' ({})", shown_path(input), number, shown_value(term.target),
                shown_value(term.source), term.place);
  }
}

void check_prefix(const std::vector<TokenId>& pieces, TokenId unknown, const std::string& file, int64_t line) {
  if (std::find(pieces.begin(), pieces.end(), unknown) == pieces.end()) return;
  throw Error(
      "{}:{}: has a character that the model's vocabulary lacks, so no translation can begin with it; leave the "
      "character out",
      shown_path(file), line);
}

/// The number of lines that are translated together, sorted by length among themselves.
constexpr size_t kBlockLines = 4096;

/// Reads the next lines. They are fewer than kBlockLines at the end of the input, and if the next line has not arrived
/// yet: whoever waits for an answer gets it at once.
std::vector<TranslationRequest> read_block(AlignedLines& reader, const std::string& prefix_file, TokenId unknown,
                                           WholeLineEncoder& prefixes) {
  std::vector<TranslationRequest> block;
  for (std::vector<std::string> line; reader.next(line);) {
    const int64_t number = reader.line_number();
    TranslationRequest& request = block.emplace_back();
    if (line.size() > 1) {
      request.prefix = prefixes.encode(line[1], number);
      check_prefix(request.prefix, unknown, prefix_file, number);
    }
    request.text = std::move(line[0]);
    request.sampling_key = static_cast<uint64_t>(number - 1);
    if (block.size() == kBlockLines || !reader.is_ready()) break;
  }
  return block;
}

/// The number of lines to translate, if it can be counted beforehand.
std::optional<int64_t> lines_to_translate(const std::string& input) {
  if (input == "-" || !std::filesystem::is_regular_file(TextPath(input).file)) return std::nullopt;
  return count_lines(input);
}

/// The segments' translations as the document has them.
std::vector<std::string> translate_segments(const std::string& input, const Document& document,
                                            const PartTranslator& translator, Summary& summary,
                                            const std::function<void(int64_t)>& show_progress) {
  const std::vector<const Segment*> segments = document.segments();
  std::vector<std::string> texts;
  while (texts.size() < segments.size()) {
    std::vector<TranslationRequest> block;
    for (size_t i = texts.size(); i < segments.size() && block.size() < kBlockLines; ++i) {
      block.push_back({segments[i]->text, {}, /*sampling_key=*/i});
      summary.untagged.add(segments[i]->text);
    }
    show_progress(0);
    for (const JoinedLine& line : translator.translate(block, show_progress)) {
      const Segment& segment = *segments[texts.size()];
      summary.add(segment.line, line);
      warn_of_unmet_terms(input, segment.line, line.line);
      texts.push_back(with_markup(segment, line.line.best().text, line.positions, document.escape));
    }
    if (block.size() == kBlockLines) return_freed_memory();  // too small pieces for the next block's tensors
  }
  return texts;
}

void log_document(const std::string& input, const Document& document) {
  const std::string file = shown_path(TextPath(input).file);
  if (document.num_without > 0) {
    log_warning("{}: {} without text in the language to translate from; they stay as they are", file,
                counted(document.num_without, "unit"));
  }
  if (document.num_kept > 0) {
    log_info("{}: {} kept as they are, since they are marked as final or not to be translated", file,
             counted(document.num_kept, "unit"));
  }
  if (document.segments().empty()) log_warning("{}: has nothing to translate", file);
}

void log_summary(const std::string& input, const Summary& summary, double seconds) {
  warn_of_invalid_lines(shown_path(input), summary.invalid);
  if (summary.with_nul.count > 0) {
    log_warning(
        "{}:{}: has a NUL byte, {}; NUL was read as a space (if the text is UTF-16, convert it with "
        "`iconv -f UTF-16 -t UTF-8`)",
        shown_path(input), summary.with_nul.first, first_of_such_lines(summary.with_nul.count));
  }
  summary.form.warn(shown_path(input), "it was translated as it is");
  warn_of_unknown_pieces(shown_path(input), summary.unknown);
  if (summary.truncated.count > 0) {
    log_warning("{}:{}: has too many pieces, {}; only the beginning was translated", shown_path(input),
                summary.truncated.first, first_of_such_lines(summary.truncated.count));
  }
  summary.untagged.warn(shown_path(input));
  if (summary.empty.count > 0) {
    log_warning("{}:{}: its translation is empty, {}, though the line is not; the model has perhaps seen no such text",
                shown_path(input), summary.empty.first, first_of_such_lines(summary.empty.count));
  }
  if (summary.at_limit.count > 0) {
    log_warning(
        "{}:{}: its translation was cut at the length limit, {}; decoding.max_extra_tokens or an option raises the "
        "limit",
        shown_path(input), summary.at_limit.first, first_of_such_lines(summary.at_limit.count));
  }
  if (summary.around_placeholders.count > 0) {
    log_warning("{}:{}: the model did not keep a placeholder, {}; what is between placeholders was translated apart",
                shown_path(input), summary.around_placeholders.first,
                first_of_such_lines(summary.around_placeholders.count));
  }
  if (summary.without_placeholders.count > 0) {
    log_warning("{}:{}: its translation lacks a placeholder or has another one, {}; correct it by hand",
                shown_path(input), summary.without_placeholders.first,
                first_of_such_lines(summary.without_placeholders.count));
  }
  log_info("{}, {} in {} ({} tokens/s)", counted(summary.num_lines, "line"),
           counted(summary.num_output_tokens, "token"), human_duration(seconds),
           with_thousands(static_cast<int64_t>(static_cast<double>(summary.num_output_tokens) / seconds)));
}

}  // namespace

FileTranslation::FileTranslation(TranslationTask task) : task_(checked(std::move(task))) {
  if (task_.protect || !task_.protect_regex.empty()) placeholders_.emplace(task_.protect, task_.protect_regex);
  if (task_.format.kind == OutputFormat::document) {
    document_ = read_document(task_.input, task_.into);
    log_document(task_.input, *document_);
  } else {
    reader_.emplace(task_.prefix.empty() ? std::vector{task_.input} : std::vector{task_.input, task_.prefix});
  }
  if (task_.split == LineParts::sentences) {
    const std::string language = document_ ? document_->language : TextPath(task_.input).part;
    splitter_.emplace(task_.split_language.empty() ? language : task_.split_language);
  }
}

void FileTranslation::run(const LoadedEnsemble& models) {
  const DecodingConfig config = task_.decoding.applied_to(models.config.decoding);
  check_fits_task(task_, config);
  if (!task_.translator.sampling) warn_of_wide_beam(config);
  const auto start = Clock::now();
  std::optional<StatusLine> status(std::in_place);
  const auto num_lines = status->is_visible() ? num_lines_to_translate() : std::nullopt;
  Summary summary(models.config.tags);
  const auto show_progress = [&](int64_t done) {
    if (!num_lines) return;
    status->update(progress_text("", "lines", summary.num_lines + done, *num_lines, seconds_since(start)));
  };
  const LineTranslator translator(models, config, task_);
  const PartTranslator parts(
      [&](const auto& lines, const auto& on_progress) { return translator.translate(lines, on_progress); },
      splitter_ ? &*splitter_ : nullptr, placeholders_ ? &*placeholders_ : nullptr, models.config.tags);
  LineWriter writer(task_.output);
  if (document_) {
    const std::vector<std::string> texts =
        translate_segments(TextPath(task_.input).file, *document_, parts, summary, show_progress);
    status->hide();
    writer.write_text(with_translations(*document_, texts));
  } else {
    const Tokenizer& target_tokenizer = models.tokenizers.target();
    WholeLineEncoder prefixes(target_tokenizer, translator.max_line_length(), task_.prefix);
    while (true) {
      const auto block = read_block(*reader_, task_.prefix, target_tokenizer.special_tokens().unknown, prefixes);
      if (block.empty()) break;
      show_progress(0);
      for (const TranslationRequest& request : block) {
        summary.form.add(request.text);
        summary.untagged.add(request.text);
      }
      std::vector<std::string> output;
      for (const JoinedLine& line : parts.translate(block, show_progress)) {
        summary.add(summary.num_lines + 1, line);
        warn_of_unmet_terms(task_.input, summary.num_lines, line.line);
        for (auto& text : task_.format.lines(summary.num_lines, line.line, task_.translator.alignment)) {
          output.push_back(std::move(text));
        }
      }
      status->hide();  // stdout may be the same terminal
      writer.write(output);
      if (block.size() == kBlockLines) return_freed_memory();  // too small pieces for the next block's tensors
    }
    warn_of_invalid_lines(shown_path(task_.prefix), prefixes.invalid_lines());
  }
  status.reset();
  writer.finish();
  log_summary(document_ ? TextPath(task_.input).file : task_.input, summary, seconds_since(start));
}

std::optional<int64_t> FileTranslation::num_lines_to_translate() const {
  return document_ ? std::ssize(document_->segments()) : lines_to_translate(task_.input);
}

}  // namespace transformer
