#pragma once

#include <string>
#include <utility>
#include <vector>

namespace transformer {

/// Throws Refusal unless the request has one of the tokens; if there are none, anybody may use the server.
/// `authorization` is the request's header of this name, or empty, and `api_key` the token that LibreTranslate's
/// clients give in the body, which counts if the header has none.
void check_token(const std::vector<std::string>& tokens, const std::string& authorization, const std::string& api_key);

/// Names and values of headers.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// The headers with which a browser shows an answer to web pages of allowed origins (ServerOptions::allowed_origins);
/// `origin` is the request's header Origin, or empty.
Headers origin_headers(const std::vector<std::string>& allowed_origins, const std::string& origin);

/// Headers of the answer to a browser that asks if a web page of another origin may send a request: to this path, it
/// may with this method.
Headers preflight_headers(const std::string& method);

}  // namespace transformer
