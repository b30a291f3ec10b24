// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "tests/explorer/book.h"

namespace beckon::service::explorer {

constexpr int most_links = 3;    // sets in a row, less the first
constexpr int most_ballots = 4;  // attempts for each link, and one more: who takes 1 is not free

struct Scope {
  int nodes = 3;
  int copies = 3;          // r
  int sets = 2;            // in a row, the first included
  int attempts = 2;        // for each set after the first
  int first = 1;           // nodes in the first set
  int gone = 1;            // for progress: nodes that never come back; -1: progress is not checked
  bool slow_fill = false;  // records are compared first, and later the newcomer is filled
  bool fill_at_once = false;  // newcomers are filled in the step that proposes them
  bool symmetry = true;
  bool answers_only = false;  // only wrong answers count, no state before them
  std::string mistake{};      // made by the surroundings of the class; empty: none
};

/// One attempt, and every message that belongs to it. A message that was sent exists for ever.
struct Try {
  std::uint8_t by{};   // the proposer + 1; 0: this ballot was not used
  Mask filling{};      // newcomers whose records the proposer has compared, with slow_fill
  Mask filled{};       // newcomers that the proposer has filled
  Book::List value{};  // ACCEPT carries this; 0: not proposed yet
  Mask accepted{};     // ACCEPTED came from these
  std::array<Book::Told, most_nodes> promise{};  // PROMISE of each node
  friend bool operator==(const Try&, const Try&) = default;
};

/// One key, one record, one put and one read, on all nodes.
struct State {
  std::array<Book::Ref, most_nodes> claims{};
  Mask record{};         // who has it on disk
  std::uint8_t put_x{};  // REPLICATE is under way with this x; 0: no put yet
  Book::List put_holders{};
  Mask ok{};
  Mask arrived{};  // with the mistake check_on_arrival: judged ok, not yet on disk
  bool safe{};
  Mask answered{};  // holders that answered the read, settled and without the record,
  std::array<Book::Ref, most_nodes> answer{};  // with these claims
  std::array<Mask, most_nodes> early{};  // with the mistake no_self_fence: filled by i unfenced
  std::array<Book::List, most_links + 1> sets{};  // decided: set 1, 2 and so on; 0: not yet
  std::array<std::array<Try, most_ballots>, most_links> tries{};
};

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline Book::List set_of(const State& s, int x) { return s.sets[at(x - 1)]; }
inline Try& try_of(State& s, int x, int number) { return s.tries[at(x - 1)][at(number - 1)]; }
inline const Try& try_of(const State& s, int x, int number) {
  return s.tries[at(x - 1)][at(number - 1)];
}

/// Votes, counted afresh and not with the functions under test.
int votes(const std::vector<int>& nodes, Mask some);
int all_votes(const std::vector<int>& nodes);

struct Move {
  const char* what = "";
  int node = -1;
  int number = -1;  // of a ballot or a set
  Book::List list{};
  int from = -1;  // another node
};

/// What can happen next in a state, and what must be so in every state.
///
/// A node that sleeps, is cut off or has stopped is one whose moves do not happen; a lost message
/// is one that is never applied, a late or doubled one is applied later or again. So these need no
/// moves of their own.
class Model {
 public:
  explicit Model(const Scope& scope);

  State first_state();
  using Emit = std::function<void(const Move&, const State&, const char* violation)>;
  void moves(const State& state, const Emit& emit);
  /// The invariant that is violated, or nullptr.
  const char* check(const State& state);
  /// Lets the nodes that are not gone settle by a fixed schedule. The number of attempts it took,
  /// -1 if they do not settle, none if too few holders are left.
  std::optional<int> settle(const State& state, Mask gone);

  /// The bytes of a state; with symmetry, those of the naming of the nodes with the least hash.
  std::uint64_t pack(const State& state, std::vector<std::uint8_t>& out);
  State unpack(const std::uint8_t* bytes) const;
  std::size_t packed_size() const { return packed_size_; }

  const Scope& scope() const { return scope_; }
  Book& book() { return book_; }
  std::string text(const State& state);
  std::string text(const Move& move) const;

 private:
  bool wrong(const char* mistake) const { return scope_.mistake == mistake; }
  int newest(const State& s) const;
  void begins(const State& s, int p, const Emit& emit);
  void answers(const State& s, int x, int number, int q, const Emit& emit);
  void fills(const State& s, int x, int number, const Emit& emit);
  void proposes(const State& s, int x, int number, const Emit& emit);
  void propose(const State& s, int x, int number, Book::List value, const Emit& emit);
  void decides(const State& s, int x, int number, const Emit& emit);
  void learns(const State& s, int q, const Emit& emit);
  void records(const State& s, int q, const Emit& emit);
  void reads(const State& s, int q, const Emit& emit);
  void mistakes(const State& s, int q, const Emit& emit);
  bool fill(State& s, int x, int by, int newcomer, Mask source);
  void tidy(State& s) const;
  void write(const State& s, std::vector<std::uint8_t>& out) const;
  State renamed(std::size_t naming, const State& s);

  Scope scope_;
  Book book_;
  std::vector<Book::List> all_lists_{};  // every set that may be wanted
  std::size_t packed_size_ = 0;
};

}  // namespace beckon::service::explorer
