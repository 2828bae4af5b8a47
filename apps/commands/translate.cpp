#include <memory>

#include "base/log.h"
#include "commands/commands.h"
#include "evaluation/minimum_bayes_risk.h"
#include "inference/file_translation.h"
#include "inference/find_model.h"
#include "inference/loaded_model.h"
#include "options.h"
#include "platform/malloc_policy.h"

namespace transformer {
namespace {

struct TranslateOptions {
  TranslationTask task;
  bool sample = false;
  SamplingOptions sampling;
  WeightType precision = WeightType::fp32;
  DeviceOptions device;
  int devices = 1;
};

void run_translate(const TranslateOptions& options) {
  TranslationTask task = options.task;
  if (options.sample) task.translator.sampling = options.sampling;
  task.utilities = expected_utilities;
  const auto devices = options.device.apply_to_several(options.devices);
  // Found once, since a run that still trains may write a newer one.
  for (std::string& model : task.models) model = find_and_log_model(model);
  FileTranslation translation(task);
  const LoadedEnsemble models = [&] {
    const LoadingMallocPolicy policy;
    return load_for_search(task.models, devices, options.precision);
  }();
  if (options.precision == WeightType::fp16 && devices.front().is_cpu()) {
    log_warning("--precision fp16: is slow on most CPUs; int8 is faster, and fp32 is more precise");
  }
  translation.run(models);
}

void add_files(CLI::App& command, TranslationTask& task) {
  command.add_option("--model", task.models, "Model file, checkpoint or run directory; several are an ensemble")
      ->required()
      ->type_name("FILE");
  command.add_option("-i,--input", task.input, "Text to translate, plain or gzip-compressed; -: stdin")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("-o,--output", task.output,
                  "File for the translations, compressed if its name ends in .gz; -: stdout")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("--prefix", task.prefix,
                  "File with a forced prefix for each line's translation; a blank line leaves the translation free")
      ->type_name("FILE");
  command
      .add_option("--terminology", task.terminology,
                  "File of terms, each a line with a source phrase, a tab and a target phrase: the search looks for "
                  "translations that have the target phrase where the line has the source phrase")
      ->type_name("FILE");
  command
      .add_option(
          "--forbid", task.forbid,
          "File with a word or phrase in each line that no translation may have, in whatever pieces; *phrase and "
          "phrase* also match within words")
      ->type_name("FILE");
}

void add_output_options(CLI::App& command, TranslationTask& task) {
  TranslationFormat& format = task.format;
  command.add_option("--nbest", task.translator.nbest, "Number of translations for each line, best first")
      ->check(in_range_of<int>("decoding.beam_size"))
      ->capture_default_str();
  accept_names<OutputFormat>(
      command.add_option("--format", format.kind,
                         "text: translations only; nbest: line (from 0) ||| translation ||| score; jsonl: one "
                         "JSON object for each line, which counts from 1; document: the input (XLIFF, TMX, "
                         "JSON Lines, HTML, Markdown, subtitles and others) with translated text; default: "
                         "text"));
  command.add_flag("--scores", format.scores, "With --format text: append the score to each translation, after a tab");
  command.add_flag(
      "--word-scores", format.word_scores,
      "Append the natural log-probabilities of its tokens, the end symbol included, to each translation, after a tab "
      "or, with --format nbest, |||");
  command.add_flag(
      "--word-probabilities", format.words,
      "Append the words of the translation with their probabilities, as in \"der:0.9132 Hund:0.7500\", after "
      "a tab or, with --format nbest, |||; with --format jsonl they are the key words");
  command.add_flag("--word-alignment", format.word_alignment,
                   "Append an alignment of words, as spaces separate them, like that of --alignment: those of which "
                   "pieces are aligned; with --format jsonl it is the key word_alignment");
  command.add_flag(
      "--replace-unknowns", task.translator.replace_unknowns,
      "In lines with characters that the vocabulary lacks, let the model generate the unknown piece, and put "
      "the characters that it attends to in its place");
  command.add_flag(
      "--alignment", task.translator.alignment,
      "Append an alignment of subword pieces in Pharaoh format (source-output, from 0) to each translation: for each "
      "output piece, the source piece with the highest attention weight. It follows a tab or, with --format nbest, "
      "|||; with --format jsonl it is the key alignment");
}

void add_text_options(CLI::App& command, TranslationTask& task) {
  add_tag_option(command, task.tag);
  command
      .add_option("--into", task.into,
                  "With --format document: where the translations go, a language of TMX or of a test set, a field of "
                  "JSON Lines or a column")
      ->type_name("PART");
  accept_names<LineParts>(
      command.add_option("--split", task.parts.split,
                         "sentences: translate each sentence of a line or of a document's segment by itself, "
                         "and join the translations again; default: lines"));
  command
      .add_option("--split-language", task.parts.split_language,
                  "With --split sentences: code of the source language, such as de, for its abbreviations; default: "
                  "that of the document or of the part of it")
      ->type_name("CODE");
  command.add_flag("--protect", task.parts.protect,
                   "Keep placeholders such as {name}, %s and <b>, URLs and e-mail addresses: where the model changes "
                   "one, the text around it is translated apart");
  command
      .add_option("--protect-regex", task.parts.protect_regex,
                  "Keep what matches this regular expression, in addition to --protect or alone")
      ->type_name("REGEX")
      ->allow_extra_args(false);
}

void add_sampling_options(CLI::App& command, TranslateOptions& options) {
  SamplingOptions& sampling = options.sampling;
  CLI::Option* sample =
      command.add_flag("--sample", options.sample, "Sample translations instead of searching for the best one")
          ->excludes(command.get_option("--beam-size"));
  command
      .add_option("--temperature", sampling.temperature,
                  "With --sample: divide the log-probabilities by this number; below 1, likely pieces become likelier")
      ->needs(sample)
      ->check(CLI::Range(1e-3, 1e3))
      ->capture_default_str();
  command
      .add_option("--top-k", sampling.top_k, "With --sample: choose among the k likeliest pieces only; 0: among all")
      ->needs(sample)
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command
      .add_option("--top-p", sampling.top_p,
                  "With --sample: choose among the fewest likeliest pieces whose probabilities, after temperature and "
                  "--top-k, sum to at least p; 1: among all")
      ->needs(sample)
      ->check(CLI::Range(1e-6, 1.0))
      ->capture_default_str();
  command.add_option("--seed", sampling.seed, "With --sample: seed of the random numbers")
      ->needs(sample)
      ->capture_default_str();
}

void add_choice_options(CLI::App& command, TranslateOptions& options) {
  command
      .add_option("--alternatives", options.task.choice.alternatives,
                  "For each line so many alternatives: the likeliest next pieces after the forced prefix (or at the "
                  "beginning), each with the best translation that continues it; 0: none")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  CLI::Option* mbr =
      command
          .add_option(
              "--mbr", options.task.choice.mbr,
              "Choose the translation with the least Bayes risk among so many candidates, which are the best of "
              "the beam or, with --sample, samples; 0: the translation with the best score")
          ->check(CLI::Range(0, 1024))
          ->capture_default_str();
  accept_names<UtilityMetric>(
      command.add_option("--mbr-metric", options.task.choice.mbr_metric,
                         "With --mbr: the metric in which candidates are compared; default: chrf"))
      ->needs(mbr);
}

}  // namespace

void add_translate(CLI::App& app) {
  auto options = std::make_shared<TranslateOptions>();
  TranslationTask& task = options->task;
  CLI::App* command =
      app.add_subcommand("translate", "Translate text, one line of output for each line of input, or a document");
  add_files(*command, task);
  add_search_options(*command, task.decoding);
  add_control_options(*command, task.translator.control);
  add_output_options(*command, task);
  add_text_options(*command, task);
  add_sampling_options(*command, *options);
  add_choice_options(*command, *options);
  add_translator_options(*command, task.translator, options->precision);
  add_device_options(*command, options->device);
  command
      ->add_option("--devices", options->devices,
                   "Number of GPUs of this machine to translate on; the order of the lines is kept")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group("Devices");
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer translate --model runs/sample/averaged.safetensors < data/sample/test.en > test.de");
  command->callback([options] { run_translate(*options); });
}

}  // namespace transformer
