#include <memory>
#include <string>
#include <vector>

#include "commands/commands.h"
#include "options.h"
#include "run/run_report.h"

namespace transformer {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::string output;
};

void run_report(const ReportOptions& options) {
  write_output(options.output, make_report(options.runs, options.output));
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write a web page with the curves of a run, or of several compared");
  command->add_option("runs", options->runs, "Run directories")->required()->type_name("DIR");
  command->add_option("-o,--output", options->output, "HTML file to write; -: stdout")->required()->type_name("FILE");
  add_log_options(*command);
  command->footer("Example:\n  transformer report runs/sample runs/seed2 -o comparison.html");
  command->callback([options] { run_report(*options); });
}

}  // namespace transformer
