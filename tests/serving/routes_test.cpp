#include "serving/routes.h"

#include "catch.h"

namespace transformer {

TEST_CASE("routes know each path with its method, and the message about another names what there is") {
  Routes routes;
  routes.add("/page", "GET");
  routes.add("/translate", "POST");
  CHECK(routes.contains("/page", "GET"));
  CHECK(routes.contains("/page", "HEAD"));
  CHECK(routes.contains("/translate", "POST"));
  CHECK_FALSE(routes.contains("/translate", "HEAD"));
  CHECK_FALSE(routes.contains("/none", "GET"));
  CHECK(routes.method_of("/translate") == "POST");
  CHECK_FALSE(routes.method_of("/none"));
  CHECK(routes.describe_unknown("/translate", "PUT") == "/translate takes POST, not PUT");
  CHECK(routes.describe_unknown("/none", "GET") == "there is no /none; there are /page and /translate");
}

}  // namespace transformer
