// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "node/service/find/find_messages.h"
#include "node/service/find/index_rows.h"
#include "node/service/items/replicas.h"
#include "node/service/kernel/context.h"
#include "node/service/kernel/gate.h"

namespace beckon::service {

/// This node's part of the index: hears of every index record it comes to hold and matches blind
/// predicates against them. Never sees a name or a text.
class Index final : public ItemListener {
 public:
  struct Options {
    Duration settling = std::chrono::seconds(5);  // after the neighbourhood changed
    RateLimit::Options rate{.per_second = 500, .burst = 2000, .peers = 1024};
  };

  Index(Context& context, const Replicas& replicas, const profile::Schema& schema, Options options);

  void item_changed(const Item* before, const Item* after) override;
  void ring_changed() { changed_ = context_.now().mono; }

  void on_query(const Request& request);
  void on_count(const Request& request);

  std::size_t keys() const { return keys_.size(); }
  std::size_t rows() const { return rows_; }

 private:
  Context& context_;
  const Replicas& replicas_;
  const profile::Schema& schema_;
  Options options_;
  Gate gate_;
  std::map<Id, IndexRows> keys_;
  std::size_t rows_ = 0;
  std::optional<Time> changed_;
};

}  // namespace beckon::service
