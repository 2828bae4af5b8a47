#include <c10/util/Exception.h>

#include <cstdlib>
#include <iostream>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/signals.h"
#include "commands/commands.h"

using namespace transformer;

static const std::string kOutOfMemory =
    "out of memory; give a smaller training.device_tokens, --batch-size or model";

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
    if (!std::cout.flush()) throw Error("stdout: cannot be written; free some space, or send the results elsewhere");
    return EXIT_SUCCESS;
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& call) {
    const bool unknown_command =
        argc > 1 && app.get_subcommands([&](const CLI::App* c) { return c->get_name() == argv[1]; }).empty();
    log(LogLevel::error, concat(unknown_command ? concat("unknown command '", argv[1], "'") : call.what(),
                                "; see transformer --help"));
    return 2;
  } catch (const UsageError& error) {
    log(LogLevel::error, error.what());
    return 2;
  } catch (const c10::OutOfMemoryError&) {
    log(LogLevel::error, kOutOfMemory);
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    const bool out_of_memory = what.find("DefaultCPUAllocator") != std::string::npos;
    log(LogLevel::error, out_of_memory ? kOutOfMemory : concat("internal error: ", what));
  } catch (const std::bad_alloc&) {
    log(LogLevel::error, kOutOfMemory);
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  }
  return EXIT_FAILURE;
}
