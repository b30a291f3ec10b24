// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/find/finder.h"
#include "node/service/find/index.h"
#include "node/service/find/publisher.h"
#include "node/service/find/verifier.h"

namespace beckon::service {

/// Everything of a node that has to do with publishing and finding, put together. Whoever owns it
/// registers it as listener of index records before replicas start, and hands it the requests of
/// its frame types.
class Search {
 public:
  struct Options {
    Index::Options index{};
    Publisher::Options publisher{};
    Verifier::Options verifier{};
    Finder::Options finder{};
  };

  Search(Context& context, Replicas& replicas, Users& users, const profile::Schema& schema,
         const profile::Salt& salt, const Signer& signer, GenuineRecords& genuine,
         const Options& options);

  void joined();  // the node is a member now: renew what is published
  void ring_changed() { index_.ring_changed(); }

  static bool handles(std::uint8_t type);
  void handle(const Request& request);

  Index& index() { return index_; }
  Publisher& publisher() { return publisher_; }
  Finder& finder() { return finder_; }

 private:
  Context& context_;
  Index index_;
  Publisher publisher_;
  Verifier verifier_;
  Finder finder_;
  bool started_ = false;
};

}  // namespace beckon::service
