#include <c10/util/Exception.h>

#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/signals.h"
#include "commands/commands.h"

using namespace transformer;

int main(int argc, char** argv) {
  make_write_signals_errors();
  keep_freed_memory();
  CLI::App app("Trains and runs the Transformer of \"Attention Is All You Need\".", "transformer");
  app.set_version_flag("--version", TRANSFORMER_VERSION);
  add_preprocess(app);
  add_train(app);
  add_average_checkpoints(app);
  add_translate(app);
  add_eval_bleu(app);
  add_info(app);
  add_doctor(app);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
    return EXIT_SUCCESS;
  } catch (const CLI::ParseError& call) {
    return app.exit(call) == 0 ? 0 : 2;
  } catch (const UsageError& error) {
    log(LogLevel::error, error.what());
    return 2;
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    const bool out_of_memory = what.find("memory") != std::string::npos && what.find("alloc") != std::string::npos;
    log(LogLevel::error, out_of_memory ? "out of memory; give a smaller training.device_tokens or --batch-size"
                                       : concat("internal error: ", what));
  } catch (const std::bad_alloc&) {
    log(LogLevel::error, "out of memory; give a smaller training.device_tokens or --batch-size");
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  }
  return EXIT_FAILURE;
}
