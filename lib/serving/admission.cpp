#include "serving/admission.h"

#include <iterator>
#include <utility>

#include "base/format.h"
#include "base/parameter_error.h"
#include "base/utf8.h"
#include "serving/refusal.h"

namespace transformer {

void check_length(const std::string& text, size_t number, const ServerOptions& limits) {
  if (static_cast<int64_t>(text.size()) <= limits.max_text_characters) return;
  if (static_cast<int64_t>(num_characters(text)) <= limits.max_text_characters) return;
  throw Refusal(413, "text {}: has more than {} characters; divide it into sentences", number,
                with_thousands(limits.max_text_characters));
}

void check_limits(const std::vector<RequestedText>& texts, const RequestOptions& options, const ServerOptions& limits) {
  if (std::ssize(texts) > limits.max_request_texts) {
    throw Refusal(413, "the request has {} texts, and may have {}; send them in several requests", texts.size(),
                  limits.max_request_texts);
  }
  for (size_t i = 0; i < texts.size(); ++i) check_length(texts[i].text, i + 1, limits);
  for (const auto& [name, size] : {std::pair("beam_size", options.decoding.beam_size.value_or(1)),
                                   {"nbest", options.nbest},
                                   {"alternatives", options.choice.alternatives},
                                   {"mbr", options.choice.mbr}}) {
    if (size <= limits.max_beam_size) continue;
    throw ParameterError("'{}' may be {} at most on this server, got {}", name, limits.max_beam_size, size);
  }
}

AdmissionControl::Ticket::Ticket(AdmissionControl& control, std::string client, int64_t num_texts)
    : control_(control), client_(std::move(client)), num_texts_(num_texts) {
  const std::lock_guard lock(control.mutex_);
  if (control.num_texts_ + num_texts > control.max_texts_) {
    throw Refusal(503, "{} wait already, and the queue takes {}; try again later", counted(control.num_texts_, "text"),
                  control.max_texts_);
  }
  const auto found = control.of_clients_.find(client_);
  const int64_t of_client = found == control.of_clients_.end() ? 0 : found->second;
  if (control.max_client_texts_ > 0 && of_client + num_texts > control.max_client_texts_) {
    throw Refusal(429, "{} of this client wait already, and one client may have {}; wait for their answers",
                  counted(of_client, "text"), control.max_client_texts_);
  }
  if (num_texts > 0) control.of_clients_[client_] += num_texts;
  control.num_texts_ += num_texts;
}

AdmissionControl::Ticket::~Ticket() {
  const std::lock_guard lock(control_.mutex_);
  control_.num_texts_ -= num_texts_;
  const auto of_client = control_.of_clients_.find(client_);
  if (of_client == control_.of_clients_.end()) return;  // it had no texts
  of_client->second -= num_texts_;
  if (of_client->second == 0) control_.of_clients_.erase(of_client);
}

int64_t AdmissionControl::num_texts() const {
  const std::lock_guard lock(mutex_);
  return num_texts_;
}

}  // namespace transformer
