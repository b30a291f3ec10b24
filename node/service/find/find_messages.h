#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chord/id.h"
#include "profile/index/predicate.h"

namespace beckon::service {

using chord::Id;

/// Bodies of the frames of search; byte layouts in docs/protocol-index.md. Strict and bounded like
/// all others.
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
};
struct QueryReply {
  bool settling = false;   // the ring changed here just now, or the key is another node's: other
                           // replicas may know more
  bool more = false;       // ask again after the last record
  std::uint32_t listed{};  // records under the key
  std::uint32_t scanned{};
  std::vector<Bytes> records{};
};

/// How long are the lists under these keys?
struct CountRequest {
  std::vector<Id> keys{};
};
struct CountReply {
  std::vector<std::uint32_t> listed{};
};

/// Asks the host of these owners whether the question holds, on exact values. This is the one
/// message that carries the question in plain words, and it goes to those it is about.
struct VerifyRequest {
  std::string query{};  // canonical
  std::vector<Id> owners{};
};
struct VerifyReply {
  struct Entry {
    bool yes = false;
    std::uint64_t version{};
    std::string card{};  // JSON; empty unless yes
  };
  std::vector<Entry> entries{};  // as many as were asked, in that order
};

Bytes encode(const QueryRequest& m);
Bytes encode(const QueryReply& m);
Bytes encode(const CountRequest& m);
Bytes encode(const CountReply& m);
Bytes encode(const VerifyRequest& m);
Bytes encode(const VerifyReply& m);
Result<QueryRequest> decode_query_request(ByteView body);
Result<QueryReply> decode_query_reply(ByteView body);
Result<CountRequest> decode_count_request(ByteView body);
Result<CountReply> decode_count_reply(ByteView body);
Result<VerifyRequest> decode_verify_request(ByteView body);
Result<VerifyReply> decode_verify_reply(ByteView body);

}  // namespace beckon::service
