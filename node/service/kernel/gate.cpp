// SPDX-License-Identifier: MIT
#include "node/service/kernel/gate.h"

namespace beckon::service {

void Refusals::add(const Id& peer, const std::string& what) {
  ++count_;
  Time now = context_.now().mono;
  if (told_ && now - *told_ < quiet) return;
  told_ = now;
  context_.log(LogLevel::warning, "a peer " + what + "; refused",
               {{"peer", peer.brief()}, {"refused_so_far", std::to_string(count_)}});
}

bool Gate::admit(const Id& peer, double amount) {
  if (peer == context_.self().id || rate_.take(peer, amount, context_.now().mono)) return true;
  refusals_.add(peer, std::string("sends more ") + what_ + " than it may");
  return false;
}

void Gate::charge(const Id& peer, double amount) {
  if (peer != context_.self().id) rate_.charge(peer, amount, context_.now().mono);
}

}  // namespace beckon::service
