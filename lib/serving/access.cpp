#include "serving/access.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "serving/refusal.h"

namespace transformer {
namespace {

/// Whether the texts are equal, in a time that does not depend on where they differ.
bool are_equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

void check_token(const std::vector<std::string>& tokens, const std::string& authorization, const std::string& api_key) {
  if (tokens.empty()) return;
  static constexpr std::string_view kBearer = "Bearer ";
  const std::string given = authorization.starts_with(kBearer) ? authorization.substr(kBearer.size()) : api_key;
  for (const std::string& token : tokens) {
    if (are_equal_secrets(given, token)) return;
  }
  throw Refusal(401, "this server wants a token; send the header `Authorization: Bearer TOKEN`");
}

Headers origin_headers(const std::vector<std::string>& allowed_origins, const std::string& origin) {
  const auto is_allowed = [&](const std::string& one) {
    return std::find(allowed_origins.begin(), allowed_origins.end(), one) != allowed_origins.end();
  };
  Headers headers;
  if (allowed_origins.empty()) return headers;
  const std::string shown_to = is_allowed("*") ? "*" : origin;
  if (shown_to != "*") headers.emplace_back("Vary", "Origin");
  if (!is_allowed(shown_to)) return headers;
  headers.emplace_back("Access-Control-Allow-Origin", shown_to);
  headers.emplace_back("Access-Control-Expose-Headers", "Retry-After");
  return headers;
}

Headers preflight_headers(const std::string& method) {
  return {{"Access-Control-Allow-Methods", method},
          {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
          {"Access-Control-Max-Age", "86400"}};
}

}  // namespace transformer
