// SPDX-License-Identifier: MIT
#include "node/log_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace beckon {

namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// As syslog numbers them; the journal reads it in front of a line on stderr.
int priority(LogLevel level) {
  constexpr int numbers[] = {7, 6, 4, 3};
  return numbers[static_cast<std::size_t>(level)];
}

Time monotonic() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Time(std::chrono::duration_cast<Duration>(since));
}

}  // namespace

class LogFile::Impl {
 public:
  Impl(const std::string& path, const Options& options)
      : limiter(options.limits),
        now(options.now != nullptr ? options.now : monotonic),
        level(options.level),
        journal(options.to_terminal && options.terminal_is_journal),
        logger("beckond", std::make_shared<spdlog::sinks::rotating_file_sink_st>(
                              path, options.file_bytes, options.old_files, false, handlers())) {
    if (options.to_terminal && !journal)
      logger.sinks().push_back(std::make_shared<spdlog::sinks::stderr_color_sink_st>());
  }

  void take_stderr() {
    takes_stderr_ = true;
    redirect();
  }

  void put(const LogLine& line) {
    std::string text = to_text(line);
    logger.log(to_spdlog(line.level), "{}", text);
    if (journal && line.level >= level)
      std::fprintf(stderr, "<%d>%s\n", priority(line.level), text.c_str());
  }

  void put_left_out(Time until) {
    for (const LogLine& line : limiter.left_out(until)) put(line);
  }

 private:
  spdlog::file_event_handlers handlers() {
    spdlog::file_event_handlers out;
    out.after_open = [this](const spdlog::filename_t&, std::FILE* file) {
      file_ = file;
      if (takes_stderr_) redirect();
    };
    return out;
  }
  void redirect() { ::dup2(::fileno(file_), STDERR_FILENO); }

  std::FILE* file_ = nullptr;  // the sink's
  bool takes_stderr_ = false;

 public:
  LogLimiter limiter;
  Time (*now)();
  LogLevel level;
  bool journal;
  spdlog::logger logger;  // last: it opens the file
};

Result<LogLevel> parse_level(const std::string& text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warning") return LogLevel::warning;
  if (text == "error") return LogLevel::error;
  return invalid(fmt::format("a log level is debug, info, warning or error, got '{}'", text));
}

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, const Options& options) {
  try {
    int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);  // for its mode only
    if (fd >= 0) ::close(fd);
    auto impl = std::make_unique<Impl>(path, options);
    impl->logger.set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
    impl->logger.set_level(to_spdlog(options.level));
    impl->logger.flush_on(spdlog::level::debug);
    impl->logger.set_error_handler(
        [](const std::string&) {});  // a full disk must not stop the node
    return std::make_unique<LogFile>(std::move(impl));
  } catch (const spdlog::spdlog_ex& error) {
    return Error{ErrorCode::internal,
                 fmt::format("cannot write the log {}: {}", path, error.what())};
  }
}

LogFile::LogFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogFile::~LogFile() { impl_->put_left_out(Time::max()); }

void LogFile::take_stderr() { impl_->take_stderr(); }

void LogFile::write(const LogLine& line) {
  if (line.level < impl_->level) return;
  Time now = impl_->now();
  impl_->put_left_out(now);
  if (impl_->limiter.admit(line, now)) impl_->put(line);
}

void LogFile::tell_left_out() { impl_->put_left_out(impl_->now()); }

LogLevel LogFile::level() const { return impl_->level; }

/// Told as a line of the new level, so that it is in the log whatever the level is now.
void LogFile::set_level(LogLevel level) {
  LogLevel before = std::exchange(impl_->level, level);
  impl_->logger.set_level(to_spdlog(level));
  if (before == level) return;
  impl_->put(
      {level, "the log level was changed", {{"from", to_text(before)}, {"to", to_text(level)}}});
}

}  // namespace beckon
