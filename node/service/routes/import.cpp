// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <map>
#include <memory>

#include "base/json.h"
#include "node/service/assembly/hosting.h"
#include "node/service/routes/routes.h"
#include "profile/person/profile_json.h"

namespace beckon::service {

namespace {

/// One request to import: a new user for each line, stored, then published if asked for. Answers
/// when everybody is dealt with; a bad line is told and harms no other.
class Import : public std::enable_shared_from_this<Import> {
 public:
  Import(Hosting& hosting, bool publish, const Answer& answer)
      : hosting_(hosting), publish_(publish), answer_(answer) {}

  void run(std::string_view body) {
    open_ = 1;  // this function itself
    std::size_t number = 0;
    while (!body.empty()) {
      std::size_t end = std::min(body.find('\n'), body.size());
      std::string_view line = body.substr(0, end);
      body.remove_prefix(std::min(end + 1, body.size()));
      ++number;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) take(number, line);
    }
    close();
  }

 private:
  void take(std::size_t line, std::string_view text) {
    auto profile = profile::parse_profile(hosting_.schema(), text);
    if (!profile) return fail(line, profile.error().text);
    auto self = shared_from_this();  // until the last answer has come
    ++open_;
    auto made = hosting_.users().create(hosted(hosting_.schema(), *profile),
                                        [self, line](const Result<void>& stored) {
                                          if (!stored) self->fail(line, stored.error().text);
                                          self->stored(line, stored.has_value());
                                        });
    if (!made) {
      fail(line, made.error().text);
      return close();
    }
    users_[line] = *made;
  }

  void stored(std::size_t line, bool well) {
    if (well) ++imported_;
    if (!well || !publish_) return close();
    hosting_.search().publisher().publish(
        users_.at(line),
        [self = shared_from_this(), line](const Result<Publisher::Published>& done) {
          self->published(line, done);
        });
  }

  void published(std::size_t line, const Result<Publisher::Published>& done) {
    if (!done) {
      fail(line, "not published: " + done.error().text);
    } else if (done->stored < done->records) {
      std::string why =
          done->refused == Status::ok ? "" : fmt::format(" ({})", to_text(done->refused));
      fail(line, fmt::format("{} of {} records stored{}; beckond goes on trying", done->stored,
                             done->records, why));
    } else {
      ++published_;
    }
    close();
  }

  void fail(std::size_t line, const std::string& why) { failed_[line] = why; }

  void close() {
    if (--open_ > 0) return;
    Json failed = Json::array();
    for (const auto& [line, why] : failed_) failed.push_back({{"line", line}, {"error", why}});
    answer_.json({{"imported", imported_}, {"published", published_}, {"failed", failed}});
  }

  Hosting& hosting_;
  bool publish_;
  Answer answer_;
  std::map<std::size_t, UserId> users_{};
  std::map<std::size_t, std::string> failed_{};
  std::size_t imported_ = 0;
  std::size_t published_ = 0;
  std::size_t open_ = 0;
};

}  // namespace

void add_import_routes(Hosting& hosting) {
  hosting.service().api().route(
      "POST", "/v1/profile/import", [&hosting](const ApiRequest& request, Answer answer) {
        bool publish = request.query("publish").value_or("0") == "1";
        std::make_shared<Import>(hosting, publish, answer)->run(request.http.body);
      });
}

}  // namespace beckon::service
