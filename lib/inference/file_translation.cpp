#include "inference/file_translation.h"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/formats/segments.h"
#include "base/line_reader.h"
#include "base/line_writer.h"
#include "base/log.h"
#include "base/status_line.h"
#include "decoding/terminology.h"
#include "documents/read_document.h"
#include "inference/encode_line.h"
#include "inference/line_translator.h"
#include "inference/part_translator.h"
#include "inference/translation_summary.h"
#include "inference/translator.h"
#include "platform/malloc_policy.h"
#include "text/clean_line.h"
#include "text/units_without_text.h"

namespace transformer {
namespace {

void warn_of_unmet_terms(const std::string& input, int64_t number, const TranslatedLine& line) {
  for (const Term& term : unmet_terms(line.terms, line.best().text)) {
    log_warning("{}:{}: its translation has no '{}' for '{}' ({})", shown_path(input), number, shown_value(term.target),
                shown_value(term.source), term.place);
  }
}

/// The number of lines that are translated together, sorted by length among themselves.
constexpr size_t kBlockLines = 4096;

/// Reads the next lines. They are fewer than kBlockLines at the end of the input, and if the next line has not arrived
/// yet: whoever waits for an answer gets it at once.
std::vector<TranslationRequest> read_block(AlignedLines& reader, const std::string& prefix_file,
                                           const Tokenizer& target_tokenizer, WholeLineEncoder& prefixes) {
  std::vector<TranslationRequest> block;
  for (std::vector<std::string> line; reader.next(line);) {
    const int64_t number = reader.line_number();
    TranslationRequest& request = block.emplace_back();
    if (line.size() > 1) {
      request.prefix = prefixes.encode(line[1], number);
      check_is_known_prefix(target_tokenizer, line[1], request.prefix,
                            fmt::format("{}:{}", shown_path(prefix_file), number));
    }
    request.text = std::move(line[0]);
    request.sampling_key = static_cast<uint64_t>(number - 1);
    if (block.size() == kBlockLines || !reader.is_ready()) break;
  }
  return block;
}

/// Translates lines, with the place in errors in one of them; `number_of` gives the number of a line by its index.
template <class NumberOf>
std::vector<JoinedLine> translate_block(const PartTranslator& translator, const std::vector<TranslationRequest>& lines,
                                        const std::function<void(int64_t)>& on_progress, const std::string& input,
                                        const NumberOf& number_of) {
  try {
    return translator.translate(lines, on_progress);
  } catch (const FormatError& error) {
    throw Error("{}:{}: {}", shown_path(input), number_of(error.line() - 1), error.what());
  }
}

/// The number of lines to translate, if it can be counted beforehand.
std::optional<int64_t> lines_to_translate(const std::string& input) {
  const std::string file = TextPath(input).file;
  if (file == "-" || !std::filesystem::is_regular_file(file)) return std::nullopt;
  return count_lines(input);
}

/// The segments' translations as the document has them.
std::vector<std::string> translate_segments(const std::string& input, const Document& document,
                                            const PartTranslator& translator, TranslationSummary& summary,
                                            const std::function<void(int64_t)>& show_progress) {
  const std::vector<const Segment*> segments = document.segments();
  std::vector<std::string> texts;
  while (texts.size() < segments.size()) {
    std::vector<TranslationRequest> block;
    for (size_t i = texts.size(); i < segments.size() && block.size() < kBlockLines; ++i) {
      block.push_back({segments[i]->text, {}, /*sampling_key=*/i});
      summary.untagged.add(segments[i]->text, segments[i]->line);
    }
    show_progress(0);
    const auto line_of = [&, first = texts.size()](int64_t i) {
      return segments[first + static_cast<size_t>(i)]->line;
    };
    for (const JoinedLine& line : translate_block(translator, block, show_progress, input, line_of)) {
      const Segment& segment = *segments[texts.size()];
      summary.add(segment.line, line);
      warn_of_unmet_terms(input, segment.line, line.line);
      texts.push_back(with_markup(segment, line.line.best().text, line.line.positions, document.escape));
    }
    if (block.size() == kBlockLines) return_freed_memory();  // too small pieces for the next block's tensors
  }
  return texts;
}

void log_document(const std::string& input, const Document& document) {
  const std::string file = shown_path(TextPath(input).file);
  if (document.num_without > 0) {
    log_warning("{}: {} without text in the language to translate from; nothing is added there", file,
                counted(document.num_without, "unit"));
  }
  if (document.num_kept > 0) {
    log_info("{}: left {} unchanged, marked as final or not to be translated", file,
             counted(document.num_kept, "unit"));
  }
  if (document.segments().empty()) log_warning("{}: has nothing to translate", file);
}

}  // namespace

FileTranslation::FileTranslation(TranslationTask task) : task_(checked(std::move(task))) {
  const PartOptions& parts = task_.parts;
  if (parts.keep_placeholders()) placeholders_.emplace(parts.protect, parts.protect_regex);
  if (task_.format.kind == OutputFormat::document) {
    document_ = read_document(task_.input, task_.into);
    log_document(task_.input, *document_);
  } else {
    reader_.emplace(task_.prefix.empty() ? std::vector{task_.input} : std::vector{task_.input, task_.prefix});
  }
  if (parts.split == LineParts::sentences) {
    const std::string language = document_ ? document_->language : without_tags_mark(TextPath(task_.input).part);
    splitter_.emplace(parts.split_language.empty() ? language : parts.split_language);
  }
}

void FileTranslation::run(const LoadedEnsemble& models) {
  const DecodingConfig config = task_.decoding.applied_to(models.config.decoding);
  check_fits_task(task_, config);
  if (!task_.translator.sampling) warn_of_wide_beam(config);
  const SourceTags tags(models.tokenizers.source(), models.config.tags, task_.tag);
  const auto start = Clock::now();
  std::optional<StatusLine> status(std::in_place);
  const auto num_lines = status->is_visible() ? num_lines_to_translate() : std::nullopt;
  TranslationSummary summary(models, task_.tag);
  const auto show_progress = [&](int64_t done) {
    if (!num_lines) return;
    status->update(progress_text("", "lines", summary.num_lines + done, *num_lines, seconds_since(start)));
  };
  const LineTranslator translator(models, config, task_);
  const PartTranslator parts(
      [&](const auto& lines, const auto& on_progress) { return translator.translate(lines, on_progress); },
      splitter_ ? &*splitter_ : nullptr, placeholders_ ? &*placeholders_ : nullptr, tags);
  LineWriter writer(task_.output);
  if (document_) {
    const std::vector<std::string> texts =
        translate_segments(TextPath(task_.input).file, *document_, parts, summary, show_progress);
    status->hide();
    writer.write_text(with_translations(*document_, texts));
  } else {
    const Tokenizer& target_tokenizer = models.tokenizers.target();
    UnitsWithoutText without_text(task_.input);
    WholeLineEncoder prefixes(target_tokenizer, translator.max_line_length(), task_.prefix);
    while (true) {
      const auto block = read_block(*reader_, task_.prefix, target_tokenizer, prefixes);
      if (block.empty()) break;
      show_progress(0);
      for (const TranslationRequest& request : block) {
        without_text.add(request.text);
        summary.form.add(request.text);
        summary.untagged.add(request.text);
      }
      std::vector<std::string> output;
      const auto number_of = [first = summary.num_lines + 1](int64_t i) { return first + i; };
      for (const JoinedLine& line : translate_block(parts, block, show_progress, task_.input, number_of)) {
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
    status->hide();
    without_text.warn("such a unit gives an empty line");
    warn_of_invalid_lines(shown_path(task_.prefix), prefixes.invalid_lines());
  }
  status.reset();
  writer.finish();
  summary.log(document_ ? TextPath(task_.input).file : task_.input, seconds_since(start));
}

std::optional<int64_t> FileTranslation::num_lines_to_translate() const {
  return document_ ? std::ssize(document_->segments()) : lines_to_translate(task_.input);
}

}  // namespace transformer
