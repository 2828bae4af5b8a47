#include "decoding/sentence_queue.h"

#include <algorithm>
#include <future>
#include <numeric>

#include "catch.h"

namespace transformer {

TEST_CASE("threads that share a sentence queue take each sentence once") {
  SentenceQueue queue(std::vector<int64_t>(1000, 1), {.sentences = 4, .tokens = 100});
  std::vector<std::future<std::vector<int64_t>>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(std::async(std::launch::async, [&] {
      std::vector<int64_t> all;
      for (auto taken = queue.take({}); !taken.empty(); taken = queue.take({})) {
        all.insert(all.end(), taken.begin(), taken.end());
      }
      return all;
    }));
  }
  std::vector<int64_t> taken;
  for (auto& thread : threads) {
    const auto part = thread.get();
    taken.insert(taken.end(), part.begin(), part.end());
  }
  std::sort(taken.begin(), taken.end());
  std::vector<int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  CHECK(taken == all);
}

}  // namespace transformer
