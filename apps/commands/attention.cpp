#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "attention_view/attention_statistics.h"
#include "attention_view/attention_view.h"
#include "base/command_files.h"
#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "inference/find_model.h"
#include "options.h"

namespace transformer {

enum class AttentionFormat { html, svg, json };

template <>
struct EnumNames<AttentionFormat> {
  static constexpr std::array names = {"html", "svg", "json"};
};

namespace {

struct AttentionOptions {
  AttentionTask task;
  AttentionStatisticsTask files;
  std::optional<AttentionFormat> format;
  AttentionSelection selection;
  std::string output;
  bool json = false;
  DeviceOptions device;
  // The options that have an effect with a search, with a sentence, and with --format svg.
  std::vector<CLI::Option*> search_options, sentence_options, svg_options;
};

/// The format that is given, or the one that the output's name ends in; a page if it has no ending.
AttentionFormat format_of(const AttentionOptions& options) {
  if (options.format) return *options.format;
  const std::string extension = std::filesystem::path(options.output).extension().string();
  if (extension.empty() || extension == ".htm") return AttentionFormat::html;
  if (const auto format = value_named<AttentionFormat>(extension.substr(1))) return *format;
  throw UsageError("attention: --output {}: the ending is none of .html, .svg and .json; use one, or give --format",
                   options.output);
}

void check(const AttentionOptions& options) {
  const bool has_files = !options.files.source.empty();
  if (has_files == !options.task.source.empty()) {
    throw UsageError("attention: give either --source with a sentence, or --source-file and --target-file");
  }
  if (has_files) {
    refuse_given(options.sentence_options, "attention", "with --source-file, which prints statistics");
    refuse_given(options.search_options, "attention", "with --source-file");
  }
  if (options.task.target) refuse_given(options.search_options, "attention", "with --target");
  if (!has_files && options.output.empty()) throw UsageError("attention: give the file to write with --output");
  if (format_of(options) != AttentionFormat::svg) {
    refuse_given(options.svg_options, "attention",
                 "without --format svg, because the other formats have all layers and heads");
  }
}

std::string formatted(const AttentionOptions& options, const AttentionView& view) {
  switch (format_of(options)) {
    case AttentionFormat::svg:
      return format_svg(view, options.selection);
    case AttentionFormat::json:
      return format_json(view) + "\n";
    default:
      return format_html(view);
  }
}

void run_attention(const AttentionOptions& options) {
  check(options);
  const torch::Device device = options.device.apply();
  if (!options.files.source.empty()) {
    AttentionStatisticsTask files = options.files;
    files.model = options.task.model;
    print(measure_attention_statistics(files, device), options.json);
    return;
  }
  check_replaces_no_input(options.output, {find_model(options.task.model)});
  const AttentionView view = view_attention(options.task, device);
  log_info("{}", view.target_text);
  write_output(options.output, formatted(options, view));
}

void add_picture_options(CLI::App& command, AttentionOptions& options) {
  CLI::Option* format =
      command.add_option("--format", options.format,
                         "html: a page with all weights and the search; svg: a picture; json: the weights, for "
                         "notebooks; default: by the ending of the output's name, html if it has none");
  accept_names<AttentionFormat>(format);
  options.sentence_options.push_back(format);
  CLI::Option* attention =
      command.add_option("--attention", options.selection.attention,
                         "With --format svg: self-attention of the encoder or the decoder, or the decoder's "
                         "cross-attention over the source; default: encoder");
  accept_names<AttentionSelection::Attention>(attention);
  options.svg_options = {
      attention,
      command
          .add_option("--layers", options.selection.layers,
                      "With --format svg: layers to draw, from 1, such as 5,6; default: the last one")
          ->delimiter(','),
      command
          .add_option("--heads", options.selection.heads,
                      "With --format svg: heads to draw, from 1, such as 1,5; default: all")
          ->delimiter(','),
      command.add_flag("--merge-words", options.selection.merges_words,
                       "With --format svg: draw words instead of word pieces")};
}

}  // namespace

void add_attention(CLI::App& app) {
  auto options = std::make_shared<AttentionOptions>();
  CLI::App* command = app.add_subcommand(
      "attention",
      "Show the attention weights of a sentence pair and the search for its translation, or statistics of "
      "a text");
  add_model_option(*command, options->task.model)->required();
  command->add_option("--source", options->task.source, "Source sentence");
  options->sentence_options = {
      command->add_option("--target", options->task.target, "Its translation; default: what beam search finds"),
      command->add_option("-o,--output", options->output, "File to write; -: stdout")->type_name("FILE")};
  add_picture_options(*command, *options);
  options->search_options = add_search_options(*command, options->task.decoding);
  CLI::Option* source_file =
      command
          ->add_option("--source-file", options->files.source,
                       "Instead of --source: print statistics of each head over this text and --target-file")
          ->type_name("FILE");
  CLI::Option* target_file =
      command->add_option("--target-file", options->files.target, "Translations of --source-file, line by line")
          ->type_name("FILE")
          ->needs(source_file);
  source_file->needs(target_file);
  add_json_flag(*command, options->json)->needs(source_file);
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer attention --model runs/sample/averaged.safetensors --source \"It is five o'clock.\" -o "
      "attention.html\n  transformer attention --model runs/sample/averaged.safetensors --source-file "
      "data/sample/test.en "
      "--target-file data/sample/test.de");
  command->callback([options] { run_attention(*options); });
}

}  // namespace transformer
