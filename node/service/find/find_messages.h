// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chord/id.h"
#include "node/service/kernel/frames.h"
#include "profile/index/predicate.h"
#include "profile/index/record.h"

namespace beckon::service {

using chord::Id;

/// Bodies of the frames of search.
inline constexpr std::size_t max_credit = 128;  // records in one page
inline constexpr std::size_t max_counts = 64;   // keys in one count
inline constexpr std::size_t max_verify = 32;   // owners in one verification
inline constexpr std::size_t max_card = 6 * 1024;

/// Asks for the records under a key that may match. The scan starts at a place the asker chose, so
/// that nobody is always first, and goes round; `after` takes it up again.
struct QueryRequest {
  Id key{};
  profile::Wanted wanted{};
  profile::Predicates predicates{};
  Id start{};
  std::optional<Id> after{};
  std::uint8_t credit = max_credit;
  static constexpr Form form = may_grow("a question", FrameType::query_req);
  static void fields(auto& f, auto& m) {
    f("key", m.key);
    f("wanted", m.wanted);
    f("start", m.start);
    f("after", m.after);
    f("credit", m.credit, {1, max_credit});
    f.template boxed16<profile::PredicatesCodec>("predicates", m.predicates);
  }
};
struct QueryReply {
  bool settling = false;   // the ring changed here just now, or the key is another node's: other
                           // replicas may know more
  bool more = false;       // ask again after the last record
  std::uint32_t listed{};  // records under the key
  std::uint32_t scanned{};
  std::vector<Bytes> records{};
  static constexpr Form form = may_grow("an answer of the index", FrameType::query_rep);
  static void fields(auto& f, auto& m) {
    f("settling", m.settling);
    f("more", m.more);
    f("listed", m.listed);
    f("scanned", m.scanned);
    f.list8("records", m.records, upto(max_credit), [](auto& g, auto& record) {
      g.bytes16("record", record, {1, profile::max_record_size});
    });
    // Else there would be nowhere to go on from.
    f.rule("more only behind a record", [&] { return !m.more || !m.records.empty(); });
  }
};

/// How long are the lists under these keys?
struct CountRequest {
  std::vector<Id> keys{};
  static constexpr Form form = may_grow("a count", FrameType::count_req);
  static void fields(auto& f, auto& m) { f.list8("keys", m.keys, {1, max_counts}); }
};
struct CountReply {
  std::vector<std::uint32_t> listed{};
  static constexpr Form form = may_grow("counts", FrameType::count_rep);
  static void fields(auto& f, auto& m) { f.list8("listed", m.listed, upto(max_counts)); }
};

/// Asks the host of these owners whether the question holds, on exact values. This is the one
/// message that carries the question in plain words, and it goes to those it is about.
struct VerifyRequest {
  std::string query{};  // canonical
  std::vector<Id> owners{};
  static constexpr Form form = may_grow("a verification", FrameType::verify_req);
  static void fields(auto& f, auto& m) {
    f.text16("query", m.query);
    f.list8("owners", m.owners, {1, max_verify});
  }
};
struct VerifyReply {
  struct Entry {
    bool yes = false;
    std::uint64_t version{};
    std::string card{};  // JSON; empty unless yes
    static void fields(auto& f, auto& m) {
      f("yes", m.yes);
      f.when("yes", m.yes, [&] {
        f("version", m.version);
        f.text16("card", m.card, upto(max_card));
      });
    }
  };
  std::vector<Entry> entries{};  // as many as were asked, in that order
  static constexpr Form form = may_grow("a host's answer", FrameType::verify_rep);
  static void fields(auto& f, auto& m) { f.list8("entries", m.entries, upto(max_verify)); }
};

}  // namespace beckon::service
