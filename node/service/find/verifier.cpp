// SPDX-License-Identifier: MIT
#include "node/service/find/verifier.h"

#include "node/service/kernel/frames.h"
#include "profile/language/query_text.h"
#include "profile/query/matches.h"

namespace beckon::service {

Verifier::Verifier(Context& context, const Users& users, const profile::Schema& schema,
                   Options options)
    : context_(context),
      users_(users),
      schema_(schema),
      rate_(options.rate),
      queries_(options.parsed_queries) {}

VerifyReply::Entry Verifier::answer(const UserId& owner, const profile::Query& query) const {
  const User* user = users_.find(owner);
  if (user == nullptr || !user->published) return {};
  const HostedProfile& published = *user->published_profile;
  if (!published.read || !profile::matches(schema_, *published.read, query)) return {};
  bool shown = published.card.size() <= max_card;
  return {.yes = true, .version = user->version, .card = shown ? published.card : "{}"};
}

/// The same question comes from every asker's many candidates, page by page.
Result<const profile::Query*> Verifier::query_of(const std::string& text) {
  if (queries_.contains(text)) return &queries_.touch(text);
  auto query = profile::parse_question(schema_, text);
  if (!query) return invalid("the question cannot be read");
  return &(queries_.touch(text) = *std::move(query));
}

void Verifier::on_verify(const Request& request) {
  auto asked = decode<VerifyRequest>(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!rate_.take(request.from.id, 1, context_.now().mono)) {
    return context_.refuse(request, to_error(Status::rate));
  }
  auto query = query_of(asked->query);
  if (!query) return context_.refuse(request, query.error());
  VerifyReply reply;
  for (const Id& owner : asked->owners) reply.entries.push_back(answer(owner, **query));
  context_.reply(request, raw(FrameType::verify_rep), encode(reply));
}

}  // namespace beckon::service
