#include "training/divergence_guard.h"

#include <limits>

#include "catch.h"

namespace transformer {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

DivergenceGuard guard_after(int64_t steps, double loss) {
  DivergenceGuard guard;
  for (int64_t i = 0; i < steps; ++i) guard.add_step(loss);
  return guard;
}

}  // namespace

TEST_CASE("divergence guard: 200 steps in a row above three times the usual loss are divergence") {
  DivergenceGuard guard = guard_after(100, 4);
  CHECK(guard.usual_loss() == Approx(4));
  for (int i = 0; i < 199; ++i) guard.add_step(12.1);
  CHECK_FALSE(guard.has_diverged());
  CHECK(guard.high_steps() == 199);
  CHECK(guard.usual_loss() == Approx(4));  // does not follow the high loss
  guard.add_step(12.1);
  CHECK(guard.has_diverged());
}

TEST_CASE("divergence guard: a step with a usual loss starts the count anew") {
  DivergenceGuard guard = guard_after(100, 4);
  for (int i = 0; i < 1000; ++i) guard.add_step(i % 200 == 199 ? 11.9 : 50);
  CHECK_FALSE(guard.has_diverged());
}

TEST_CASE("divergence guard: a loss that is not finite is too high, also before the first finite one") {
  DivergenceGuard guard = guard_after(10, kNaN);
  CHECK(guard.high_steps() == 10);
  guard.add_step(9);
  CHECK(guard.high_steps() == 0);
  CHECK(guard.usual_loss() == 9);
  for (int i = 0; i < 200; ++i) guard.add_step(i % 2 == 0 ? kNaN : std::numeric_limits<double>::infinity());
  CHECK(guard.has_diverged());
  CHECK(guard.usual_loss() == 9);
}

TEST_CASE("divergence guard: the usual loss follows a loss that falls, within some thousand steps") {
  DivergenceGuard guard = guard_after(100, 10);
  for (int i = 0; i < 5000; ++i) guard.add_step(2);
  CHECK(guard.usual_loss() == Approx(2).epsilon(0.05));
  guard.add_step(7);
  CHECK(guard.high_steps() == 1);
}

TEST_CASE("divergence guard: a loss below one nat is never too high") {
  DivergenceGuard guard = guard_after(100, 0.01);
  guard.add_step(0.9);
  CHECK(guard.high_steps() == 0);
  guard.add_step(1.1);
  CHECK(guard.high_steps() == 1);
}

TEST_CASE("divergence guard: resumes with its values") {
  DivergenceGuard whole = guard_after(100, 4);
  whole.add_step(50);
  DivergenceGuard resumed(whole.usual_loss(), whole.high_steps());
  for (int i = 0; i < 199; ++i) resumed.add_step(50);
  CHECK(resumed.has_diverged());
}

}  // namespace transformer
