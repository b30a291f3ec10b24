// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "chord/message.h"
#include "chord/options.h"
#include "chord/successor_list.h"

namespace beckon::chord {

/// The ring pointers of one peer and the only code that writes them. Knows no time, no request
/// numbers and no links: it is told what happened and says whom to ask next, so an exhaustive
/// search can explore this very class.
///
/// Rule W: the successor list is written only by the operation that holds the one op slot (or by
/// create and join, before others can see it). No message and no timer touches it otherwise; every
/// list we publish is the result of one whole step.
///
/// Adoption rule: a peer becomes our first successor only if, within the same operation, it
/// answered as a member and lies before our current first; our list is then its whole list, never a
/// mixture.
///
/// Departures from the Chord paper (SIGCOMM 2001, journal 2003), after Zave's corrections:
///  - a successor's predecessor is asked before it is adopted (the paper takes it unseen);
///  - join takes a whole successor list and the predecessor at once, from one member that answered,
///    and never a list filled with whoever is at hand;
///  - lists are copied whole from the new head and cut at ourselves; no filler entry, may be short;
///  - every end of stabilize notifies the first successor, on every branch;
///  - a notification replaces a live predecessor only after the old one was asked and found gone;
///  - a dead first successor is dropped inside stabilize only, and a sign of life beats a verdict;
///  - pointers of an earlier life are never used after a restart;
///  - a peer whose list ran empty recovers through its predecessor or remembered peers, and keeps
///    serving as a ring of one meanwhile;
///  - candidates from a merge probe enter by the same adoption rule, which heals split and loopy
///    rings; the paper has no such thing;
///  - who met peers between itself and its first successor asks the nearest of them (the same rule
///    again); a list that ran empty would else be mended by walking back round the whole ring;
///  - after a restart of everybody at once, when all remembered peers that answer are joining too,
///    the one with the smallest id begins the ring anew, the next some time later, if a newcomer
///    was smallest: without memory it never does;
///  - leaving is said aloud, but means only "treat me as dead": no list from the leaver is taken.
class Maintenance {
 public:
  struct AskSuccessor {
    PeerRef target{};
    std::size_t depth{};  // heads dropped in this operation
    friend bool operator==(const AskSuccessor&, const AskSuccessor&) = default;
  };
  struct AskCandidate {
    PeerRef target{};
    int chain{};
    friend bool operator==(const AskCandidate&, const AskCandidate&) = default;
  };
  using Operation = std::variant<std::monostate, AskSuccessor, AskCandidate>;

  struct Rectify {
    PeerRef old{};
    PeerRef candidate{};
    friend bool operator==(const Rectify&, const Rectify&) = default;
  };

  enum class Failure : std::uint8_t { dead, not_member, heard_meanwhile };

  /// What the owner of this object is to do after a call.
  struct Effects {
    std::optional<PeerRef> ask{};  // its state, for the op slot; answer by op_answered or op_failed
    std::optional<PeerRef> ping{};  // for the rectify slot; answer by rectify_done
    std::vector<PeerRef> notify{};
    std::vector<PeerRef> silent{};  // found dead: worth a retry much later
    bool recover = false;           // nobody left in the list: look for a ring through others
    bool stabilize_soon = false;
  };

  Maintenance(const Options& options, PeerRef self);

  // -- commands
  void create();
  void begin_join();
  /// `before` answered as a member and lies before us; `list` is its list. False: nothing usable in
  /// it (it lists only ourselves), try again later.
  [[nodiscard]] bool join(const PeerRef& before, const std::vector<PeerRef>& list);
  /// All who could be reached are joining too, nobody is a member: we begin the ring anew.
  void found_again();
  void begin_leave();
  void left();
  void assume(std::optional<PeerRef> predecessor, const std::vector<PeerRef>& successors);

  // -- the op slot
  /// `dead`: peers under a verdict; heads among them are dropped unasked.
  [[nodiscard]] Effects stabilize(const std::set<Id>& dead);
  [[nodiscard]] Effects try_candidate(const PeerRef& candidate);  // from a merge probe
  /// `by` has the id that was asked and the address its link was made with, maybe a new one.
  [[nodiscard]] Effects op_answered(const PeerRef& by, const StateReply& reply);
  [[nodiscard]] Effects op_failed(Failure failure);

  // -- the predecessor
  [[nodiscard]] Effects notified(const PeerRef& by);
  [[nodiscard]] Effects rectify_done(bool alive, bool dead);
  void flush(const Id& predecessor);  // it was found gone

  // -- questions
  Mode mode() const { return mode_; }
  const PeerRef& self() const { return self_; }
  const std::optional<PeerRef>& predecessor() const { return predecessor_; }
  const SuccessorList& successors() const { return successors_; }
  const Operation& operation() const { return operation_; }
  bool busy() const { return operation_.index() != 0; }
  /// Whether a key is ours, as far as our pointers say.
  bool owns(const Id& key) const;
  bool rectifying() const { return rectify_.has_value(); }
  StateReply state(std::uint64_t epoch) const;

  friend bool operator==(const Maintenance&, const Maintenance&) = default;

 private:
  Effects answered_by_successor(AskSuccessor op, const StateReply& reply);
  Effects answered_by_candidate(AskCandidate op, const StateReply& reply);
  Effects ask_candidate(const PeerRef& candidate, int chain);
  Effects drop_head_and_go_on(std::size_t depth, Failure failure);
  Effects finish();
  bool worth_asking(const std::optional<PeerRef>& candidate, const Id& before) const;

  PeerRef self_;
  std::size_t list_length_;
  int candidate_chain_;
  Mode mode_ = Mode::idle;
  std::optional<PeerRef> predecessor_{};
  SuccessorList successors_;
  Operation operation_{};
  std::optional<Rectify> rectify_{};
};

}  // namespace beckon::chord
