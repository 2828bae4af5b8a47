#include "config/stored_config.h"

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("a stored config need not follow the rules between keys, but for those about the architecture") {
  CHECK(parse_stored_config("training: {warmup_steps: 0, patience: 2}\n", "m.pt").training.patience == 2);
  CHECK_THROWS_WITH(parse_stored_config("model: {d_model: 512, h: 7}\n", "m.pt"),
                    Catch::Contains("model.h does not divide d_model: 512 / 7"));
  CHECK_THROWS_WITH(parse_stored_config("data: {train: {source: [a, b], target: c}}\n", "m.pt"),
                    Catch::Contains("data.train.target names 1 file, but data.train.source names 2"));
}

TEST_CASE("a stored config lists the keys that this version does not know, and has none below model") {
  const StoredConfig config = parse_stored_config(
      "training:\n  fused_kernels: true\n  seed: 7\ndata:\n  shuffle: 1\nserving: {port: 80}\n", "m.pt");
  CHECK(config.unknown_keys == std::vector<std::string>{"training.fused_kernels", "data.shuffle", "serving.port"});
  CHECK(config.training.seed == 7);
  CHECK(parse_stored_config("training: {seed: 7}\n", "m.pt").unknown_keys.empty());
  const StoredConfig other =
      parse_stored_config("training: {schedule: tri_stage, beta1: 7, seed: 7}\nmodel: {N: 3}\n", "m.pt");
  CHECK(other.unknown_keys == std::vector<std::string>{"training.schedule: tri_stage", "training.beta1: 7"});
  CHECK(other.training.schedule == TrainingConfig().schedule);
  CHECK(other.training.seed == 7);
  CHECK(other.model.N == 3);
  CHECK_THROWS_WITH(parse_stored_config("model: {N: 0}\n", "m.pt"), Catch::Contains("model.N must be from 1"));
  CHECK_THROWS_AS(parse_stored_config("model: {experts: 4}\n", "m.pt"), DamagedFile);
  CHECK_THROWS_WITH(parse_stored_config("model: {experts: 4}\n", "m.pt"),
                    Catch::StartsWith("m.pt:1: unknown key 'model.experts'; use the version of this program"));
}

}  // namespace transformer
