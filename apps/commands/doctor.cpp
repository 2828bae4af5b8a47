#include <memory>

#include "commands/commands.h"
#include "options.h"
#include "system/system_report.h"

namespace transformer {
namespace {

struct DoctorOptions {
  bool json = false;
};

void run_doctor(const DoctorOptions& options) { print(examine_system(), options.json); }

}  // namespace

void add_doctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "Show versions, CPU features and devices, for bug reports");
  add_json_flag(*command, options->json);
  command->footer("Example:\n  transformer doctor");
  command->callback([options] { run_doctor(*options); });
}

}  // namespace transformer
