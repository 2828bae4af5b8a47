#include "platform/work_meter.h"

#include <torch/types.h>

#include "catch.h"

namespace transformer {

TEST_CASE("work meter gives time to the kind of work that an operation is") {
  const auto a = torch::rand({400, 400}).requires_grad_();
  const WorkMeter meter(torch::kCPU);
  const auto seconds = [&](Work work) { return meter.seconds()[static_cast<size_t>(work)]; };
  const double before = seconds(Work::matrix_products);
  torch::mm(a, a).sum().backward();
  CHECK(seconds(Work::matrix_products) > before);
  CHECK(seconds(Work::attention) == 0);
  {
    RECORD_USER_SCOPE("optimizer");
    torch::exp(a.detach());
  }
  CHECK(seconds(Work::optimizer) > 0);
}

TEST_CASE("work meter counts every form of a matrix product") {
  const auto a = torch::rand({100, 100}), bias = torch::rand({100});
  const auto form = GENERATE(0, 1, 2);
  const WorkMeter meter(torch::kCPU);
  if (form == 0) torch::addmm(bias, a, a);
  if (form == 1) torch::_addmm_activation(bias, a, a);
  if (form == 2) torch::bmm(a.unsqueeze(0), a.unsqueeze(0));
  CHECK(meter.seconds()[static_cast<size_t>(Work::matrix_products)] > 0);
}

TEST_CASE("work meter counts products inside other work as products, and nothing else of it") {
  const auto a = torch::rand({300, 300});
  const WorkMeter meter(torch::kCPU);
  const auto seconds = [&](Work work) { return meter.seconds()[static_cast<size_t>(work)]; };
  {
    RECORD_USER_SCOPE("loss");
    a.clone();
    torch::mm(a, a);
  }
  CHECK(seconds(Work::matrix_products) > 0);
  CHECK(seconds(Work::loss) > 0);
  CHECK(seconds(Work::copies) == 0);
}

}  // namespace transformer
