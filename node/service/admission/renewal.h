// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "base/crypto.h"
#include "node/service/admission/enrolment.h"
#include "node/service/kernel/flow.h"

namespace beckon::service {

/// Keeps the credential of a closed overlay's member from running out. When a third of its life is
/// left, the authority's node is looked for on the ring by its id and asked for the next one; while
/// that fails it is tried again, after a minute at first, then after twice as long each time, up to
/// an hour. The authority's own node goes the same way and answers itself.
///
/// What comes back counts only if it is the authority's word for this very key and place, and ends
/// later than what we have; then `adopt` keeps it and uses it.
class Renewal {
 public:
  struct Options {
    double share_left = 1.0 / 3;
    Duration look_every = std::chrono::hours(1);  // the wall clock may jump
    Duration first_retry = std::chrono::minutes(1);
    Duration last_retry = std::chrono::hours(1);
    Duration answer_within = std::chrono::seconds(10);
  };
  struct Self {
    OverlayId overlay{};
    PublicKey authority{};
    PublicKey key{};
    Credential credential{};
    std::optional<Id> authority_node{};  // unknown: nobody can be asked, which is said once
  };
  using Adopt = std::function<Result<void>(const Credential&)>;

  Renewal(Context& context, Options options, Self self, const Signer& signer, Adopt adopt);
  Renewal(const Renewal&) = delete;
  Renewal& operator=(const Renewal&) = delete;

  void start();  // once the node is on the ring; later calls do nothing
  void set_enroller(Enroller* enroller) { enroller_ = enroller; }  // this node is the authority's
  void handle(const Request& request);                             // FrameType::renew_req

  const Credential& credential() const { return self_.credential; }
  WallTime due() const;  // when it is first asked for the next one
  /// Why the last attempt failed; empty while all is well.
  const std::string& trouble() const { return trouble_; }

 private:
  Flow<void> keep_valid();
  Flow<Result<void>> renew();
  Result<Credential> judge(const Frame& reply) const;
  void failed(const std::string& why, Duration retry);

  Context& context_;
  Options options_;
  Self self_;
  const Signer& signer_;
  Adopt adopt_;
  Enroller* enroller_ = nullptr;
  bool started_ = false;
  std::string trouble_{};
  Scope renewing_{1};
};

struct RenewRequest {
  static constexpr Form form = may_grow("renewal", FrameType::renew_req);
  static void fields(auto& f, auto&) { f.constant("version", 1); }
};
struct Renewed {
  Credential credential{};
  static constexpr Form form = may_grow("renewed credential", FrameType::renew_rep);
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("credential", m.credential);
  }
};

}  // namespace beckon::service
