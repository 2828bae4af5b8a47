#include "commands/commands.h"

namespace transformer {

void add_benchmark(CLI::App& app) {
  CLI::App* benchmark =
      app.add_subcommand("benchmark", "Measure speed and memory of training, translation or attention");
  benchmark->require_subcommand(1);
  benchmark->footer(
      "Example:\n  transformer benchmark train --config configs/base.yaml --set training.batch_tokens=4096 --steps 6");
  add_benchmark_train(*benchmark);
  add_benchmark_translate(*benchmark);
  add_benchmark_attention(*benchmark);
}

}  // namespace transformer
