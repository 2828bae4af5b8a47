#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                                 // 0: one that is free
  std::vector<std::string> tokens = {};            // of which a client must give one; empty: anybody may use the server
  std::vector<std::string> allowed_origins = {};   // of other web pages that may read answers; "*": of all
  int64_t max_body_bytes = int64_t{1} << 20;       // of a request
  int64_t max_request_texts = 1024;                // of a request
  int64_t max_text_characters = 20'000;            // of a text
  int64_t max_beam_size = 16;                      // of a request's options
  int64_t max_queue = 4096;                        // texts of all clients that wait or are being translated
  int64_t max_client_queue = 0;                    // those of one client's address; 0: no limit
  int64_t max_connections = 256;                   // that are served at once; others wait
  std::chrono::milliseconds timeout{60'000};       // of a request's translation
  std::chrono::milliseconds body_timeout{10'000};  // until a request's body has arrived
};

}  // namespace transformer
