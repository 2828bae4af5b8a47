#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/read_file.h"
#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// The script with the Python package and the library of this build.
std::string python_script(const std::string& script, const std::string& arguments) {
  return "PYTHONPATH=" + quoted(kRepository / "python") + " TRANSFORMER_LIBRARY=" TRANSFORMER_LIBRARY " " +
         quoted(std::string(TRANSFORMER_VENV) + "/bin/python") + " " + script + " " + arguments;
}

void write_expected(const Workplace& place) {
  place.write("expected", output_of(trained().run({"translate", "--model", "model.pt", "--input", "test.source"})));
}

/// The first example of a page in a language.
std::string example_in(const std::string& language, const std::string& page) {
  const std::string text = read_file(kRepository / page), fence = "```" + language + "\n";
  const size_t begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + fence.size(), text.find("```", begin + 1) - begin - fence.size());
}

/// The command by which docs/serving.md compiles its example.
std::string compiler_call() {
  const auto lines = lines_of(read_file(kRepository / "docs/serving.md"));
  const auto call =
      std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("    cc "); });
  REQUIRE(call != lines.end());
  return *call;
}

/// Paragraphs of several sentences, and their translations.
void write_paragraphs(const Workplace& place) {
  const std::string paragraphs = "Ba be bi.  Du do! Dr. Ku ga gu.\n\nBa 3. Be du.\nba be {name} du do. Ba!\n";
  place.write("paragraphs", paragraphs);
  place.write("joined",
              output_of(trained().run({"translate", "--model", "model.pt", "--split", "sentences"}, paragraphs)));
}

}  // namespace

TEST_CASE("a C program translates through the library as translate does") {
  const Workplace& place = trained();
  const std::string expected = output_of(
      place.run({"translate", "--model", "model.pt", "--input", "test.source", "--nbest", "2", "--format", "nbest"}));
  const Result result = place.run_shell(
      quoted(std::vector<std::string>{TRANSLATE_IN_C, "model.pt", R"({"nbest": 2})"}) + " < test.source");
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto lines = lines_of(result.out), expected_lines = lines_of(expected);
  REQUIRE(lines.size() == expected_lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t tab = lines[i].find('\t');
    CHECK_THAT(expected_lines[i], Catch::Contains(" ||| " + lines[i].substr(tab + 1) + " ||| "));
  }
  const auto errors = lines_of(result.err);
  REQUIRE(errors.size() == 4);
  CHECK_THAT(errors[0], Catch::StartsWith("missing.pt: "));
  CHECK_THAT(errors[1], Catch::Contains("'thread': unknown option, did you mean 'threads'?"));
  CHECK_THAT(errors[2], Catch::Contains("unknown option 'beam' (did you mean 'beam_size'?)"));
  CHECK_THAT(errors[3], Catch::Contains("text 1: has a line break"));
}

TEST_CASE("a C program translates paragraphs sentence by sentence as translate does") {
  const Workplace place;
  write_paragraphs(place);
  const Result result = place.run_shell(
      quoted(std::vector<std::string>{TRANSLATE_IN_C, trained() / "model.pt", R"({"split": "sentences"})"}) +
      " < paragraphs");
  INFO(result.err);
  REQUIRE(result.status == 0);
  std::string texts;
  for (const std::string& line : lines_of(result.out)) {
    CHECK_THAT(line, Catch::StartsWith("nan\t"));  // joined translations have no score
    texts += line.substr(line.find('\t') + 1) + "\n";
  }
  CHECK(texts == place.read("joined"));
}

TEST_CASE("the library exports the functions of its header, with a version, and nothing else") {
  const Result result = trained().run_shell("nm -D --defined-only --with-symbol-versions '" TRANSFORMER_LIBRARY "'");
  std::set<std::string> exported;
  for (const std::string& line : lines_of(output_of(result))) {
    const std::string symbol = line.substr(line.rfind(' ') + 1);
    if (symbol.starts_with("transformer_")) exported.insert(symbol);
    CHECK_THAT(symbol, Catch::StartsWith("transformer_") || Catch::StartsWith("TRANSFORMER_1"));
  }
  CHECK(exported.contains("transformer_translate@@TRANSFORMER_1"));
  CHECK(exported.size() == 15);
}

TEST_CASE("the Python package translates from threads, processes and asyncio as translate does") {
  const Workplace place;
  write_expected(place);
  write_paragraphs(place);
  const std::string arguments = quoted(
      {trained() / "model.pt", trained() / "test.source", place / "expected", place / "paragraphs", place / "joined"});
  const Result result =
      place.run_shell(python_script(quoted(kRepository / "tests/programs/translate_in_python.py"), arguments));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.empty());
}

TEST_CASE("the Python example of docs/serving.md runs as it stands") {
  const Workplace place;
  place.write("example.py", example_in("python", "docs/serving.md"));
  output_of(place.run_shell("mkdir -p runs/sample data/sample && cp test.source data/sample/test.en && cp " +
                            quoted(trained() / "model.pt") + " runs/sample/averaged.safetensors"));
  const auto lines = lines_of(output_of(place.run_shell(python_script("example.py", ""))));
  CHECK(lines.size() == 2 + place.read_lines("test.source").size());
}

TEST_CASE("the C examples of README.md and docs/serving.md compile, run, and name a model that is missing") {
  const Workplace place;
  const std::string library = std::filesystem::path(TRANSFORMER_LIBRARY).parent_path();
  output_of(place.run_shell("mkdir -p build runs/sample && ln -s " + quoted(library) + " build/release && ln -s " +
                            quoted(kRepository / "include") + " include"));
  const std::string begin = "#include <stdio.h>\n#include \"transformer.h\"\n\nint main(void) {\n";
  const std::string translation =
      output_of(trained().run({"translate", "--model", "model.pt", "--beam-size", "4", "--precision", "int8"},
                              "The old letter costs forty-two euros.\n"));
  for (const char* page : {"README.md", "docs/serving.md"}) {
    INFO(page);
    const std::string example = example_in("c", page);
    place.write("example.c", example.find("int main") == std::string::npos ? begin + example + "}\n" : example);
    output_of(place.run_shell(compiler_call() + " -std=c99 -Wall -Wextra -Werror -o example"));
    const Result failed = place.run_shell("./example");
    CHECK(failed.out.empty());
    CHECK_THAT(failed.err, Catch::StartsWith("runs/sample/averaged.safetensors: "));
    place.write("runs/sample/averaged.safetensors", trained().read("model.pt"));
    CHECK_THAT(output_of(place.run_shell("./example")), Catch::EndsWith(" " + translation));
    std::filesystem::remove(place / "runs/sample/averaged.safetensors");
  }
}

TEST_CASE("train of the Python package trains as train does, and raises its errors") {
  const Workplace place;
  place.write("train.py", R"(import pathlib
import transformer_mt
transformer_mt.train(pathlib.Path("config.yaml"), {"training.train_steps": 2, "training.validate_every": None,
    "training.patience": None, "training.directory": pathlib.Path("run")})
for config, settings in (("missing.yaml", {}), ("config.yaml", {"training.train_step": 2, "model.d_modle": 2})):
    try:
        transformer_mt.train(config, settings)
    except transformer_mt.TransformerError as error:
        print(error)
)");
  const Result result = place.run_shell(python_script("train.py", ""));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.out, Catch::StartsWith("missing.yaml: "));
  CHECK_THAT(result.out, Catch::Contains("model.d_model'?") && Catch::Contains("training.train_steps'?"));
  CHECK_THAT(result.err, Catch::Contains("finished after step 2"));
  CHECK(place.has(checkpoint_name(2)));
}

TEST_CASE("the Python package and torch work in one process, whichever is imported first") {
  const Workplace place;
  const std::string torch = "import torch; print(float(torch.ones(2, 2).matmul(torch.ones(2, 2)).sum()))\n",
                    own = "import transformer_mt, sys; print(transformer_mt.Model(sys.argv[1]).translate('ba').text)\n";
  if (place.run_shell(python_script("-c", quoted(std::string("import torch")))).status != 0) return;  // a CPU setup
  const std::string text = output_of(trained().run({"translate", "--model", "model.pt"}, "ba\n"));
  place.write("torch_first.py", torch + own + torch);
  place.write("torch_last.py", own + torch);
  const std::string model = quoted(trained() / "model.pt");
  CHECK(output_of(place.run_shell(python_script("torch_first.py", model))) == "8.0\n" + text + "8.0\n");
  CHECK(output_of(place.run_shell(python_script("torch_last.py", model))) == text + "8.0\n");
}

}  // namespace transformer
