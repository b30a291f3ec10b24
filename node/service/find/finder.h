// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <set>

#include "base/recent_map.h"
#include "node/service/find/candidates.h"
#include "node/service/find/find_messages.h"
#include "node/service/find/genuine_records.h"
#include "node/service/kernel/flow.h"
#include "node/service/kernel/histogram.h"
#include "node/service/people/person_ref.h"
#include "profile/index/keys.h"
#include "profile/index/record.h"
#include "profile/query/query.h"

namespace beckon::service {

/// Somebody a search turned up.
struct Person {
  PersonRef callee{};
  std::string card = "{}";  // JSON, what they show; empty object while unverified
  bool verified = false;    // their own host confirmed it
  bool online = false;      // their host answered
};

/// What a search did, for the answer and for --explain.
struct FindReport {
  struct Way {
    std::size_t branch{};
    std::string label{};
    std::size_t probes{};
    std::optional<std::uint64_t>
        listed{};  // records under its keys, where they were counted or read
    bool chosen = false;
  };
  /// One page that an index node answered with.
  struct Read {
    Id key{};
    PeerRef node{};
    std::uint32_t listed{};
    std::uint32_t scanned{};
    std::size_t passed{};  // records whose filter may match
  };
  static constexpr std::size_t max_reads = 256;  // told; later ones only count

  std::string query{};  // in canonical form
  std::vector<Way> ways{};
  std::vector<Read> reads{};
  bool complete = true;  // everybody who had to be asked answered, or is away
  bool limited = false;  // stopped at the limit; there may be more
  std::size_t asked{};   // index nodes, each once
  std::size_t answered{};
  std::size_t candidates{};       // records that passed a filter
  std::size_t false_positives{};  // of these, refuted by their own host
  std::size_t offline{};          // hosts that did not answer, counted in people
  std::size_t slow{};             // of these, whose hosts are there: they were only not in time
  std::size_t found{};
  std::size_t messages{};  // requests and replies
  std::size_t bytes{};     // of their bodies
  std::size_t lookups{};
  std::size_t hops{};  // requests that lookups took
  std::uint64_t scanned{};
  Duration elapsed{};
};

/// Answers questions about the whole overlay: chooses for each branch the way with the fewest index
/// nodes, reads candidates there, has each confirmed by its own host, and stops at the limit. No
/// more hosts are asked than the limit needs, a few over, unless some are slow. A search stays open
/// for a while after it stopped at its limit, so that more can be asked for.
class Finder {
 public:
  struct Options {
    std::size_t probe_window = 8;
    std::size_t verify_window = 16;
    std::size_t max_searches = 64;  // under way or kept open; the oldest of these makes room
    std::size_t replicas = 3;       // that may be asked for a key
    std::size_t attempts = 2;       // lookups for it, while none of them answers
    Duration request_timeout = std::chrono::seconds(2);
    Duration hint_timeout =
        std::chrono::milliseconds(500);                  // of whom we only remember as the owner
    Duration patience = std::chrono::milliseconds(200);  // then others are asked beside slow hosts
    Duration timeout_grain = std::chrono::milliseconds(50);  // time-outs are late by this at most
    Duration keep = std::chrono::minutes(2);                 // an open search
    Duration count_age = std::chrono::seconds(30);           // of a remembered count
    std::size_t max_counts = 4096;
    std::size_t max_candidates = 100'000;  // of one search
  };
  struct Search {
    profile::Query query{};
    std::size_t limit = 50;
    Duration timeout = std::chrono::seconds(5);
    bool unverified = false;  // whose host does not answer counts as found too
    std::string access{};     // for tests: only ways with this label; else the planner chooses
  };
  /// May start, continue and cancel searches, this one too; must not destroy the Finder.
  struct Listener {
    std::function<void(Person)> hit{};
    std::function<void(const FindReport&)> done{};
  };
  using SearchId = std::uint64_t;

  Finder(Context& context, const profile::Schema& schema, const profile::Salt& salt,
         GenuineRecords& genuine, Options options);

  Result<SearchId> start(Search search, Listener listener);
  /// Goes on with a search that stopped at its limit.
  Result<void> more(SearchId id, std::size_t limit, Duration timeout, Listener listener);
  void cancel(SearchId id) { searches_.erase(id); }
  bool open(SearchId id) const { return searches_.contains(id); }
  const FindReport* progress(SearchId id) const;     // so far; nullptr once it is over
  const Histogram& times() const { return times_; }  // of searches that ended

 private:
  struct Job {  // one key to read
    std::size_t branch{};
    profile::Probe probe{};
    std::size_t access{};  // of the branch's
    std::size_t way{};     // its line in the report
    bool sure = false;     // of the replicas; else they are remembered, and only the first is asked
    std::vector<PeerRef> replicas{};
    std::size_t replica{};
    bool answered = false;      // somebody told all it has, page by page
    std::optional<Id> heard{};  // who was only remembered as the owner, and told all it has
    std::uint32_t listed{};     // the most that a copy told
    std::size_t attempts{};
    std::optional<Id> after{};
    std::size_t credit{};  // of the page asked for
  };
  struct Running {
    explicit Running(std::size_t window) : reads(window) {}

    Search search{};
    Listener listener{};
    Id start{};
    std::vector<profile::Predicates> blind{};
    std::vector<std::vector<profile::Access>> accesses{};
    std::size_t planning{};  // branches whose way is not chosen yet
    std::deque<Job> jobs{};
    std::set<Id> nodes_asked{};  // index nodes
    std::set<Id> nodes_answered{};
    std::set<Digest> seen{};  // records, not owners: a forged one must not hide the true one
    std::set<Id> asked{};     // owners whose host was asked or is about to be
    Candidates unverified{};
    std::size_t verifying{};  // hosts
    std::size_t in_doubt{};   // people at hosts that were asked in this wave
    std::uint64_t wave = 0;   // ends when patience does
    Time patient_until = Time::max();
    std::size_t found{};  // since the last start or more
    FindReport report{};
    Time began{};
    Time ended = Time::max();
    Time deadline{};
    bool paused = false;
    Scope plans{profile::Query::max_branches};
    Scope reads;
  };
  struct Count {
    std::uint32_t listed{};
    Time at{};
  };

  Running* running(SearchId id);
  void watch_deadlines();
  void look_at_deadlines();
  void plan(SearchId id, std::size_t branch);
  void choose(SearchId id, std::size_t branch);
  Flow<void> count(Running* search, std::vector<Id> keys);
  Flow<void> count_key(Running* search, Id key);
  std::optional<std::uint32_t> remembered(const Id& key) const;
  void remember(const Id& key, std::uint32_t listed);
  std::optional<std::uint64_t> listed(const profile::Access& way) const;

  void pump(SearchId id);
  Flow<std::optional<Job>> read(Running* search, Job job);
  Pending<Result<Owner>> find_owner(const Job& job);
  void use_copies(Running& search, Job& job, const Owner& owner) const;
  Bytes next_request(Running& search, Job& job) const;
  void note(Running& search, Job& job, const QueryReply& reply);
  bool next_copy(Job& job) const;
  void take(Running& search, const QueryReply& reply);
  std::optional<Id> next_page(const Running& search, const Job& job, const QueryReply& reply) const;

  void verify(SearchId id);
  bool worth_asking(Running& search, const Candidate& candidate);
  void confirm(SearchId id, std::vector<Candidate> people);
  void confirmed(SearchId id, std::vector<Candidate> people, std::uint64_t wave,
                 const Result<Frame>& frame);
  Person hit(Running& search, const profile::Record& record, const VerifyReply::Entry* entry);
  void finish(SearchId id, bool timed_out);
  void forget_old();

  Context& context_;
  const profile::Schema& schema_;
  profile::Salt salt_;
  GenuineRecords& genuine_;
  Options options_;
  std::map<SearchId, Running> searches_;
  SearchId last_ = 0;
  bool watching_ = false;  // a timer waits for deadlines
  RecentMap<Id, Count> counts_;
  Histogram times_{};
};

}  // namespace beckon::service
