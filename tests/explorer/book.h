// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "node/service/items/claims.h"

namespace beckon::service::explorer {

constexpr int most_nodes = 5;
using Mask = std::uint8_t;  // bit i: node i

inline bool has(Mask mask, int node) { return (mask >> node & 1U) != 0; }
inline Mask bit(int node) { return static_cast<Mask>(1U << node); }

/// Every Claims value that occurs gets a number, and every call is made once for each value: few
/// values occur, in very many states. The calls are those of the shipped class. The ring is one
/// key.
///
/// Lists of holders and what promises tell get numbers too; 0 is the empty list, and no promise.
class Book {
 public:
  using Ref = std::uint16_t;   // a Claims value
  using Told = std::uint16_t;  // what a promise tells
  using List = std::uint8_t;   // a list of holders
  struct Facts {               // answers of one Claims value
    std::uint8_t x{};
    List holders{};
    ClaimState state{};
    Settled settled{};
    bool may_drop{};
    std::uint8_t next_x{};
    std::uint8_t promised{};  // the ballot's number
    Told told{};              // the proposal it has accepted
  };
  struct Step {
    Ref claims{};
    bool granted{};
    Told told{};            // of a promise
    std::uint8_t number{};  // of the ballot that `begin` chose
  };

  Book(int nodes, int first);  // first: the nodes of the first set, of which node 0 leads

  Ref unknown(int self) { return number_of(Claims(holder(self))); }
  Ref founder(int self);
  const Facts& facts(Ref ref) const { return facts_[ref]; }

  Step begin(Ref ref, int seen);
  Step prepare(Ref ref, int from, int x, int number);
  Step accept(Ref ref, int from, int x, int number, int x_next, List list);
  Step filled(Ref ref, int from, int x);
  Ref learn(Ref ref, int x, List list);
  Ref restarted(Ref ref);
  CopyVerdict copied(Ref ref, int x) const {
    return claims_[ref].copied({}, static_cast<unsigned>(x));
  }

  /// What an attempt may propose with these promises: nothing, anything, or one list.
  struct Choice {
    bool may{};
    List forced{};
  };
  Choice may_propose(List holders, int number, int by, const std::array<Told, most_nodes>& told);
  bool decided(List holders, int number, int by, Mask accepted);
  bool safe(List holders, Mask ok);
  bool complete(const std::array<Ref, most_nodes>& answers, Mask who);

  List list(const std::vector<int>& nodes);
  const std::vector<int>& nodes_of(List list) const { return lists_[list]; }
  Mask mask_of(List list) const { return masks_[list]; }
  List in_order(List wanted, List holders);

  /// Another naming of the nodes, in which the first set and its lead keep their names: node i is
  /// called naming[i].
  using Naming = std::array<std::uint8_t, most_nodes>;
  const std::vector<Naming>& namings() const { return namings_; }
  Ref rename(std::size_t naming, Ref ref);
  Told rename_told(std::size_t naming, Told told);
  List rename_list(std::size_t naming, List list);

  std::size_t size() const { return claims_.size(); }
  std::string text(Ref ref) const;
  std::string text_of(List list) const;

 private:
  static Holder holder(int node);
  int node_of(const Id& id) const { return id.bytes[0] - 1; }
  Holders holders(List list) const;
  List list_of(const Holders& holders);
  Ref number_of(const Claims& claims);
  Told told_of(const Claim& claim);
  Claim renamed(const Naming& naming, const Claim& claim) const;
  template <typename Call>
  Step once(std::uint64_t key, Call&& call);

  int nodes_;
  std::vector<Naming> namings_{};
  std::vector<Claims> claims_{};
  std::vector<Facts> facts_{};
  std::map<std::string, Ref> numbers_{};
  std::vector<std::vector<int>> lists_{{}};
  std::vector<Mask> masks_{0};
  std::map<std::vector<int>, List> list_numbers_{{{}, 0}};
  std::vector<Claim> told_{{}};
  std::unordered_map<std::uint64_t, Step> steps_{};
  std::unordered_map<std::uint64_t, std::uint16_t> answers_{};
  std::vector<std::vector<Ref>> renamed_{};  // by naming and value; 0xffff: not yet
  std::vector<std::vector<Told>> renamed_told_{};
  std::vector<std::vector<List>> renamed_lists_{};
};

}  // namespace beckon::service::explorer
