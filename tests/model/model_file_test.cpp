#include "model/model_file.h"

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "serialization/save_zip_archive.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("model file gives back what was saved, bit for bit") {
  const TemporaryDirectory directory;
  const auto model = tiny_model(tiny_config());
  const std::string vocabulary("\0bytes\xFF", 7);
  save_model(directory / "m.pt", {"model:\n  N: 2\n", {vocabulary}, copy_parameters(*model)});
  const ModelFile loaded = load_model(directory / "m.pt");
  CHECK(loaded.config == "model:\n  N: 2\n");
  CHECK(loaded.vocabularies == VocabularyModels(vocabulary));
  Transformer other(tiny_config(), 20);
  set_parameters(*other, loaded.parameters, "m.pt");
  for (const auto& named : other->named_parameters()) {
    CHECK(torch::equal(named.value(), model->named_parameters()[named.key()]));
  }
}

TEST_CASE("a model file of an older version is read, and its vocabulary is the same") {
  const TemporaryDirectory directory;
  const auto model = tiny_model(tiny_config());
  const std::string vocabulary("\0bytes\xFF", 7);
  const auto bytes = torch::tensor(std::vector<uint8_t>(vocabulary.begin(), vocabulary.end()));
  save_zip_archive(directory / "m.pt", {{"format", std::string("transformer-1")},
                                        {"config", std::string("model:\n  N: 2\n")},
                                        {"vocabulary", bytes},
                                        {"source_vocabulary", bytes.narrow(0, 0, 1).clone()},
                                        {"parameters", copy_parameters(*model)}});
  const ModelFile loaded = load_model(directory / "m.pt");
  CHECK(loaded.vocabularies == VocabularyModels::separate(vocabulary.substr(0, 1), vocabulary));
  CHECK(loaded.config == "model:\n  N: 2\n");
  CHECK(loaded.parameters.size() == copy_parameters(*model).size());
  CHECK(load_model_without_parameters(directory / "m.pt").vocabularies == loaded.vocabularies);
}

TEST_CASE("a model file keeps where the model comes from") {
  const TemporaryDirectory directory;
  save_model(directory / "m", {"", {""}, NamedTensors(), "the mean of a and b"});
  CHECK(load_model(directory / "m").provenance == "the mean of a and b");
}

TEST_CASE("model_entries are all entries that a model file can have") {
  std::set<std::string> names;
  for (const auto& [name, value] :
       to_archive({"config", VocabularyModels::separate("s", "t"), NamedTensors(), "the mean of a and b"})) {
    names.insert(name);
  }
  CHECK(names == model_entries());
}

TEST_CASE("model file that is cut short, damaged or something else is refused") {
  const TemporaryDirectory directory;
  save_model(directory / "m.pt", {"", {""}, copy_parameters(*tiny_model(tiny_config()))});
  const std::string bytes = read_file(directory / "m.pt");
  write_file_atomically(directory / "cut.pt", bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_WITH(load_model(directory / "cut.pt"), Catch::Contains("cut.pt: ") && Catch::Contains("cut short"));
  std::string changed = bytes;
  changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
  write_file_atomically(directory / "changed.pt", changed);
  CHECK_THROWS_WITH(load_model(directory / "changed.pt"), Catch::Contains("damaged"));
  write_file_atomically(directory / "text.pt", "hello");
  CHECK_THROWS_AS(load_model(directory / "text.pt"), Error);
  CHECK_THROWS_WITH(load_model(directory / "none.pt"), Catch::Contains("no such file"));
}

TEST_CASE("a file with the right checksum that is no archive is refused as damaged") {
  const TemporaryDirectory directory;
  const std::string content = "PK\x03\x04 and neither a zip archive nor a pickle";
  const uint32_t trailer[2] = {crc32_of(content), 0};
  write_file_atomically(directory / "m.pt",
                        content + "TRFCRC32" + std::string(reinterpret_cast<const char*>(trailer), sizeof(trailer)));
  CHECK_THROWS_AS(load_model(directory / "m.pt"), DamagedFile);
  CHECK_THROWS_WITH(load_model(directory / "m.pt"),
                    Catch::Contains("m.pt: its checksum fits, but it is not a model file"));
}

TEST_CASE("a model file with an entry of another type is refused by the entry's name") {
  const TemporaryDirectory directory;
  const Archive sound = to_archive({"", {""}, copy_parameters(*tiny_model(tiny_config()))});
  const std::string name = GENERATE("format", "config", "vocabulary", "parameters");
  Archive other = sound;
  other[name] = int64_t{1};
  save_archive(directory / "m.pt", other);
  CHECK_THROWS_AS(load_model(directory / "m.pt"), DamagedFile);
  CHECK_THROWS_WITH(load_model(directory / "m.pt"),
                    Catch::Contains("m.pt: its entry '" + name + "' is an integer, expected a"));
  other = sound;
  other["vocabulary"] = std::string("!!!!");
  save_archive(directory / "m.pt", other);
  CHECK_THROWS_WITH(load_model(directory / "m.pt"), Catch::Contains("its entry 'vocabulary' is not base64"));
  other["vocabulary"] = torch::zeros({3});
  save_zip_archive(directory / "m.pt", other);
  CHECK_THROWS_WITH(load_model(directory / "m.pt"), Catch::Contains("'vocabulary' does not consist of bytes"));
}

TEST_CASE("parameters of another architecture are refused by name and shape") {
  ModelConfig other = tiny_config();
  other.d_ff = 8;
  Transformer model(other, 20);
  CHECK_THROWS_WITH(set_parameters(*model, copy_parameters(*tiny_model(tiny_config())), "m.pt"),
                    Catch::Contains("m.pt: parameter 'encoder.layers.0.feed_forward.w_1.weight' is [32, 16]"));
  other = tiny_config();
  other.N = 3;
  Transformer deeper(other, 20);
  CHECK_THROWS_WITH(set_parameters(*deeper, copy_parameters(*tiny_model(tiny_config())), "m.pt"),
                    Catch::Contains("has no parameter"));
  other.N = 1;
  Transformer flatter(other, 20);
  CHECK_THROWS_WITH(set_parameters(*flatter, copy_parameters(*tiny_model(tiny_config())), "m.pt"),
                    Catch::Contains("parameters, expected"));
}

}  // namespace transformer
