#include "options.h"

#include "base/log.h"

namespace transformer {

void add_log_options(CLI::App& command) {
  command.add_flag_callback(
      "--quiet", [] { set_log_level(LogLevel::warning); }, "Show warnings and errors only");
  command.add_flag_callback(
      "--verbose", [] { set_log_level(LogLevel::debug); }, "Show more");
}

CLI::Option* add_config_options(CLI::App& command, ConfigOptions& options) {
  command.add_option("--set", options.overrides, "Override a setting: --set training.seed=2 (repeatable)")
      ->type_name("SECTION.KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  return command.add_option("--config", options.file, "The config, for example configs/base.yaml")->type_name("FILE");
}

void add_device_options(CLI::App& command, DeviceOptions& options) {
  command.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")->take_last()->capture_default_str();
  command.add_option("--threads", options.threads, "CPU threads; 0: one for each core")
      ->check(CLI::Range(0, 4096))
      ->take_last()
      ->capture_default_str();
}

void add_translator_options(CLI::App& command, TranslatorOptions& options, WeightType& precision) {
  command.add_option("--batch-size", options.batch_size, "Sentences searched together, by each worker")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command.add_option("--workers", options.workers, "Searches beside each other, which share the threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option(
          "--precision", precision,
          "What the model's matrices are kept and multiplied in: fp32, bf16, fp16 (for GPUs), or int8 (for CPUs); "
          "default: fp32")
      ->transform(one_of_names<WeightType>())
      ->option_text("fp32|bf16|fp16|int8");
}

}  // namespace transformer
