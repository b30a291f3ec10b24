// SPDX-License-Identifier: MIT
#include "profile/values/ip.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"

namespace beckon::profile {

namespace {

template <typename Int>
std::optional<Int> whole(std::string_view text, int base, std::size_t max_size) {
  Int value{};
  if (text.empty() || text.size() > max_size) return std::nullopt;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_v4(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    std::size_t end = part < 3 ? text.find('.') : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    auto octet = whole<std::uint8_t>(text.substr(0, end), 10, 3);
    if (!octet) return std::nullopt;
    address = address << 8 | *octet;
    text.remove_prefix(part < 3 ? end + 1 : end);
  }
  return address;
}

/// Appends the 16-bit groups of one side of "::"; an IPv4 tail counts as two.
bool append_groups(std::string_view text, std::vector<std::uint16_t>& out) {
  while (!text.empty()) {
    std::size_t end = text.find(':');
    std::string_view part = text.substr(0, end);
    if (end == std::string_view::npos && part.find('.') != std::string_view::npos) {
      auto v4 = parse_v4(part);
      if (!v4) return false;
      out.push_back(static_cast<std::uint16_t>(*v4 >> 16));
      out.push_back(static_cast<std::uint16_t>(*v4));
      return out.size() <= 8;
    }
    auto group = whole<std::uint16_t>(part, 16, 4);
    if (!group || out.size() == 8) return false;
    out.push_back(*group);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) return false;  // a lone colon at the end
  }
  return true;
}

std::optional<std::array<std::uint16_t, 8>> parse_v6(std::string_view text) {
  std::vector<std::uint16_t> head;
  std::vector<std::uint16_t> tail;
  std::size_t gap = text.find("::");
  if (!append_groups(text.substr(0, gap), head)) return std::nullopt;
  if (gap == std::string_view::npos) {
    if (head.size() != 8) return std::nullopt;
  } else if (!append_groups(text.substr(gap + 2), tail) || head.size() + tail.size() > 7) {
    return std::nullopt;
  }
  std::array<std::uint16_t, 8> groups{};
  std::copy(head.begin(), head.end(), groups.begin());
  std::copy(tail.rbegin(), tail.rend(), groups.rbegin());
  return groups;
}

IpRange prefix_range(IpFamily family, std::uint64_t address, unsigned bits) {
  unsigned width = family == IpFamily::v4 ? 32 : 64;
  std::uint64_t all = family == IpFamily::v4 ? 0xffffffffU : ~std::uint64_t{0};
  std::uint64_t host = bits >= width ? 0
                       : bits == 0   ? all
                                     : (std::uint64_t{1} << (width - bits)) - 1;
  return {family, address & ~host & all, (address | host) & all};
}

std::optional<IpRange> parse_prefix(std::string_view text) {
  std::size_t slash = text.find('/');
  std::optional<unsigned> bits;
  if (slash != std::string_view::npos) {
    bits = whole<unsigned>(text.substr(slash + 1), 10, 3);
    if (!bits) return std::nullopt;
    text = text.substr(0, slash);
  }
  if (auto v4 = parse_v4(text)) {
    if (bits.value_or(32) > 32) return std::nullopt;
    return prefix_range(IpFamily::v4, *v4, bits.value_or(32));
  }
  auto groups = parse_v6(text);
  if (!groups || bits.value_or(128) > 128) return std::nullopt;
  auto& g = *groups;
  bool mapped = g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0 && g[4] == 0 && g[5] == 0xffff;
  if (mapped) {
    if (bits.value_or(128) < 96) return std::nullopt;
    return prefix_range(IpFamily::v4, std::uint64_t{g[6]} << 16 | g[7], bits.value_or(128) - 96);
  }
  std::uint64_t upper = 0;
  for (int i = 0; i < 4; ++i) upper = upper << 16 | g[static_cast<std::size_t>(i)];
  return prefix_range(IpFamily::v6, upper, bits.value_or(128));
}

std::string address_text(IpFamily family, std::uint64_t a) {
  if (family == IpFamily::v4)
    return fmt::format("{}.{}.{}.{}", a >> 24 & 255, a >> 16 & 255, a >> 8 & 255, a & 255);
  return fmt::format("{:x}:{:x}:{:x}:{:x}::", a >> 48, a >> 32 & 0xffff, a >> 16 & 0xffff,
                     a & 0xffff);
}

}  // namespace

Result<IpRange> parse_ip(std::string_view text) {
  Error wrong =
      invalid(fmt::format("'{}' is no IP address or prefix (as 140.113.214.0/24 or 2001:db8::/32)",
                          printable(text, 60)));
  std::size_t dots = text.find("..");
  auto first = parse_prefix(text.substr(0, dots));
  if (!first) return wrong;
  if (dots == std::string_view::npos) return *first;
  auto last = parse_prefix(text.substr(dots + 2));
  if (!last || last->family != first->family) return wrong;
  if (last->last < first->first) return invalid("the range ends before it starts");
  return IpRange{first->family, first->first, last->last};
}

std::string ip_text(const IpRange& range) {
  std::uint64_t host = range.last - range.first;
  bool prefix = (host & (host + 1)) == 0 && (range.first & host) == 0;
  unsigned width = range.family == IpFamily::v4 ? 32 : 64;
  std::string first = address_text(range.family, range.first);
  if (!prefix) return first + ".." + address_text(range.family, range.last);
  auto bits = width - static_cast<unsigned>(std::popcount(host));
  return range.family == IpFamily::v4 && bits == 32 ? first : fmt::format("{}/{}", first, bits);
}

}  // namespace beckon::profile
