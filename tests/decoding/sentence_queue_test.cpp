#include "decoding/sentence_queue.h"

#include <algorithm>
#include <future>
#include <numeric>
#include <thread>

#include "catch.h"

namespace transformer {
namespace {

using Ids = std::vector<int64_t>;

/// A request for an output of at most so many tokens. Its result is dropped.
SearchRequest request_of(int64_t max_length) {
  return {.max_length = max_length, .on_result = [](const SearchResult&) {}};
}

void add(SentenceQueue& queue, const std::vector<int64_t>& max_lengths) {
  for (const int64_t length : max_lengths) queue.add(request_of(length));
}

Ids ids_of(const std::vector<SharedSentence>& sentences) {
  Ids ids;
  for (const auto& sentence : sentences) ids.push_back(sentence->id());
  return ids;
}

/// Keeps how the search of one sentence ended.
struct Ending {
  SearchRequest request() {
    SearchRequest made = request_of(5);
    made.on_result = [this](const SearchResult& result) {
      ++times;
      error = result.error;
    };
    return made;
  }
  bool is_cancelled() const {
    if (times != 1 || !error) return false;
    try {
      std::rethrow_exception(error);
    } catch (const SearchCancelled&) {
      return true;
    }
  }
  int times = 0;
  std::exception_ptr error;
};

}  // namespace

TEST_CASE("threads that share a sentence queue take each sentence once, also those that are added meanwhile") {
  SentenceQueue queue({.sentences = 4, .tokens = 100});
  add(queue, std::vector<int64_t>(500, 1));
  std::vector<std::future<Ids>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(std::async(std::launch::async, [&] {
      Ids all;
      for (auto taken = ids_of(queue.take({})); !taken.empty(); taken = ids_of(queue.take({}))) {
        all.insert(all.end(), taken.begin(), taken.end());
      }
      return all;
    }));
  }
  std::vector<std::thread> adding;
  for (int i = 0; i < 2; ++i) adding.emplace_back([&] { add(queue, std::vector<int64_t>(250, 1)); });
  for (auto& thread : adding) thread.join();
  queue.close();
  Ids taken;
  for (auto& thread : threads) {
    const auto part = thread.get();
    taken.insert(taken.end(), part.begin(), part.end());
  }
  std::sort(taken.begin(), taken.end());
  Ids all(1000);
  std::iota(all.begin(), all.end(), 0);
  CHECK(taken == all);
}

TEST_CASE("sentences join a running search when an eighth of its capacity is free, in sentences and in tokens") {
  static constexpr int64_t kLength = 10;
  // Either the sentences or the tokens allow no more than 16 sentences.
  const auto capacity = GENERATE(SearchCapacity{.sentences = 16, .tokens = 1000 * kLength},
                                 SearchCapacity{.sentences = 1000, .tokens = 16 * kLength});
  INFO(capacity.sentences << " sentences, " << capacity.tokens << " tokens");
  SentenceQueue queue(capacity);
  add(queue, std::vector<int64_t>(100, kLength));
  auto running = queue.take({});
  REQUIRE(running.size() == 16);
  running.pop_back();
  CHECK(queue.take(running).empty());
  running.pop_back();
  CHECK(ids_of(queue.take(running)) == Ids{16, 17});
}

TEST_CASE("a search that runs does not wait for sentences, and one that does not run waits until one comes") {
  SentenceQueue queue({.sentences = 4, .tokens = 1000});
  add(queue, {10});
  const auto running = queue.take({});
  CHECK(queue.take(running).empty());
  auto waiting = std::async(std::launch::async, [&] { return ids_of(queue.take({})); });
  add(queue, {10});
  CHECK(waiting.get() == Ids{1});
  queue.close();
  CHECK(queue.take({}).empty());
}

TEST_CASE("searches that have no sentences leave their shares of the processors to the others") {
  SentenceQueue queue({.sentences = 4, .tokens = 1000}, /*num_searches=*/3);
  add(queue, {10, 10, 10, 10, 10});
  CHECK(queue.shares() == 1);  // before the searches begin
  const auto first = queue.take({}), second = queue.take({});
  CHECK(queue.shares() == 1);
  queue.close();
  CHECK(queue.take({}).empty());  // by the third search
  CHECK(queue.shares() == 1);     // three for two searches
  CHECK(queue.take({}).empty());  // by the second search, whose sentences have ended
  CHECK(queue.shares() == 3);
  CHECK(queue.take({first[0]}).empty());
  CHECK(queue.shares() == 3);
  CHECK(queue.take({}).empty());
  CHECK(queue.shares() == 3);
}

TEST_CASE("all sentences of a queue can be cancelled, and later ones are cancelled at once") {
  SentenceQueue queue({.sentences = 1, .tokens = 1000});
  Ending running, waiting, late;
  queue.add(running.request());
  queue.add(waiting.request());
  const auto taken = queue.take({});
  REQUIRE(ids_of(taken) == Ids{0});
  CHECK_FALSE(queue.is_cancelled(*taken.front()));
  queue.cancel_all();
  CHECK(queue.is_cancelled(*taken.front()));  // the search ends it
  CHECK(running.times == 0);
  CHECK(waiting.is_cancelled());
  CHECK(queue.take({}).empty());
  queue.add(late.request());
  CHECK(late.is_cancelled());
}

TEST_CASE("a sentence that was cancelled before its search is never taken") {
  SentenceQueue queue({.sentences = 4, .tokens = 1000});
  Ending cancelled;
  queue.add(cancelled.request())->cancel();
  add(queue, {10});
  CHECK(ids_of(queue.take({})) == Ids{1});
  CHECK(cancelled.is_cancelled());
  Ending last;
  queue.add(last.request())->cancel();
  queue.close();
  CHECK(queue.take({}).empty());
  CHECK(last.is_cancelled());
}

TEST_CASE("a sentence that exceeds the capacity is searched alone") {
  SentenceQueue queue({.sentences = 8, .tokens = 100});
  add(queue, {5, 200, 5, 5});
  const auto first = queue.take({});
  CHECK(ids_of(first) == Ids{0});
  CHECK(queue.take(first).empty());
  const auto second = queue.take({});
  CHECK(ids_of(second) == Ids{1});
  CHECK(queue.take(second).empty());
  CHECK(ids_of(queue.take({})) == Ids{2, 3});
}

}  // namespace transformer
