#include "platform/onednn_cache.h"

#include <cstdlib>
#include <string>

#include "catch.h"

namespace transformer {

TEST_CASE("oneDNN's caches are limited unless the user has set their size") {
  unsetenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY");
  setenv("LRU_CACHE_CAPACITY", "500", /*overwrite=*/1);
  limit_onednn_cache();
  CHECK(std::stoi(std::getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY")) < 1024);
  CHECK(std::string(std::getenv("LRU_CACHE_CAPACITY")) == "500");
}

}  // namespace transformer
