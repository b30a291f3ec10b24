// SPDX-License-Identifier: MIT
#include "tests/sim/node_process.h"

#include "tests/sim/liar.h"
#include "tests/world/authors.h"

namespace beckon::sim {

using service::Item;

NodeProcess::NodeProcess(const Birth& birth, NodeDisk& disk, NodeFactory& factory)
    : ServiceProcess(birth, disk, {.replicas = factory.replicas()}, factory.signer(),
                     test::test_overlay),
      factory_(factory),
      disk_(disk) {
  service().replicas().listen(service::ItemKind::author_item, *this);
}

void NodeProcess::item_changed(const Item* before, const Item* after) {
  const service::ItemKey& key = (before != nullptr ? before : after)->key;
  if (after == nullptr) return void(disk_.last.erase(key));
  auto [last, fresh] = disk_.last.try_emplace(key, *after);
  if (version(*after) < version(last->second) && last->second.live(service().kernel().now().wall)) {
    factory_.went_back = "D2: " + ring().self().id.brief() + " went back at " + key.ring.brief();
  }
  last->second = *after;
}

NodeFactory::NodeFactory(const Plan& plan)
    : author_rules_(test::test_overlay, signer_), with_liars_(plan.profile == Profile::hostile) {
  rules_.add(author_rules_);
  replicas_.sync_period = plan.sync_period;
}

std::unique_ptr<Process> NodeFactory::make(const Birth& birth, Disk& disk) {
  auto node = std::make_unique<NodeProcess>(birth, static_cast<NodeDisk&>(disk), *this);
  bool liar = with_liars_ && birth.self.address.back() == '9';  // addresses are numbers
  if (!liar) return node;
  liars_.push_back(birth.self);
  return std::make_unique<Liar>(std::move(node), Rng(birth.rng).split("lies"), *this);
}

}  // namespace beckon::sim
