// SPDX-License-Identifier: MIT
// claims_explorer: every state that a few nodes can reach with the shipped Claims class, breadth
// first, and whether the invariants hold in each (docs/ownership.md).
#include <charconv>
#include <cstdio>
#include <ctime>

#include "tests/explorer/model.h"

using namespace beckon;
using namespace beckon::service::explorer;

namespace {

constexpr const char* usage =
    "usage: claims_explorer [--nodes N] [--copies R] [--sets S] [--attempts A] [--first F]\n"
    "                       [--gone K] [--no-progress] [--fill-at-once | --slow-fill]\n"
    "                       [--no-symmetry] [--answers-only]\n"
    "                       [--most STATES] [--mistake NAME] [--expect-violation]\n"
    "sets: in a row, the first included; attempts: for each set after the first; first: nodes in\n"
    "the first set; gone: nodes that may be lost for good in the progress check\n"
    "mistakes: hearsay timer unsettled_peer no_self_fence check_on_arrival wiped_disk\n"
    "          second_founder, and with --slow-fill drop_in_fill\n";

/// Hashes of the states seen: a table with open addressing, which holds 0 in free places.
class Seen {
 public:
  bool insert(std::uint64_t hash) {
    if (hash == 0) hash = 1;
    if (2 * count_ >= table_.size()) grow();
    return place(hash);
  }

 private:
  bool place(std::uint64_t hash) {
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != 0 && table_[at] != hash) at = (at + 1) & (table_.size() - 1);
    if (table_[at] == hash) return false;
    table_[at] = hash;
    ++count_;
    return true;
  }
  void grow() {
    std::vector<std::uint64_t> old(2 * table_.size());
    old.swap(table_);
    count_ = 0;
    for (std::uint64_t hash : old) {
      if (hash != 0) place(hash);
    }
  }

  std::vector<std::uint64_t> table_{std::vector<std::uint64_t>(1U << 16U)};
  std::size_t count_ = 0;
};

class Search {
 public:
  Search(const Scope& scope, std::size_t most) : model_(scope), most_(most) {}

  /// Whether every state was fine.
  bool run() {
    State first = model_.first_state();
    add(first, 0, 0);
    violation_ = wrong_with(first);
    std::size_t at = 0;
    for (; at < parents_.size() && !violation_ && parents_.size() < most_; ++at) {
      model_.moves(stored(at), [&](const Move& move, const State& next, const char* violation) {
        if (violation_) return;
        bool fresh = add(next, at, depths_[at] + 1);
        if (!violation && fresh) violation = wrong_with(next);
        if (!violation) return;
        violation_ = violation;
        last_ = at;
        last_step_ = line(depths_[at] + 1, move, next);
      });
    }
    finished_ = at == parents_.size();
    report();
    return !violation_;
  }

 private:
  State stored(std::size_t i) const { return model_.unpack(&pool_[i * model_.packed_size()]); }

  bool add(const State& state, std::size_t parent, int depth) {
    if (!seen_.insert(model_.pack(state, bytes_))) return false;
    pool_.insert(pool_.end(), bytes_.begin(), bytes_.end());
    parents_.push_back(static_cast<std::uint32_t>(parent));
    depths_.push_back(static_cast<std::uint8_t>(depth));
    return true;
  }

  const char* wrong_with(const State& state) {
    const char* broken = model_.check(state);
    return broken || model_.scope().gone < 0 || settles(state) ? broken : "progress";
  }

  bool settles(const State& state) {
    for (unsigned gone = 0; gone < 1U << model_.scope().nodes; ++gone) {
      if (std::popcount(gone) > model_.scope().gone) continue;
      auto attempts = model_.settle(state, static_cast<Mask>(gone));
      if (!attempts) continue;
      ++settlings_;
      slowest_ = std::max(slowest_, *attempts);
      if (*attempts < 0) return false;
    }
    return true;
  }

  void report() {
    const Scope& s = model_.scope();
    std::printf("%d nodes, r %d, %d sets, %d attempts, first set of %d: ", s.nodes, s.copies,
                s.sets, s.attempts, s.first);
    std::printf("%zu states%s, %d steps deep, %zu values of the class", parents_.size(),
                finished_ ? "" : " (not finished)", static_cast<int>(depths_.back()),
                model_.book().size());
    if (s.gone >= 0) {
      std::printf(", %zu settlings with up to %d gone, at most %d attempts", settlings_, s.gone,
                  slowest_);
    }
    std::printf(", %.1f s of CPU\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    if (!violation_) {
      std::printf("no violation\n");
      return;
    }
    std::printf("%s violated after %d steps\n", violation_, depths_[last_] + 1);
    trace();
  }

  std::string line(int step, const Move& move, const State& next) {
    std::string number = std::to_string(step), what = model_.text(move);
    number.insert(0, 3 - std::min<std::size_t>(number.size(), 3), ' ');
    what.resize(std::max<std::size_t>(what.size(), 42), ' ');
    return number + "  " + what + "  " + model_.text(next);
  }

  /// The way to the violation. Each line uses the names that the nodes have in the state before.
  void trace() {
    std::vector<std::size_t> way{last_};
    while (way.back() != 0) way.push_back(parents_[way.back()]);
    for (std::size_t i = way.size(); i-- > 1;) {
      bool found = false;
      std::vector<std::uint8_t> bytes;
      std::uint64_t wanted = model_.pack(stored(way[i - 1]), bytes);
      model_.moves(stored(way[i]), [&](const Move& move, const State& next, const char*) {
        if (found || model_.pack(next, bytes) != wanted) return;
        found = true;
        std::puts(line(static_cast<int>(way.size() - i), move, next).c_str());
      });
    }
    std::puts(last_step_.c_str());
  }

  Model model_;
  std::size_t most_;
  Seen seen_{};
  std::vector<std::uint8_t> pool_{};
  std::vector<std::uint32_t> parents_{};
  std::vector<std::uint8_t> depths_{};
  std::vector<std::uint8_t> bytes_{};
  const char* violation_ = nullptr;
  std::size_t last_ = 0;  // the state before the violation
  std::string last_step_{};
  std::size_t settlings_ = 0;
  int slowest_ = 0;
  bool finished_ = false;
};

struct Arguments {
  Scope scope{};
  std::size_t most = 400'000'000;
  bool expect_violation = false;
};

template <typename Number>
bool number(std::string_view text, Number& out) {
  auto end = text.data() + text.size();
  return !text.empty() && std::from_chars(text.data(), end, out).ptr == end;
}

bool parse(int count, char** words, Arguments& out) {
  for (int i = 1; i < count; ++i) {
    std::string_view flag = words[i];
    Scope& s = out.scope;
    if (flag == "--no-progress") {
      s.gone = -1;
    } else if (flag == "--fill-at-once") {
      s.fill_at_once = true;
    } else if (flag == "--slow-fill") {
      s.slow_fill = true;
    } else if (flag == "--answers-only") {
      s.answers_only = true;
    } else if (flag == "--no-symmetry") {
      s.symmetry = false;
    } else if (flag == "--expect-violation") {
      out.expect_violation = true;
    } else if (++i == count) {
      return false;
    } else if (std::string_view value = words[i]; flag == "--mistake") {
      s.mistake = value;
    } else {
      bool fine = (flag == "--nodes" && number(value, s.nodes)) ||
                  (flag == "--copies" && number(value, s.copies)) ||
                  (flag == "--sets" && number(value, s.sets)) ||
                  (flag == "--attempts" && number(value, s.attempts)) ||
                  (flag == "--first" && number(value, s.first)) ||
                  (flag == "--gone" && number(value, s.gone)) ||
                  (flag == "--most" && number(value, out.most));
      if (!fine) return false;
    }
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) {
    std::fputs(usage, stderr);
    return 2;
  }
  bool fine = Search(arguments.scope, arguments.most).run();
  return fine != arguments.expect_violation ? 0 : 1;
}
