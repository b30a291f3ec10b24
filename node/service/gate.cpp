#include "node/service/gate.h"

namespace beckon::service {

bool Gate::admit(const Id& peer, double amount) {
  Time now = context_.now().mono;
  if (peer == context_.self().id || rate_.take(peer, amount, now)) return true;
  ++refused_;
  if (!told_ || now - *told_ >= quiet) {
    told_ = now;
    context_.log(LogLevel::warning,
                 "peer " + peer.brief() + " sends more " + what_ + " than it may; refused");
  }
  return false;
}

void Gate::charge(const Id& peer, double amount) {
  if (peer != context_.self().id) rate_.charge(peer, amount, context_.now().mono);
}

}  // namespace beckon::service
