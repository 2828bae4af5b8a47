#include <string>

#include "catch.h"
#include "workplace.h"

namespace transformer {

TEST_CASE("validation counts the lines and pieces that the vocabulary lacks") {
  const Workplace place;
  place.write("valid.source", "ba\nbe 书\n");
  place.write("valid.target", "al 我想\nel\n");
  const Result result = place.train({"--set", "training.train_steps=1"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  for (const char* place_and_count : {"valid.source:2", "valid.target:1"}) {
    CHECK_THAT(result.err, Catch::Contains(std::string("warning: ") + place_and_count +
                                           ": has characters that the vocabulary lacks, the only such line (1 unknown "
                                           "piece)"));
  }
}

}  // namespace transformer
