#include "config/unknown_key.h"

#include "catch.h"
#include "config/config.h"

namespace transformer {
namespace {

using Keys = std::vector<std::string>;

Keys all_keys() {
  Keys names;
  for (const Key& key : config_schema().keys()) names.push_back(key.name);
  return names;
}

Keys meant_by(const std::string& name) { return explain_unknown_key(name, all_keys()).meant; }

}  // namespace

TEST_CASE("unknown key suggests the key of the same name in another section") {
  CHECK(meant_by("model.train_steps") == Keys{"training.train_steps"});
  CHECK(meant_by("trainign.seed") == Keys{"training.seed"});
  CHECK(meant_by("seed") == Keys{"training.seed"});
  CHECK(meant_by("training.max_length") == Keys{"data.max_length"});
  CHECK(meant_by("train.source") == Keys{"data.train.source"});
  CHECK(meant_by("model.n") == Keys{"model.N"});
  CHECK(meant_by("model.dk") == Keys{"model.d_k"});
  CHECK(meant_by("training.batch-tokens") == Keys{"training.batch_tokens"});
  CHECK(explain_unknown_key("data.source", all_keys()).message ==
        "unknown key 'data.source' (did you mean 'data.train.source', 'data.valid.source', 'data.test.source' or "
        "'data.vocabulary.source'?)");
}

TEST_CASE("unknown key suggests a similar key, or none") {
  CHECK(meant_by("model.d_modle") == Keys{"model.d_model"});
  CHECK(meant_by("training.sede") == Keys{"training.seed"});
  CHECK(meant_by("data.train.sorce") == Keys{"data.train.source"});
  CHECK(meant_by("data.valid.taget") == Keys{"data.valid.target"});
  CHECK(meant_by("training.chekpoint_minute") == Keys{"training.checkpoint_minutes"});
  for (const char* name : {"model.x", "training.foo", "training.optimizer", "", ".", "model.", "xyzzy"}) {
    INFO(name);
    CHECK(meant_by(name).empty());
  }
  CHECK(explain_unknown_key("training.foo", all_keys()).message ==
        "unknown key 'training.foo'; `transformer config --list` shows all keys");
}

TEST_CASE("unknown key that another toolkit has is told as the key that does the same") {
  CHECK(explain_unknown_key("training.lr", all_keys()).message ==
        "unknown key 'training.lr'; 'lr' of fairseq is 'training.learning_rate' here (with a training.schedule such as "
        "inverse_sqrt); see docs/coming_from.md");
  CHECK(explain_unknown_key("training.initial_learning_rate", all_keys()).message ==
        "unknown key 'training.initial_learning_rate'; 'initial_learning_rate' of Sockeye is 'training.learning_rate' "
        "here (with a training.schedule such as inverse_sqrt; for inv-sqrt-decay, divide the value by the square root "
        "of learning_rate_warmup); see docs/coming_from.md");
  CHECK(
      explain_unknown_key("vocab_size", all_keys()).message ==
      "unknown key 'vocab_size'; 'vocab_size' is 'data.vocabulary_size' here (one vocabulary, which the program learns "
      "itself)");
  CHECK(meant_by("learning-rate") == Keys{"training.learning_rate"});
  CHECK(meant_by("model.encoder.num_layers") == Keys{"model.N"});
  CHECK(meant_by("max-tokens") == Keys{"training.batch_tokens"});
}

TEST_CASE("unknown key that is a section says so") {
  CHECK(explain_unknown_key("data.train", all_keys()).message ==
        "'data.train' is a section; give its keys below it, for example 'data.train.source'");
}

TEST_CASE("unknown key of any length is explained briefly") {
  CHECK(explain_unknown_key("training." + std::string(100000, 'x'), all_keys()).message.size() < 200);
}

}  // namespace transformer
