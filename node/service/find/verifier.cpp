#include "node/service/find/verifier.h"

#include "node/service/frames.h"
#include "profile/json.h"
#include "profile/matches.h"
#include "profile/query_text.h"

namespace beckon::service {

Verifier::Verifier(Context& context, const Users& users, const profile::Schema& schema,
                   Options options)
    : context_(context), users_(users), schema_(schema), options_(options), rate_(options.rate) {}

const profile::Profile* Verifier::profile_of(const User& user) {
  auto found = parsed_.find(user.id());
  if (found != parsed_.end() && found->second.text == user.published_profile)
    return &found->second.profile;
  auto parsed = profile::parse_profile(schema_, user.published_profile);
  if (!parsed) return nullptr;
  if (parsed_.size() >= options_.parsed_profiles) parsed_.clear();
  return &parsed_.insert_or_assign(user.id(), Parsed{user.published_profile, *std::move(parsed)})
              .first->second.profile;
}

void Verifier::on_verify(const Request& request) {
  auto asked = decode_verify_request(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!rate_.take(request.from.id, 1, context_.now().mono)) {
    return context_.refuse(request, to_error(Status::rate));
  }
  auto query = profile::parse_query(schema_, asked->query);
  if (!query) return context_.refuse(request, invalid("the question cannot be read"));
  VerifyReply reply;
  for (const Id& owner : asked->owners) {
    VerifyReply::Entry entry;
    const User* user = users_.find(owner);
    const profile::Profile* profile =
        user != nullptr && user->published ? profile_of(*user) : nullptr;
    if (profile != nullptr && profile::matches(schema_, *profile, *query)) {
      entry = {
          .yes = true, .version = user->version, .card = profile::card_json(schema_, *profile)};
      if (entry.card.size() > max_card) entry.card = "{}";
    }
    reply.entries.push_back(std::move(entry));
  }
  context_.reply(request, raw(FrameType::verify_rep), encode(reply));
}

}  // namespace beckon::service
