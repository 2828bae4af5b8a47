#pragma once

#include <CLI/CLI.hpp>

namespace transformer {

// Each function adds one sub-command; it is defined in the file of that name.
void add_preprocess(CLI::App& app);
void add_train(CLI::App& app);
void add_average_checkpoints(CLI::App& app);
void add_translate(CLI::App& app);
void add_serve(CLI::App& app);
void add_score(CLI::App& app);
void add_attention(CLI::App& app);
void add_eval_bleu(CLI::App& app);
void add_eval_parse(CLI::App& app);
void add_trees(CLI::App& app);
void add_info(CLI::App& app);
void add_report(CLI::App& app);
void add_export(CLI::App& app);
void add_import(CLI::App& app);
void add_benchmark(CLI::App& app);
void add_doctor(CLI::App& app);
void add_help(CLI::App& app);
void add_config(CLI::App& app);
void add_completion(CLI::App& app);

// The sub-commands of `benchmark`.
void add_benchmark_attention(CLI::App& benchmark);
void add_benchmark_train(CLI::App& benchmark);
void add_benchmark_translate(CLI::App& benchmark);

}  // namespace transformer
