// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "chord/finger_table.h"
#include "chord/location_cache.h"
#include "chord/lookup.h"
#include "chord/maintenance.h"
#include "chord/requests.h"

namespace beckon::chord {

/// Every lookup under way, and the owners that earlier ones found. Asks nobody itself: a call
/// returns the questions to put and the lookups that ended. Each FindOwner ends in one LookupDone.
/// An open lookup waits for an answer or, when everybody who might own its key was found dead, for
/// our tables to be mended; it ends after `lookup_time`. At most `lookups_at_once`; the caller
/// begins none while full(). A number is never used again: late answers find nothing.
class Lookups {
 public:
  enum class Goal : std::uint8_t { find, join, probe, finger };
  struct View {  // our own tables at the time of a call
    const Maintenance& ring;
    const FingerTable& fingers;
    Time now{};
  };
  struct Question {
    PeerRef peer{};
    Message message{};
    Purpose purpose{};
  };
  struct Ended {  // not for a FindOwner
    Goal goal{};
    int exponent{};         // of a finger
    PeerRef through{};      // a probe's start
    bool answered = false;  // by anybody
    Lookup::Finding finding{};
  };
  struct Effects {
    std::vector<Question> ask{};  // each is completed by one call of an answer or of failed
    std::vector<LookupDone> done{};
    std::vector<Ended> ended{};
  };

  explicit Lookups(const Options& options) : options_(options), cache_(options) {}

  [[nodiscard]] Effects find(const FindOwner& command, const View& view);
  /// Who is before us in the ring of these peers? A search for that under way takes them in.
  [[nodiscard]] Effects join(const std::vector<PeerRef>& start, const View& view);
  /// Who would follow us in the ring that peer is in?
  [[nodiscard]] Effects probe(const PeerRef& through, const View& view);
  [[nodiscard]] Effects refresh_finger(int exponent, const View& view);

  [[nodiscard]] Effects answered(const Purpose& purpose, const PeerRef& by, const NextReply& reply,
                                 const View& view);
  [[nodiscard]] Effects answered(const Purpose& purpose, const PeerRef& by, const StateReply& reply,
                                 const View& view);
  [[nodiscard]] Effects failed(const Purpose& purpose, const Id& peer, bool silent,
                               const View& view);
  /// A lookup whose question is unanswered for half its time-out asks another peer beside it.
  [[nodiscard]] Effects tick(const Requests& requests, const View& view);
  std::vector<LookupDone> abandon_all();              // we are out of the ring
  void drop(const Id& owner) { cache_.drop(owner); }  // it is gone: no cached answer names it

  // -- questions
  bool full() const { return open_.size() >= options_.lookups_at_once; }
  bool joining() const;
  /// What is asked for this purpose; none when its lookup has ended.
  std::optional<Message> message(const Purpose& purpose) const;
  bool waits_in_vain(const Requests& requests) const;  // for an answer to no request
  Time next_wake(const Requests& requests) const;
  /// What a join under way might take over; for the budget of simulated crashes.
  std::vector<std::vector<Id>> lists_to_adopt() const;

  friend bool operator==(const Lookups&, const Lookups&) = default;

 private:
  struct Open {
    Goal goal{};
    std::uint64_t tag{};  // of FindOwner; the exponent of a finger
    PeerRef through{};
    Lookup lookup;
    Time again_at = Time::max();  // it found nobody and waits for the tables to be mended
    friend bool operator==(const Open&, const Open&) = default;
  };
  struct Verifying {  // a cached location whose owner is being asked
    FindOwner command{};
    LocationCache::Location location{};
    Time started{};
    friend bool operator==(const Verifying&, const Verifying&) = default;
  };

  Effects begin(Goal goal, std::uint64_t tag, const Lookup::Plan& plan, const View& view,
                const PeerRef& through = {});
  Effects route(const FindOwner& command, const View& view);
  Effects drive(std::uint64_t number, const View& view);
  Effects verified(std::uint64_t number, const StateReply* reply, const View& view);
  void drive(std::uint64_t number, const View& view, Effects& out);
  void finish(std::uint64_t number, const View& view, Effects& out);
  bool worth_another_try(const Open& open, const View& view) const;
  void hedge(const Requests& requests, const View& view, Effects& out);
  void end_late(const View& view, Effects& out);
  void look_again(const View& view, Effects& out);
  Time hedge_at(const Requests::Pending& request) const;

  Options options_;
  LocationCache cache_;
  std::map<std::uint64_t, Open> open_{};
  std::map<std::uint64_t, Verifying> verifying_{};
  std::uint64_t next_ = 1;
};

}  // namespace beckon::chord
