#include <memory>

#include "benchmarks/translation_benchmark.h"
#include "commands/commands.h"
#include "options.h"

namespace transformer {
namespace {

struct TranslateBenchmarkOptions {
  TranslationBenchmarkTask task;
  bool json = false;
  DeviceOptions device;
};

void run_benchmark_translate(const TranslateBenchmarkOptions& options) {
  print(measure_translation(options.task, options.device.apply()), options.json);
}

}  // namespace

void add_benchmark_translate(CLI::App& benchmark) {
  auto options = std::make_shared<TranslateBenchmarkOptions>();
  TranslationBenchmarkTask& task = options->task;
  CLI::App* command =
      benchmark.add_subcommand("translate", "Measure the translation of a text, without reading and writing files");
  add_model_option(*command, task.model)->required();
  command->add_option("-i,--input", task.input, "Text to translate, plain or gzip-compressed")
      ->required()
      ->type_name("FILE");
  command->add_option("--lines", task.lines, "Translate only this many lines from the beginning; 0: all")
      ->check(CLI::Range(0, 100000000))
      ->capture_default_str();
  command->add_option("--rounds", task.rounds, "Number of times that the text is translated; the result is the median")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--output-tokens", task.translator.output_tokens,
                   "Make every output exactly this many tokens long, end symbol included; 0: let the model decide")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--beam-size", task.beam_size, "Number of hypotheses in the beam; 1: greedy search")
      ->check(in_range_of<int>("decoding.beam_size"))
      ->capture_default_str();
  add_translator_options(*command, task.translator, task.weight_type);
  add_json_flag(*command, options->json);
  add_device_options(*command, options->device);
  command->footer(
      "Example:\n  transformer benchmark translate --model runs/sample/averaged.safetensors --input "
      "data/sample/test.en");
  command->callback([options] { run_benchmark_translate(*options); });
}

}  // namespace transformer
