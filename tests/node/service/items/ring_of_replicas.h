// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "node/service/items/author_item.h"
#include "node/service/items/replicas.h"
#include "tests/world/authors.h"
#include "tests/world/fake_net.h"

namespace beckon::test {

/// A FakeNet of nodes that run Replicas and nothing else, and the questions tests ask of it.
struct RingOfReplicas {
  FastSigner signer{};
  service::AuthorItemRules rules{test_overlay, signer};
  service::RuleBook book{};
  service::ReplicaOptions options{};  // of nodes that start from now on
  FakeNet net;

  RingOfReplicas(std::size_t nodes, std::uint64_t seed, FakeNet::Options net_options,
                 service::ReplicaOptions replica_options = {})
      : options(replica_options),
        net(seed, net_options, [this](FakeNode& node) { return boot(node); }) {
    book.add(rules);
    for (std::size_t i = 0; i < nodes; ++i) net.start(net.add().self().id);
  }

  /// Sees every change of every table.
  std::function<void(const chord::Id& node, const service::Item* before,
                     const service::Item* after)>
      watch{};

  struct Component final : service::ItemListener {
    Component(RingOfReplicas& ring, FakeNode& node)
        : ring_(ring), id_(node.self().id), replicas(node, ring.book, ring.options) {}
    void item_changed(const service::Item* before, const service::Item* after) override {
      if (ring_.watch) ring_.watch(id_, before, after);
    }
    RingOfReplicas& ring_;
    chord::Id id_;
    service::Replicas replicas;
  };

  std::shared_ptr<void> boot(FakeNode& node) {
    auto component = std::make_shared<Component>(*this, node);
    service::Replicas& replicas = component->replicas;
    for (int type = 0x21; type < 0x30; type += 2) {
      node.on(static_cast<std::uint8_t>(type),
              [&replicas](const service::Request& request) { replicas.handle(request); });
    }
    node.on_ring_change([&replicas] { replicas.ring_changed(); });
    replicas.listen(service::ItemKind::author_item, *component);
    replicas.start();
    return {component, &replicas};
  }

  service::Replicas& at(const chord::Id& id) { return net.node(id).component<service::Replicas>(); }
  WallTime now() { return net.node(net.ids().front()).now().wall; }

  std::vector<chord::Id> holders(const service::ItemKey& key) {
    std::vector<chord::Id> out;
    for (const chord::Id& id : net.live()) {
      if (at(id).table().find(key)) out.push_back(id);
    }
    return out;
  }
  bool in_place(const service::ItemKey& key) {
    auto wanted = net.true_replicas(key.ring, options.replicas);
    std::ranges::sort(wanted);
    return holders(key) == wanted;
  }

  /// The newest version on any disk, of nodes that are up or down.
  std::optional<service::Version> newest_on_disk(const service::ItemKey& key) {
    std::optional<service::Version> best;
    for (const chord::Id& id : net.ids()) {
      auto row = net.node(id).disk().get(service::Table::items, encode(key));
      if (!row || !*row) continue;
      auto item = service::decode_row(encode(key), **row, book);
      if (item && (!best || *best < version(*item))) best = version(*item);
    }
    return best;
  }
};

}  // namespace beckon::test
