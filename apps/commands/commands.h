#pragma once

#include <CLI/CLI.hpp>

namespace transformer {

// One sub-command each, in a file of its own.
void add_preprocess(CLI::App& app);
void add_train(CLI::App& app);
void add_average_checkpoints(CLI::App& app);
void add_translate(CLI::App& app);
void add_score(CLI::App& app);
void add_eval_bleu(CLI::App& app);
void add_eval_parse(CLI::App& app);
void add_trees(CLI::App& app);
void add_info(CLI::App& app);
void add_export(CLI::App& app);
void add_import(CLI::App& app);
void add_benchmark(CLI::App& app);
void add_doctor(CLI::App& app);

}  // namespace transformer
