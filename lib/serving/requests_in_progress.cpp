#include "serving/requests_in_progress.h"

#include <utility>

namespace transformer {

RequestsInProgress::Request::Request(RequestsInProgress& all, std::string path, ConnectionEnds connection)
    : all_(all), path_(std::move(path)), connection_(std::move(connection)) {
  const std::lock_guard lock(all_.mutex_);
  all_.in_use_.insert(connection_);
}

RequestsInProgress::Request::~Request() {
  all_.metrics_.add_answer(path_, status_, seconds_since(start_));
  const std::lock_guard lock(all_.mutex_);
  all_.in_use_.erase(all_.in_use_.find(connection_));
  if (all_.in_use_.empty()) all_.ended_.notify_all();
}

bool RequestsInProgress::are_using(const ConnectionEnds& connection) const {
  const std::lock_guard lock(mutex_);
  return in_use_.contains(connection);
}

void RequestsInProgress::wait_for_end() const {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return in_use_.empty(); });
}

}  // namespace transformer
