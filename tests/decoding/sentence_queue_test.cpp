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

TEST_CASE("sentences join a running search when an eighth of its capacity is free, in sentences and in tokens") {
  static constexpr int64_t kLength = 10;
  // Either the sentences or the tokens allow no more than 16 sentences.
  const auto capacity = GENERATE(SearchCapacity{.sentences = 16, .tokens = 1000 * kLength},
                                 SearchCapacity{.sentences = 1000, .tokens = 16 * kLength});
  INFO(capacity.sentences << " sentences, " << capacity.tokens << " tokens");
  SentenceQueue queue(std::vector<int64_t>(100, kLength), capacity);
  std::vector<int64_t> running = queue.take({});
  REQUIRE(running.size() == 16);
  running.pop_back();
  CHECK(queue.take(running).empty());
  running.pop_back();
  CHECK(queue.take(running) == std::vector<int64_t>{16, 17});
}

TEST_CASE("a queue that was cleared has no further sentences") {
  SentenceQueue queue(std::vector<int64_t>(100, 10), {.sentences = 4, .tokens = 1000});
  CHECK(queue.take({}).size() == 4);
  queue.clear();
  CHECK(queue.take({}).empty());
}

TEST_CASE("a sentence that exceeds the capacity is searched alone") {
  SentenceQueue queue({5, 200, 5, 5}, {.sentences = 8, .tokens = 100});
  CHECK(queue.take({}) == std::vector<int64_t>{0});
  CHECK(queue.take({0}).empty());
  CHECK(queue.take({}) == std::vector<int64_t>{1});
  CHECK(queue.take({1}).empty());
  CHECK(queue.take({}) == std::vector<int64_t>{2, 3});
}

}  // namespace transformer
