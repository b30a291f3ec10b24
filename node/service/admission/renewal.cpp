// SPDX-License-Identifier: MIT
#include "node/service/admission/renewal.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/text.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

namespace {

/// Days or hours when there are at least two of them: for people.
std::string rough(Duration time) {
  using Days = std::chrono::duration<std::int64_t, std::ratio<86400>>;
  if (time >= Days(2)) return beckon::to_text(std::chrono::floor<Days>(time));
  if (time >= std::chrono::hours(2))
    return beckon::to_text(std::chrono::floor<std::chrono::hours>(time));
  return beckon::to_text(std::chrono::floor<std::chrono::seconds>(time));
}

Error refuse(std::string text) { return {ErrorCode::refused, std::move(text)}; }

}  // namespace

Renewal::Renewal(Context& context, Options options, Self self, const Signer& signer, Adopt adopt)
    : context_(context),
      options_(options),
      self_(std::move(self)),
      signer_(signer),
      adopt_(std::move(adopt)) {}

WallTime Renewal::due() const {
  const Credential& c = self_.credential;
  std::chrono::duration<double, std::milli> left =
      (c.not_after - c.not_before) * options_.share_left;
  return c.not_after - std::chrono::duration_cast<std::chrono::milliseconds>(left);
}

void Renewal::start() {
  if (std::exchange(started_, true)) return;
  if (self_.authority_node) return renewing_.start(keep_valid());
  trouble_ = "this home does not say which node is the authority's";
  context_.log(LogLevel::warning,
               "the credential cannot be renewed. Before it ends ask for a new invite: beckon up "
               "--invite STRING",
               {{"reason", trouble_}});
}

Flow<void> Renewal::keep_valid() {
  for (;;) {
    while (context_.now().wall < due()) {
      Duration wait = std::min<Duration>(due() - context_.now().wall, options_.look_every);
      auto moment = pause(context_, std::max<Duration>(wait, std::chrono::milliseconds(1)));
      co_await moment;
    }
    for (Duration retry = options_.first_retry;; retry = std::min(2 * retry, options_.last_retry)) {
      auto renewing = renew();
      auto renewed = co_await renewing;
      if (renewed) break;
      failed(renewed.error().text, retry);
      auto moment = pause(context_, retry);
      co_await moment;
    }
    trouble_.clear();
    Duration life = self_.credential.not_after - context_.now().wall;
    context_.log(LogLevel::info, "this node's credential was renewed", {{"lasts", rough(life)}});
  }
}

Flow<Result<void>> Renewal::renew() {
  auto owner_found = lookup(context_, *self_.authority_node);
  auto owner = co_await owner_found;
  if (!owner) co_return owner.error();
  if (owner->owner.id != *self_.authority_node)
    co_return Error{ErrorCode::unavailable, "the authority's node is away"};
  auto answer = ask(context_, owner->owner, FrameType::renew_req, encode(RenewRequest{}),
                    options_.answer_within);
  auto frame = co_await answer;
  if (!frame) co_return frame.error();
  auto fresh = judge(*frame);
  if (!fresh) co_return fresh.error();
  if (auto kept = adopt_(*fresh); !kept) co_return kept.error();
  self_.credential = *fresh;
  co_return {};
}

Result<Credential> Renewal::judge(const Frame& reply) const {
  if (reply.type != raw(FrameType::renew_rep)) return invalid("an answer of another kind");
  auto renewed = decode<Renewed>(reply.body);
  if (!renewed) return renewed.error();
  const Credential* fresh = &renewed->credential;
  auto genuine =
      fresh->check(self_.overlay, self_.authority, self_.key, signer_, context_.now().wall);
  if (!genuine) return genuine.error();
  if (fresh->nonce != self_.credential.nonce) return refuse("a credential for another place");
  if (fresh->not_after <= self_.credential.not_after) {
    return refuse("the authority's answer ends no later than what we have");
  }
  return *fresh;
}

void Renewal::failed(const std::string& why, Duration retry) {
  trouble_ = why;
  Duration left = self_.credential.not_after - context_.now().wall;
  if (left > Duration::zero()) {
    return context_.log(LogLevel::warning, "cannot renew the credential; trying again later",
                        {{"reason", why}, {"ends_in", rough(left)}, {"next_try_in", rough(retry)}});
  }
  context_.log(LogLevel::warning,
               "the credential has ended and cannot be renewed. Ask for a new invite: beckon up "
               "--invite STRING",
               {{"reason", why}});
}

void Renewal::handle(const Request& request) {
  if (auto fine = decode<RenewRequest>(request.body); !fine) {
    return context_.refuse(request, fine.error());
  }
  if (enroller_ == nullptr) {
    return context_.refuse(request, refuse("this node is not the authority's"));
  }
  auto fresh = enroller_->renew(request.from.id, context_.now().wall);
  if (!fresh) return context_.refuse(request, fresh.error());
  context_.reply(request, raw(FrameType::renew_rep), encode(Renewed{*fresh}));
}

}  // namespace beckon::service
