#include <algorithm>
#include <filesystem>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Whether the machine has the command. The test prints a warning if not, and should return.
bool has_command(const Workplace& place, const std::string& name) {
  const bool has = place.run_shell("command -v " + name).status == 0;
  if (!has) WARN(name << " is not installed; skipped");
  return has;
}

std::string only_output_of(const Workplace& place, const std::string& script) {
  INFO(script);
  return transformer::only_output_of(place.run_shell(script));
}

/// What bash offers for the last of `words`, which stand for "transformer WORDS" on the command line.
std::vector<std::string> bash_offers(const Workplace& place, const std::string& words) {
  place.write("offers.bash",
              "source <(\"$transformer\" completion bash)\n"
              "COMP_WORDS=(transformer \"$@\")\n"
              "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
              "_transformer\n"
              "[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  return lines_of(only_output_of(place, "bash offers.bash " + words));
}

using Offers = std::vector<std::string>;

bool contains(const Offers& offers, const std::string& offer) {
  return std::find(offers.begin(), offers.end(), offer) != offers.end();
}

}  // namespace

TEST_CASE("bash completes commands, options, names, files and config keys") {
  const Workplace place;
  std::filesystem::create_directory(place / "runs");
  place.write("model.pt", "");
  CHECK(bash_offers(place, "tra") == Offers{"train", "translate"});
  CHECK(bash_offers(place, "trees ''") == Offers{"linearize", "restore"});
  CHECK(bash_offers(place, "trees linearize --w") == Offers{"--words"});
  CHECK(contains(bash_offers(place, "train --"), "--overwrite"));
  CHECK(bash_offers(place, "translate --precision ''") == Offers{"fp32", "bf16", "fp16", "int8"});
  CHECK(bash_offers(place, "eval-bleu -m bleu chrf+") == Offers{"chrf++"});
  CHECK(bash_offers(place, "translate --model mod") == Offers{"model.pt"});
  CHECK(bash_offers(place, "translate --model model.pt mod") == Offers{"model.pt"});
  CHECK(bash_offers(place, "translate --model model.pt --bea") == Offers{"--beam-size"});
  CHECK(bash_offers(place, "translate --model = mod") == Offers{"model.pt"});
  CHECK(bash_offers(place, "average-checkpoints --last 5 ''") == Offers{"runs"});
  CHECK(bash_offers(place, "train --config translate --set training.train") == Offers{"training.train_steps="});
  CHECK(bash_offers(place, "translate --beam-size ''").empty());
  CHECK(bash_offers(place, "completion f") == Offers{"fish"});
  CHECK(bash_offers(place, "config conf") == Offers{"config.yaml"});
  CHECK(bash_offers(place, "train conf") == Offers{"config.yaml"});
  CHECK(bash_offers(place, "train config.yaml --overw") == Offers{"--overwrite"});
  CHECK(bash_offers(place, "config config.yaml --set model.d_f") == Offers{"model.d_ff="});
}

TEST_CASE("zsh loads its completion script") {
  const Workplace place;
  if (!has_command(place, "zsh")) return;
  only_output_of(place, "\"$transformer\" completion zsh > _transformer && zsh -n _transformer");
  CHECK(only_output_of(
            place, "zsh -fc 'compdef() { echo $*; }; source ./_transformer; whence -w _transformer_trees_restore'") ==
        "_transformer transformer\n_transformer_trees_restore: function\n");
}

TEST_CASE("fish completes commands, options and names") {
  const Workplace place;
  if (!has_command(place, "fish")) return;
  only_output_of(place, "\"$transformer\" completion fish > transformer.fish && fish -n transformer.fish");
  const auto offers = [&](const std::string& line) {
    Offers words =
        lines_of(only_output_of(place, "HOME=$PWD fish -c 'source transformer.fish; complete -C \"" + line + "\"'"));
    for (std::string& word : words) word.resize(std::min(word.size(), word.find('\t')));  // without the help text
    return words;
  };
  CHECK(offers("transformer tra") == Offers{"train", "translate"});
  CHECK(offers("transformer benchmark tr") == Offers{"train", "translate"});
  CHECK(offers("transformer benchmark train --st") == Offers{"--steps"});
  CHECK(offers("transformer train --sta") == Offers{"--start-timeout"});
  CHECK(offers("transformer score --precision ").empty());
  CHECK(offers("transformer translate --format n") == Offers{"nbest"});
  CHECK(offers("transformer train --set training.train") == Offers{"training.train_steps="});
  CHECK(offers("transformer train conf") == Offers{"config.yaml"});
  CHECK(offers("transformer train --config conf") == Offers{"config.yaml"});
}

}  // namespace transformer
