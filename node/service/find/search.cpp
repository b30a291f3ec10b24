// SPDX-License-Identifier: MIT
#include "node/service/find/search.h"

#include "node/service/kernel/frames.h"

namespace beckon::service {

Search::Search(Context& context, Replicas& replicas, Users& users, const profile::Schema& schema,
               const profile::Salt& salt, const Signer& signer, GenuineRecords& genuine,
               const Options& options)
    : context_(context),
      index_(context, replicas, schema, options.index),
      publisher_(context, replicas, users, schema, salt, signer, options.publisher),
      verifier_(context, users, schema, options.verifier),
      finder_(context, schema, salt, genuine, options.finder) {
  replicas.listen(ItemKind::index_item, index_);
}

void Search::joined() {
  if (started_) return;
  started_ = true;
  publisher_.start();
}

bool Search::handles(std::uint8_t type) {
  return type == raw(FrameType::query_req) || type == raw(FrameType::count_req) ||
         type == raw(FrameType::verify_req);
}

void Search::handle(const Request& request) {
  switch (static_cast<FrameType>(request.type)) {
    case FrameType::query_req:
      return index_.on_query(request);
    case FrameType::count_req:
      return index_.on_count(request);
    case FrameType::verify_req:
      return verifier_.on_verify(request);
    default:
      return context_.refuse(request, to_error(Status::unsupported));
  }
}

}  // namespace beckon::service
