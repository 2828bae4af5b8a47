#include <algorithm>

#include "base/json.h"
#include "catch.h"
#include "config/load_config.h"
#include "repository.h"
#include "run_files.h"
#include "workplace.h"

namespace transformer {
namespace {

/// What the call prints, which must be all that it says.
std::string only_output_of(const std::vector<std::string>& arguments) {
  return transformer::only_output_of(Workplace().run(arguments));
}

Json json_of(const std::vector<std::string>& arguments) {
  const std::string out = only_output_of(arguments);
  CHECK(lines_of(out).size() == 1);
  return parse_json(out);
}

/// The commands that --help lists.
std::vector<std::string> commands() {
  std::vector<std::string> names;
  const auto lines = lines_of(only_output_of({"--help"}));
  for (auto line = std::find(lines.begin(), lines.end(), "Commands:") + 1; line < lines.end(); ++line) {
    if (line->starts_with("  ") && line->at(2) != ' ') names.push_back(line->substr(2, line->find(' ', 2) - 2));
  }
  return names;
}

}  // namespace

TEST_CASE("help lists the commands") {
  const auto names = commands();
  for (const char* name :
       {"config", "preprocess", "train", "average-checkpoints", "translate", "score", "attention", "eval-bleu",
        "eval-parse", "trees", "info", "report", "export", "import", "benchmark", "doctor", "help", "completion"}) {
    INFO(name);
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}

TEST_CASE("help of every command has an example of it") {
  for (const auto& name : commands()) {
    INFO(name);
    CHECK_THAT(only_output_of({name, "--help"}), Catch::Contains("Example:\n  transformer " + name));
  }
}

TEST_CASE("help is also a command, which takes the name of another") {
  CHECK(only_output_of({"help"}) == only_output_of({"--help"}));
  CHECK(only_output_of({"help", "train"}) == only_output_of({"train", "--help"}));
  CHECK(only_output_of({"help", "trees", "restore"}) == only_output_of({"trees", "restore", "--help"}));
  check_fails(Workplace().run({"help", "trian"}), 2, {"there is no command 'trian'; did you mean 'train'?"});
}

TEST_CASE("help of train groups the options and says where the config's keys are listed") {
  const std::string help = only_output_of({"train", "--help"});
  size_t at = 0;
  for (const char* part : {"\nPositionals:\n  config FILE", "\nOptions:\n", "  --overwrite", "\nConfig:\n", "  --set ",
                           "transformer config --list", "docs/configuration.md", "  --config FILE", "\nDevices:\n",
                           "  --devices ", "  --device ", "  --threads ", "\nMessages:\n", "  --quiet"}) {
    INFO(part);
    at = help.find(part, at);
    REQUIRE(at != std::string::npos);
  }
}

TEST_CASE("version is one line") {
  CHECK(lines_of(only_output_of({"--version"})).size() == 1);
  CHECK_THAT(only_output_of({"--version"}),
             Catch::Matches("transformer [0-9.]+ \\([0-9a-z]+\\), libtorch 2[0-9.]+.*\n"));
  CHECK(only_output_of({"-V"}) == only_output_of({"--version"}));
}

TEST_CASE("the config file may be given without --config") {
  const std::string file = kConfigs / "base.yaml";
  for (const char* command : {"info", "config"}) {
    INFO(command);
    CHECK(only_output_of({command, file, "--set", "model.N=2"}) ==
          only_output_of({command, "--set", "model.N=2", "--config", file}));
  }
}

TEST_CASE("info shows a config's parameters beside the paper's") {
  const auto base = json_of({"info", "--config", kConfigs / "base.yaml", "--json"});
  CHECK(base.at("parameters") == 63045632);
  CHECK(base.at("paper_parameters_millions") == 65);
  CHECK(base.at("vocabulary_size") == 37000);
  CHECK(base.at("training_flops") > 0);
  CHECK(base.at("training_memory_bytes") > 0);
  CHECK_THAT(only_output_of({"info", "--config", kConfigs / "table3/c_N2.yaml"}),
             Catch::Contains("N 2,") && Catch::Contains("Table 3, C N=2: 36 M"));
  CHECK_THAT(only_output_of({"info", "--config", kConfigs / "base.yaml", "--set", "model.r=129", "--set",
                             "training.precision=bf16"}),
             Catch::Contains("sinusoidal positions, r 129\n") && Catch::Contains("tokens (bf16)"));
}

TEST_CASE("info --table3 shows every row of the table beside the paper's figures") {
  const std::string configs = kConfigs;
  const std::string out =
      only_output_of({"info", "--table3", "--configs", configs, "--set", "data.vocabulary_size=41100"});
  const auto lines = lines_of(out);
  CHECK_THAT(out, Catch::Contains("\nC d_model=256") && Catch::Contains("\nE learned positions"));
  CHECK_THAT(lines.at(2), Catch::StartsWith("base ") && Catch::Contains("4.92") && Catch::Contains("25.8") &&
                              Catch::Contains(" 65   65.1 ") && Catch::Contains("3.3e+18"));
  CHECK_THAT(lines.at(21), Catch::StartsWith("big ") && Catch::Contains(" 213 ") && Catch::Contains("2.3e+19"));

  const auto json = json_of({"info", "--table3", "--json", "--configs", configs});
  CHECK(json.at("rows").at(1).at("name") == "A h=1");
  CHECK(json.at("rows").at(1).at("paper_bleu") == 24.9);
}

TEST_CASE("info --table2 and --table3 take perplexity, BLEU and cost from run directories") {
  const std::string configs = kConfigs, run = trained() / "run";
  // No row of the table, so it stands below with figures of its own.
  const auto alone =
      lines_of(only_output_of({"info", "--table3", "--configs", configs, "--run", run, "--sustained-tflops", "0.5"}));
  CHECK_THAT(alone.at(22), Catch::StartsWith(run + " ") && Catch::Contains(" 250 ") && Catch::Contains("e+1"));

  const Workplace place;
  CHECK(place.run({"info", "--table2"}).out == only_output_of({"info", "--table2", "--configs", configs}));
  const auto make_run = [&](const std::string& name, const std::string& setting, const std::string& bleu) {
    write_run(place / name, load_config(kConfigs / "base.yaml", {setting}),
              "{\"step\": 100, \"loss\": 5, \"seconds\": 1000, \"devices\": 4}\n"
              "{\"step\": 100, \"valid_loss\": 2, \"valid_perplexity\": 7.25, \"valid_bleu\": " +
                  bleu + "}\n");
  };
  make_run("one", "training.seed=1", "21.5");
  make_run("two", "training.seed=2", "22.5");
  make_run("longer", "training.train_steps=200000", "23.5");
  const auto table = lines_of(place
                                  .run({"info", "--table3", "--configs", configs, "--run", "one", "--run", "two",
                                        "--run", "longer", "--sustained-tflops", "2"})
                                  .out);
  CHECK_THAT(table.at(2), Catch::StartsWith("base ") && Catch::Contains(" 7.25    0.00 ") &&
                              Catch::Contains(" 22.0     1.0 ") && Catch::Contains("8.0e+15"));
  CHECK_THAT(table.at(22), Catch::StartsWith("longer ") && Catch::Contains(" 23.5 "));

  const auto table2 =
      lines_of(place.run({"info", "--table2", "--configs", configs, "--run", "one", "--sustained-tflops", "2"}).out);
  CHECK_THAT(table2.at(4), Catch::StartsWith("GNMT + RL ") && Catch::Contains(" 24.6 ") && Catch::Contains("2.3e+19"));
  CHECK_THAT(table2.at(10), Catch::StartsWith("Transformer (base model) ") && Catch::Contains(" 27.3 ") &&
                                Catch::Contains(" 21.5 ") && Catch::Contains("8.0e+15"));
  const Json rows = json_of({"info", "--table2", "--json", "--configs", configs}).at("rows");
  CHECK(rows.at(9).at("paper_bleu_en_de") == 28.4);
  check_fails(place.run({"info", "--table2", "--table3", "--configs", configs}), 2, {"--table2 excludes --table3"});

  check_fails(place.run({"info", "--table3", "--configs", "none"}), 2, {"none/base.yaml: there is no such config"});
  check_fails(place.run({"info", "--table3", "--configs", configs, "--run", "none"}), 1, {"none: there is no run"});
  check_fails(place.run({"info", "--table3", "--configs", configs, "--run", "one", "--run", "one/"}), 2,
              {"--run: one/ is given twice"});
  check_fails(place.run({"info", "--table3", "--config", "config.yaml"}), 2, {"leave out --config"});
  check_fails(place.run({"info", "--config", "config.yaml", "--run", "one"}), 2,
              {"--run has no effect without --table2 or --table3"});
  check_fails(place.run({"info", "--table3", "--configs", configs, "--sustained-tflops", "2"}), 2,
              {"--sustained-tflops requires --run"});
}

TEST_CASE("info --table3 tells the rows by model and eps_ls") {
  const std::string configs = kConfigs;
  const Workplace place;
  const auto [config, name] = GENERATE(table<std::string, std::string>({{"table3/d_eps_ls0.0.yaml", "D eps_ls=0.0 "},
                                                                        {"table3/d_P_drop0.2.yaml", "D P_drop=0.2 "},
                                                                        {"table3/b_d_k16.yaml", "B d_k=16 "},
                                                                        {"big.yaml", "big "}}));
  INFO(name);
  write_run(place / "row", load_config(kConfigs / config, {}), "{\"step\": 7777, \"valid_bleu\": 11.5}\n");
  const Result result = place.run({"info", "--table3", "--configs", configs, "--run", "row"});
  INFO(result.err);
  int rows = 0;
  for (const auto& line : lines_of(result.out)) {
    if (line.find(" 11.5 ") == std::string::npos) continue;
    CHECK_THAT(line, Catch::StartsWith(name) && Catch::Contains(" 7,777 "));
    ++rows;
  }
  CHECK(rows == 1);
}

TEST_CASE("benchmark train measures steps without data, in either precision and with LibTorch's operations alone") {
  const std::vector<std::string> command = {
      "benchmark", "train",     "--config", kConfigs / "benchmark/tiny.yaml", "--set",   "training.batch_tokens=300",
      "--set",     "model.N=1", "--set",    "data.vocabulary_size=200",       "--steps", "3"};
  const auto measure = [&](const std::vector<std::string>& more) {
    return json_of(with(with(command, {"--json"}), more));
  };
  const auto fp32 = measure({}), bf16 = measure({"--precision", "bf16"});
  const auto plain = measure({"--set", "training.cpu_kernels=false"});
  for (const auto* run : {&fp32, &bf16, &plain}) {
    for (const char* key : {"target_tokens_per_second", "step_seconds", "model_flops_per_second",
                            "matrix_product_flops_per_second", "model_flops_utilization", "peak_memory_bytes"}) {
      INFO(key);
      CHECK(run->at(key) > 0);
    }
    double shares = 0;
    for (const Json& share : run->at("work")) shares += share.get<double>();
    CHECK(shares == Approx(1));
  }
  CHECK(fp32.at("loss").get<double>() == Approx(plain.at("loss").get<double>()).epsilon(1e-5));
  CHECK(fp32.at("loss").get<double>() == Approx(bf16.at("loss").get<double>()).epsilon(1e-3));
  const auto lines = lines_of(only_output_of(command));
  CHECK_THAT(lines.at(0), Catch::StartsWith("N 1, d_model 128,") && Catch::Contains("; fp32; "));
  CHECK_THAT(lines.at(1), Catch::Contains("target tokens/s") && Catch::Contains("medians of 3 steps"));
}

TEST_CASE("benchmark attention measures each length, in either precision, full and restricted") {
  const auto benchmark = [](const std::vector<std::string>& more) {
    const std::vector<std::string> call = {
        "benchmark",     "attention", "--config", kConfigs / "base.yaml", "--length", "64", "1024",
        "--repetitions", "1",         "--set",    "model.d_model=64",     "--json"};
    const Json measured = json_of(with(call, more)).at("attention");
    REQUIRE(measured.size() == 2);
    for (const Json& one : measured) {
      CHECK(one.at("seconds") > 0);
      CHECK(one.at("peak_memory_bytes").get<int64_t>() > one.at("length").get<int64_t>() * 64 * 2);
    }
    return measured.at(1).at("peak_memory_bytes").get<int64_t>();
  };
  const auto fp32 = benchmark({}), bf16 = benchmark({"--set", "training.precision=bf16"});
  CHECK(bf16 != fp32);
  CHECK(benchmark({"--set", "model.r=9"}) == fp32);  // the kernel stores nothing that depends on the window
  CHECK_THAT(only_output_of({"benchmark", "attention", "--config", kConfigs / "base.yaml", "--length", "64", "--set",
                             "model.r=9"}),
             Catch::Contains(" r 9; fp32; ") && Catch::Contains("\n64 "));
}

TEST_CASE("info shows what a model file holds") {
  const std::string model = trained() / "model.pt";
  const auto json = json_of({"info", "--model", model, "--json"});
  CHECK(json.at("parameters") == 22912);  // 60 * 32 + 3 * 4 * 32 * 32 + 2 * (2 * 32 * 64 + 64 + 32) + 5 * 2 * 32
  CHECK(json.at("vocabulary_size") == 60);
  CHECK_THAT(only_output_of({"info", "--model", model}), Catch::Contains("d_model 32") && Catch::Contains("22,912"));
}

TEST_CASE("doctor says what a bug report needs") {
  const auto json = json_of({"doctor", "--json"});
  const std::string text = only_output_of({"doctor"});
  for (const char* key : {"transformer", "build", "libtorch", "os", "cpu", "cpu_features", "kernels", "fp32", "bf16",
                          "threads", "memory", "gloo", "nccl"}) {
    INFO(key);
    CHECK(json.contains(key));
    CHECK_THAT(text, Catch::Contains(std::string("\n") + key) || Catch::StartsWith(key));
  }
  const std::string gloo = json.at("gloo");
  CHECK_THAT(gloo, Catch::StartsWith("works, on interface ") && Catch::Contains(" with address "));
  const auto gloo_on = [](const std::string& interface) {
    const Result result = Workplace().run_shell("GLOO_SOCKET_IFNAME=" + interface + " \"$transformer\" doctor --json");
    return parse_json(result.out).at("gloo").get<std::string>();
  };
  CHECK(gloo_on("lo") == "works, on interface lo with address 127.0.0.1");
  CHECK(gloo_on("lo,lo") == "works, on interface lo with address 127.0.0.1 and lo with address 127.0.0.1");
  CHECK_THAT(gloo_on("lo,none"),
             Catch::StartsWith("does not work: GLOO_SOCKET_IFNAME: the network interface 'none' is not there"));
}

TEST_CASE("TRANSFORMER_CPU limits the instructions of all kernels") {
  const auto doctor = [](const std::string& limit) {
    const Workplace place;
    return place.run_shell("TRANSFORMER_CPU=" + limit + " \"$transformer\" doctor --json");
  };
  const auto limited = parse_json(doctor("baseline").out);
  CHECK(limited.at("kernels") == "baseline");
  CHECK_THAT(limited.at("libtorch_kernels").get<std::string>(),
             Catch::Contains("DEFAULT") || Catch::Contains("NO AVX"));
  CHECK_THAT(limited.at("fp32").get<std::string>(), !Catch::Contains("with AVX-512"));
  check_fails(doctor("avx3"), 2,
              {"TRANSFORMER_CPU: 'avx3' is none of baseline, avx2, avx512, avx512_vnni, amx; give one of them, or "
               "unset the variable"});
}

TEST_CASE("MKL takes its AVX-512 kernels on every processor that has them") {
  const auto found = json_of({"doctor", "--json"});
  const std::string features = found.at("cpu_features"), products = found.at("fp32");
  if (features.find("avx512_bf16") == std::string::npos || products.find("by MKL") == std::string::npos) {
    WARN("not tested: this needs MKL and a processor with AVX-512 and its bf16 instructions");
    return;
  }
  CHECK_THAT(products, Catch::EndsWith("with AVX-512"));
}

}  // namespace transformer
