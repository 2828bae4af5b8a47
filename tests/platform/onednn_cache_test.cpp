#include "platform/onednn_cache.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "catch.h"
#include "environment.h"

namespace transformer {

TEST_CASE("oneDNN's caches are limited unless the user has set their size") {
  const Environment environment({{"ONEDNN_PRIMITIVE_CACHE_CAPACITY", std::nullopt}, {"LRU_CACHE_CAPACITY", "500"}});
  limit_onednn_cache();
  CHECK(std::stoi(std::getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY")) < 1024);
  CHECK(std::string(std::getenv("LRU_CACHE_CAPACITY")) == "500");
}

}  // namespace transformer
