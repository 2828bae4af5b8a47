#include <cstdint>
#include <cstring>

#include "base/json.h"
#include "base/read_file.h"
#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Checks that Python's packages and NumPy, given what `export` writes, find the score that `score` finds.
void check_with_numpy(const Workplace& place, const std::string& model) {
  REQUIRE(place.run({"export", "--model", model, "-o", "out"}).status == 0);
  const std::string source = trained().read_lines("test.source").at(0);
  const std::string target = trained().read_lines("test.target").at(0);
  const std::string script = kRepository / "scripts/check_export.py";
  const Result checked = place.run_python({script, "out", source, target});
  INFO("needs numpy, safetensors and sentencepiece, which scripts/setup.sh installs: " << checked.err);
  REQUIRE(checked.status == 0);
  const Json by_numpy = parse_json(checked.out);
  place.write("source", source + "\n");
  place.write("target", target + "\n");
  const Json ours =
      parse_json(place.run({"score", "--model", model, "--source", "source", "--target", "target", "--json"}).out);
  CHECK(by_numpy.at("tokens") == ours.at("target_tokens"));
  CHECK(by_numpy.at("log_prob").get<double>() == Approx(ours.at("log_prob").get<double>()).epsilon(1e-5));
}

/// The bytes of a safetensors file without its checksums, as another program would leave them out.
std::string without_checksums(const std::string& file) {
  uint64_t size = 0;  // of the header
  std::memcpy(&size, file.data(), sizeof(size));
  Json header = parse_json(file.substr(sizeof(size), size));
  Json metadata;
  for (const auto& [key, text] : object_of(header.at("__metadata__"))) {
    if (!key.starts_with("crc32c")) metadata[key] = text;
  }
  header["__metadata__"] = metadata;
  const std::string text = json_text(header);
  const uint64_t new_size = text.size();
  return std::string(reinterpret_cast<const char*>(&new_size), sizeof(new_size)) + text +
         file.substr(sizeof(size) + size);
}

}  // namespace

TEST_CASE("an exported model, imported, is the same model") {
  const Workplace place;
  const Result exported = place.run({"export", "--model", trained() / "model.pt", "-o", "out"});
  INFO(exported.err);
  REQUIRE(exported.status == 0);
  CHECK(exported.out.empty());
  CHECK(place.list("out") == std::vector<std::string>{"model.safetensors", "vocabulary.model"});
  REQUIRE(place.run({"import", "--input", "out", "-o", "again.pt"}).status == 0);
  CHECK(place.have_same_bytes("again.pt", trained() / "model.pt"));
  // From a checkpoint too, without what only training needs.
  const std::string checkpoint = trained() / checkpoint_name(kLastStep);
  REQUIRE(place.run({"export", "--model", checkpoint, "-o", "out", "--format", "safetensors"}).status == 0);
  REQUIRE(place.run({"import", "--input", "out", "-o", "again.pt"}).status == 0);
  REQUIRE(place.run({"average-checkpoints", "--inputs", checkpoint, "-o", "alone.pt"}).status == 0);
  CHECK(place.have_same_bytes("again.pt", "alone.pt"));
}

TEST_CASE("an exported model gives Python's packages and NumPy what score gives") {
  check_with_numpy(Workplace(), trained() / "model.pt");
}

TEST_CASE("an exported model with restricted attention and learned positions gives NumPy what score gives") {
  const Workplace place;
  const Result training =
      place.train({"--set", "model.r=5", "--set", "model.position=learned", "--set", "model.max_positions=40", "--set",
                   "data.max_length=39", "--set", "training.train_steps=20", "--set", "training.precision=bf16"});
  INFO(training.err);
  REQUIRE(training.status == 0);
  check_with_numpy(place, checkpoint_name(20));
  const Result translated = place.run({"translate", "--model", checkpoint_name(20), "--input", "test.source"});
  CHECK(translated.status == 0);
  CHECK(lines_of(translated.out).size() == trained().read_lines("test.source").size());
}

TEST_CASE("models of other programs are trained, translate, score as NumPy does, and stay the same when imported") {
  const std::vector<std::vector<std::string>> models = {
      {"model.decoder_layers=1", "model.activation=swish", "model.attention_bias=true", "model.output_bias=true",
       "model.sinusoids=tensor2tensor", "model.decoder_start=zeros", "model.layer_norm_epsilon=1e-5"},
      {"model.activation=gelu", "model.attention_bias=true", "model.sinusoids=halves", "model.first_position=2",
       "model.scale_embedding=false", "model.embedding_layer_norm=true", "model.tied_embeddings=none",
       "model.output_bias=true", "model.decoder_start=end"},
      {"model.layer_norm=pre", "model.final_layer_norm=false", "model.tied_embeddings=source_and_target",
       "model.decoder_start=pad", "model.activation=gelu_sigmoid", "model.output_bias=true"}};
  const Workplace place;
  std::vector<std::string> arguments = {"--set", "training.train_steps=20"};
  for (const std::string& key : models.at(static_cast<size_t>(GENERATE(range(0, 3))))) {
    arguments.insert(arguments.end(), {"--set", key});
  }
  const Result training = place.train(arguments);
  INFO(training.err);
  REQUIRE(training.status == 0);
  const Result translated = place.run({"translate", "--model", checkpoint_name(20), "--input", "test.source"});
  CHECK(translated.status == 0);
  CHECK(lines_of(translated.out).size() == trained().read_lines("test.source").size());
  check_with_numpy(place, checkpoint_name(20));
  REQUIRE(place.run({"import", "--input", "out", "-o", "again.pt"}).status == 0);
  REQUIRE(place.run({"average-checkpoints", "--inputs", checkpoint_name(20), "-o", "alone.pt"}).status == 0);
  CHECK(place.have_same_bytes("again.pt", "alone.pt"));
}

TEST_CASE("Python's safetensors reads a model file as docs/files.md shows") {
  const Workplace place(trained());
  const std::string page = read_file(kRepository / "docs/files.md"), fence = "```python\nimport base64\n";
  const size_t begin = page.find(fence), end = page.find("```", begin + fence.size());
  REQUIRE(begin != std::string::npos);
  place.write("run/averaged.safetensors", place.read("model.pt"));
  std::string code = page.substr(begin + 10, end - begin - 10);
  code.replace(code.find("runs/sample/"), 12, "run/");
  place.write("read.py", code +
                             "import sentencepiece\n"
                             "print(sentencepiece.SentencePieceProcessor(model_proto=vocabulary).get_piece_size())\n");
  const Result result = place.run_python({"read.py"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.out, Catch::StartsWith("transformer-2\nmodel:\n") &&
                             Catch::Contains("embedding.weight (60, 32)\n") && Catch::Contains("\n60\n"));
}

TEST_CASE("a model that another program saved in another precision is imported as fp32") {
  const Workplace place;
  REQUIRE(place.run({"export", "--model", trained() / "model.pt", "-o", "out"}).status == 0);
  const Result rewritten =
      place.run_python({"-c",
                        "import numpy, os, safetensors.numpy, safetensors\n"
                        "with safetensors.safe_open('out/model.safetensors', framework='numpy') as f:\n"
                        "    tensors = {k: f.get_tensor(k).astype(numpy.float16) for k in f.keys()}\n"
                        "    metadata = {k: v for k, v in f.metadata().items() if not k.startswith('crc32c')}\n"
                        "    safetensors.numpy.save_file(tensors, 'half.safetensors', metadata)\n"
                        "os.replace('half.safetensors', 'out/model.safetensors')\n"});
  INFO(rewritten.err);
  REQUIRE(rewritten.status == 0);
  REQUIRE(place.run({"import", "--input", "out", "-o", "half.pt"}).status == 0);
  CHECK(place.read("half.pt").size() == trained().read("model.pt").size());
  CHECK_FALSE(place.have_same_bytes("half.pt", trained() / "model.pt"));
}

TEST_CASE("a model in int8 gives the translations in int8 of the fp32 file, and is used by every command") {
  const Workplace place(trained());
  REQUIRE(place.run({"export", "--model", "model.pt", "--quantization", "int8", "-o", "int8"}).status == 0);
  CHECK(place.read("int8/model.safetensors").size() < place.read("model.pt").size());
  const auto translate = [&](const std::string& model, const std::string& precision) {
    const Result result =
        place.run({"translate", "--model", model, "--input", "test.source", "--precision", precision, "--scores"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result.out;
  };
  CHECK(translate("int8", "int8") == translate("model.pt", "int8"));
  for (const char* precision : {"fp32", "bf16"}) CHECK(lines_of(translate("int8", precision)).size() == 100);
  const auto scores = [&](const std::string& model) {
    const Result result =
        place.run({"score", "--model", model, "--source", "test.source", "--target", "test.target", "--json"});
    REQUIRE(result.status == 0);
    return parse_json(result.out).at("log_prob").get<double>();
  };
  CHECK(scores("int8") == Approx(scores("model.pt")).epsilon(0.05));
  CHECK(place.run({"average-checkpoints", "--inputs", "int8/model.safetensors", "-o", "whole.pt"}).status == 0);
  CHECK(scores("whole.pt") == scores("int8"));
  CHECK(place.run({"info", "--model", "int8"}).status == 0);
  CHECK(place.run({"export", "--model", "int8", "--format", "ctranslate2", "-o", "served"}).status == 0);
  const Result tuned = place.train({"--set", "training.init_from=int8", "--set", "training.directory=tuned", "--set",
                                    "data.prepared=tuned-data", "--set", "training.train_steps=2"});
  INFO(tuned.err);
  CHECK(tuned.status == 0);
  CHECK(lines_of(place.run({"translate", "--model", "int8", "model.pt", "--input", "test.source"}).out).size() == 100);
}

TEST_CASE("a model in bf16 gives the translations in bf16 of the fp32 file") {
  const Workplace place(trained());
  REQUIRE(place.run({"export", "--model", "model.pt", "--quantization", "bfloat16", "-o", "bf16"}).status == 0);
  CHECK(place.read("bf16/model.safetensors").size() < place.read("model.pt").size());
  const auto translate = [&](const std::string& model) {
    return output_of(
        place.run({"translate", "--model", model, "--input", "test.source", "--precision", "bf16", "--scores"}));
  };
  CHECK(translate("bf16") == translate("model.pt"));
  CHECK(lines_of(output_of(place.run({"translate", "--model", "bf16", "--input", "test.source"}))).size() == 100);
}

TEST_CASE("a model exported for CTranslate2 has its four files, and the matrices in 8 bits where it is asked for") {
  const Workplace place;
  const std::string model = trained() / "model.pt";
  const Result exported = place.run({"export", "--model", model, "--format", "ctranslate2", "-o", "out"});
  INFO(exported.err);
  REQUIRE(exported.status == 0);
  CHECK(exported.out.empty());
  for (const std::string quantization : {"float32", "int8"}) {
    REQUIRE(place
                .run({"export", "--model", model, "--format", "ctranslate2", "--quantization", quantization, "-o",
                      quantization})
                .status == 0);
    CHECK(place.list(quantization) ==
          std::vector<std::string>{"config.json", "model.bin", "shared_vocabulary.json", "vocabulary.model"});
    CHECK(place.have_same_bytes("out/shared_vocabulary.json", quantization + "/shared_vocabulary.json"));
  }
  CHECK(place.have_same_bytes("out/model.bin", "float32/model.bin"));
  CHECK(place.read("int8/model.bin").size() < place.read("out/model.bin").size());
  REQUIRE(place.run({"export", "--model", model, "-o", "safetensors"}).status == 0);
  CHECK(place.have_same_bytes("out/vocabulary.model", "safetensors/vocabulary.model"));
}

TEST_CASE("a model that CTranslate2 cannot compute is not exported for it") {
  const Workplace place;
  REQUIRE(place.train({"--set", "model.r=5", "--set", "training.train_steps=1"}).status == 0);
  check_fails(place.run({"export", "--model", checkpoint_name(1), "--format", "ctranslate2", "-o", "out"}), 1,
              {"out: not written", "restricted self-attention", "safetensors"});
  CHECK_FALSE(place.has("out"));
}

TEST_CASE("import and export say what is wrong") {
  const Workplace place;
  check_fails(place.run({"export", "--model", "none.pt", "-o", "out"}), 1, {"none.pt: ", "no such file"});
  check_fails(place.run({"export", "--model", trained() / "model.pt", "-o", "out", "--format", "onnx"}), 2, {"onnx"});
  check_fails(place.run({"export", "--model", trained() / "model.pt", "-o", "out", "--quantization", "bfloat16",
                         "--format", "ctranslate2"}),
              2, {"--quantization bfloat16", "--format safetensors"});
  check_fails(place.run({"import", "--input", "none", "-o", "x.pt"}), 1, {"none: there is no such file or directory"});
  REQUIRE(place.run({"export", "--model", trained() / "model.pt", "-o", "out"}).status == 0);
  const std::string whole = place.read("out/model.safetensors");
  place.write("out/model.safetensors", whole.substr(0, whole.size() - 1));
  check_fails(place.run({"import", "--input", "out", "-o", "x.pt"}), 1,
              {"out/model.safetensors: not a valid safetensors file"});
  std::string renamed = whole;
  renamed.replace(renamed.find("\"embedding.weight\""), 10, "\"imbedding");
  place.write("out/model.safetensors", renamed);
  check_fails(place.run({"import", "--input", "out", "-o", "x.pt"}), 1,
              {"out/model.safetensors: damaged (the checksum of its header does not fit)", "begin with crc32c"});
  place.write("out/model.safetensors", without_checksums(renamed));
  check_fails(place.run({"translate", "--model", "out"}), 1,
              {"out/model.safetensors: is a safetensors file that is no model file", "transformer import --input out"});
  check_fails(place.run({"import", "--input", "out", "-o", "x.pt"}), 1,
              {"out/model.safetensors: has no parameter 'embedding.weight'"});
  place.write("out/model.safetensors", whole);
  check_fails(place.run({"import", "--input", "out", "-o", "./out/model.safetensors"}), 2,
              {"./out/model.safetensors: is an input and would be replaced"});
  CHECK(place.read("out/model.safetensors") == whole);
  place.write("out/vocabulary.model", "no vocabulary");
  check_fails(place.run({"import", "--input", "out", "-o", "x.pt"}), 1, {"out/vocabulary.model: "});
  CHECK_FALSE(place.has("x.pt"));
}

}  // namespace transformer
