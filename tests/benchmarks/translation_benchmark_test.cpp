#include "benchmarks/translation_benchmark.h"

#include "base/json.h"
#include "catch.h"
#include "tiny_model_file.h"

namespace transformer {

TEST_CASE("translation benchmark counts the lines and tokens of one round") {
  const TinyModelFile file;
  TranslationBenchmarkTask task{.model = file / "model.pt", .input = file / "text"};
  task.translator.output_tokens = 7;
  task.rounds = 2;
  const TranslationBenchmark all = measure_translation(task, torch::kCPU);
  CHECK_THAT(all.setup, Catch::StartsWith("N 2, d_model 16,") && Catch::Contains("; fp32, beam size 4; "));
  CHECK(all.lines == 2);
  CHECK(all.tokens == 14);
  CHECK(all.tokens_per_second == Approx(7 * all.lines_per_second));
  CHECK(all.lines_per_second > 0);
  CHECK(all.peak_bytes > 1000000);
  task.lines = 1;
  CHECK(measure_translation(task, torch::kCPU).tokens == 7);
  file.write("empty", "");
  task.input = file / "empty";
  CHECK_THROWS_WITH(measure_translation(task, torch::kCPU), Catch::Contains("empty: is empty"));
}

TEST_CASE("translation benchmark is written with rounded figures as text, and with exact ones as JSON") {
  const TranslationBenchmark benchmark{"N 2; int8", 12.345, 1234.56, 2000, 30000, 1500000};
  CHECK(format_text(benchmark) ==
        "N 2; int8\n1234.6 output tokens/s, 12.35 lines/s (2,000 lines, 30,000 tokens)\npeak memory 1.5 MB");
  CHECK(
      format_json(benchmark) ==
      "{\"setup\":\"N 2; "
      "int8\",\"output_tokens_per_second\":1234.56,\"lines_per_second\":12.345,\"lines\":2000,\"output_tokens\":30000,"
      "\"peak_memory_bytes\":1500000}");
}

}  // namespace transformer
