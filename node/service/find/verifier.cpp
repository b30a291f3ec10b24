#include "node/service/find/verifier.h"

#include "node/service/kernel/frames.h"
#include "profile/language/query_text.h"
#include "profile/person/profile_json.h"
#include "profile/query/matches.h"

namespace beckon::service {

Verifier::Verifier(Context& context, const Users& users, const profile::Schema& schema,
                   Options options)
    : context_(context), users_(users), schema_(schema), options_(options), rate_(options.rate) {}

const Verifier::Parsed* Verifier::profile_of(const UserId& id, const User& user) {
  auto found = parsed_.find(id);
  if (found != parsed_.end() && found->second.version == user.version) return &found->second;
  auto profile = profile::parse_profile(schema_, user.published_profile);
  if (!profile) return nullptr;
  if (parsed_.size() >= options_.parsed_profiles) parsed_.clear();
  std::string card = profile::card_json(schema_, *profile);
  if (card.size() > max_card) card = "{}";
  Parsed parsed{user.version, *std::move(profile), std::move(card)};
  return &parsed_.insert_or_assign(id, std::move(parsed)).first->second;
}

/// The same question comes from every asker's many candidates, page by page.
Result<const profile::Query*> Verifier::query_of(const std::string& text) {
  if (auto known = queries_.find(text); known != queries_.end()) return &known->second;
  auto query = profile::parse_query(schema_, text);
  if (!query) return invalid("the question cannot be read");
  if (queries_.size() >= options_.parsed_queries) queries_.clear();
  return &queries_.emplace(text, *std::move(query)).first->second;
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
  for (const Id& owner : asked->owners) {
    VerifyReply::Entry entry;
    const User* user = users_.find(owner);
    const Parsed* parsed = user != nullptr && user->published ? profile_of(owner, *user) : nullptr;
    if (parsed != nullptr && profile::matches(schema_, parsed->profile, **query))
      entry = {.yes = true, .version = user->version, .card = parsed->card};
    reply.entries.push_back(std::move(entry));
  }
  context_.reply(request, raw(FrameType::verify_rep), encode(reply));
}

}  // namespace beckon::service
