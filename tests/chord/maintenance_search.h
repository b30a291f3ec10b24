// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/bytes.h"
#include "base/hash.h"
#include "chord/maintenance.h"

namespace beckon::chord::search {

inline PeerRef ref(std::size_t n) {
  Id id;
  id.bytes[0] = static_cast<std::uint8_t>(10 * (n + 1));
  return {.id = id, .address = "p"};
}

struct Node {
  Maintenance ring;
  std::optional<StateReply> answer{};  // sampled for its open operation, not yet applied
  bool failed = false;                 // or: its question was found to fail
};

struct State {
  std::vector<std::optional<Node>> nodes{};
  std::set<std::pair<std::size_t, std::size_t>> notifies{};  // from, to
};

/// Breadth-first search over everything a small ring can do, on the shipped Maintenance class.
///
/// A state is the Maintenance of every running peer and what is under way: one sampled answer per
/// peer at most (answers are taken at one moment and applied at a later one) and notifications.
/// Moves: a peer begins stabilize; an asked peer's state is sampled; a sampled answer is applied; a
/// question to a dead or joining peer fails; a notification arrives; somebody outside the base
/// crashes, or joins with the list of the right member. A crash is allowed while nobody, and no
/// answer under way, is left without a live successor (the failure budget). Checked in every state:
/// I1, I2, I3, I4, I5.
class Search {
 public:
  Search(std::size_t ids, std::set<std::size_t> base, std::size_t length)
      : ids_(ids), base_(std::move(base)) {
    options_.list_length = length;
  }

  /// The number of states, or the first violation in `violation`.
  std::size_t run(std::size_t most) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    std::deque<State> open{ideal()};
    seen.insert(fingerprint(open.front()));
    while (!open.empty() && violation.empty() && seen.size() < most) {
      State state = std::move(open.front());
      open.pop_front();
      for (State& next : moves(state)) {
        if (!seen.insert(fingerprint(next)).second) continue;
        violation = check(next);
        if (!violation.empty()) break;
        open.push_back(std::move(next));
      }
    }
    complete = open.empty();
    return seen.size();
  }

  std::string violation{};
  bool complete = false;

 private:
  std::size_t number(const Id& id) const { return id.bytes[0] / 10U - 1; }
  Node& node(State& s, std::size_t i) const { return *s.nodes[i]; }

  State ideal() const {
    State s;
    s.nodes.resize(ids_);
    std::vector<std::size_t> order(base_.begin(), base_.end());
    for (std::size_t k = 0; k < order.size(); ++k) {
      Maintenance m(options_, ref(order[k]));
      std::vector<PeerRef> list;
      for (std::size_t d = 1; d < order.size(); ++d)
        list.push_back(ref(order[(k + d) % order.size()]));
      m.assume(ref(order[(k + order.size() - 1) % order.size()]), list);
      s.nodes[order[k]] = Node{m};
    }
    return s;
  }

  std::vector<State> moves(const State& s) const {
    std::vector<State> out;
    for (std::size_t i = 0; i < ids_; ++i) {
      if (!s.nodes[i]) {
        join(s, i, out);
        continue;
      }
      if (!base_.contains(i)) crash(s, i, out);
      if (!s.nodes[i]->ring.busy()) {
        begin(s, i, out);
      } else {
        advance(s, i, out);
      }
    }
    for (const auto& n : s.notifies) arrive(s, n, out);
    return out;
  }

  void obey(State& s, std::size_t i, const Maintenance::Effects& effects) const {
    for (const PeerRef& to : effects.notify) s.notifies.insert({i, number(to.id)});
    if (effects.ping) {  // answered at once: whether the old predecessor lives
      bool alive = s.nodes[number(effects.ping->id)].has_value();
      obey(s, i, node(s, i).ring.rectify_done(alive, !alive));
    }
  }

  void begin(const State& s, std::size_t i, std::vector<State>& out) const {
    State next = s;
    obey(next, i, node(next, i).ring.stabilize({}));
    out.push_back(std::move(next));
  }

  std::size_t target(const Node& n) const {
    const auto& op = n.ring.operation();
    if (auto* ask = std::get_if<Maintenance::AskSuccessor>(&op)) return number(ask->target.id);
    return number(std::get<Maintenance::AskCandidate>(op).target.id);
  }

  void advance(const State& s, std::size_t i, std::vector<State>& out) const {
    const Node& n = *s.nodes[i];
    std::size_t asked = target(n);
    State next = s;
    if (n.answer) {
      StateReply reply = *std::exchange(node(next, i).answer, std::nullopt);
      obey(next, i, node(next, i).ring.op_answered(ref(asked), reply));
    } else if (n.failed) {
      // Life beats a pending verdict: who came back meanwhile has been heard of.
      auto failure =
          s.nodes[asked] ? Maintenance::Failure::heard_meanwhile : Maintenance::Failure::dead;
      node(next, i).failed = false;
      obey(next, i, node(next, i).ring.op_failed(failure));
    } else if (s.nodes[asked]) {
      node(next, i).answer = s.nodes[asked]->ring.state(1);
    } else {
      node(next, i).failed = true;
    }
    out.push_back(std::move(next));
  }

  void arrive(const State& s, std::pair<std::size_t, std::size_t> n,
              std::vector<State>& out) const {
    State next = s;
    next.notifies.erase(n);
    if (next.nodes[n.second])
      obey(next, n.second, node(next, n.second).ring.notified(ref(n.first)));
    out.push_back(std::move(next));
  }

  bool lives(const State& s, const std::vector<PeerRef>& list, std::size_t without) const {
    return std::any_of(list.begin(), list.end(), [&](const PeerRef& p) {
      return number(p.id) != without && s.nodes[number(p.id)];
    });
  }

  void crash(const State& s, std::size_t victim, std::vector<State>& out) const {
    for (std::size_t i = 0; i < ids_; ++i) {
      if (!s.nodes[i] || i == victim) continue;
      if (!lives(s, s.nodes[i]->ring.successors().entries(), victim)) return;
      const Node& n = *s.nodes[i];
      if (n.failed && !lives_after_drop(s, n, victim)) return;
      if (!n.answer) continue;
      SuccessorList list(ref(i).id, options_.list_length);  // what the answer will make of it
      list.rebuild(ref(target(n)), n.answer->successors);
      if (!lives(s, list.entries(), victim)) return;
    }
    State next = s;
    next.nodes[victim].reset();
    out.push_back(std::move(next));
  }

  bool lives_after_drop(const State& s, const Node& n, std::size_t victim) const {
    auto list = n.ring.successors().entries();
    std::erase(list, ref(target(n)));
    return lives(s, list, victim);
  }

  /// The lookup of a join ends at the nearest member before us that answers.
  void join(const State& s, std::size_t i, std::vector<State>& out) const {
    for (std::size_t d = 1; d < ids_; ++d) {
      std::size_t before = (i + ids_ - d) % ids_;
      if (!s.nodes[before]) continue;
      State next = s;
      Maintenance m(options_, ref(i));
      m.begin_join();
      if (!m.join(ref(before), s.nodes[before]->ring.successors().entries())) return;
      // The lookup also wants an answer from somebody behind us in that list.
      if (!lives(s, m.successors().entries(), i)) return;
      next.nodes[i] = Node{m};
      out.push_back(std::move(next));
      return;
    }
  }

  std::optional<std::size_t> best(const State& s, std::size_t i) const {
    const auto& list = s.nodes[i]->ring.successors().entries();
    if (list.empty()) return i;
    for (const PeerRef& p : list) {
      if (s.nodes[number(p.id)]) return number(p.id);
    }
    return std::nullopt;
  }

  std::string check(const State& s) const {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < ids_; ++i) {
      if (s.nodes[i]) members.push_back(i);
    }
    for (std::size_t i : members) {
      if (!best(s, i)) return "I1";
      Id after = ref(i).id;
      for (const PeerRef& p : s.nodes[i]->ring.successors().entries()) {
        if (!Arc{.after = after, .upto = ref(i).id}.contains_inside(p.id)) return "I2";
        for (std::size_t b : base_) {
          bool skipped = Arc{.after = after, .upto = p.id}.contains_inside(ref(b).id);
          if (skipped && ref(b).id != after) return "I3";
        }
        after = p.id;
      }
    }
    std::set<std::size_t> ring;
    std::size_t at = members.front();
    for (std::size_t k = 0; k < ids_; ++k) at = *best(s, at);
    while (ring.insert(at).second) at = *best(s, at);
    for (std::size_t i : members) {
      std::size_t walk = i;
      for (std::size_t k = 0; k < ids_; ++k) walk = *best(s, walk);
      if (!ring.contains(walk)) return "I5";
      if (!ring.contains(i)) continue;
      auto next = ring.upper_bound(i);
      if (*best(s, i) != (next == ring.end() ? *ring.begin() : *next)) return "I4";
    }
    return "";
  }

  static void put(ByteWriter& w, const std::vector<PeerRef>& list) {
    w.u8(static_cast<std::uint8_t>(list.size()));
    for (const PeerRef& p : list) w.u8(p.id.bytes[0]);
  }

  std::pair<std::uint64_t, std::uint64_t> fingerprint(const State& s) const {
    ByteWriter w;
    for (const auto& n : s.nodes) {
      w.u8(n ? 1 : 0);
      if (!n) continue;
      w.u8(n->ring.predecessor() ? n->ring.predecessor()->id.bytes[0] : 0);
      put(w, n->ring.successors().entries());
      const auto& op = n->ring.operation();
      w.u8(static_cast<std::uint8_t>(op.index()));
      if (auto* a = std::get_if<Maintenance::AskSuccessor>(&op)) {
        w.u8(a->target.id.bytes[0]);
        w.u8(static_cast<std::uint8_t>(a->depth));
      } else if (auto* c = std::get_if<Maintenance::AskCandidate>(&op)) {
        w.u8(c->target.id.bytes[0]);
        w.u8(static_cast<std::uint8_t>(c->chain));
      }
      w.u8(n->failed ? 1 : 0);
      w.u8(n->answer ? 1 : 0);
      if (!n->answer) continue;
      w.u8(n->answer->predecessor ? n->answer->predecessor->id.bytes[0] : 0);
      put(w, n->answer->successors);
    }
    for (const auto& [from, to] : s.notifies) {
      w.u8(static_cast<std::uint8_t>(from));
      w.u8(static_cast<std::uint8_t>(to));
    }
    Hash128 h = xxh3_128(w.bytes());
    return {h.low, h.high};
  }

  std::size_t ids_;
  std::set<std::size_t> base_;
  Options options_{};
};

}  // namespace beckon::chord::search
