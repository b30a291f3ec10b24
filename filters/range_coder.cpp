#include "filters/range_coder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filters/bits.h"
#include "filters/symbol_coder.h"
#include "filters/varint.h"

namespace beckon::filters {

namespace {

enum class Form : std::uint8_t { raw = 0, gaps = 1, bytes = 2 };
constexpr std::uint8_t inverted = 0x80;
constexpr std::uint64_t one = std::uint64_t{1} << 32;  // probabilities are parts of 2^32
constexpr double gaps_below = 0.09;

BitArray inverse(const BitArray& bits) {
  BitArray out(bits.size());
  for (std::size_t i = 0; i < out.words().size(); ++i) out.words()[i] = ~bits.words()[i];
  if (bits.size() % 64 != 0) out.words().back() &= low_mask(bits.size() % 64);
  return out;
}

/// Gaps between ones are geometric. Long ones are cut into a coded part and `shift` plain low bits,
/// which are all but uniform when a step of the coded part is at most 1/64 of the mean. The last
/// symbol means "as far as that and no one yet".
struct GapModel {
  unsigned shift = 0;
  std::vector<std::uint64_t> weights{};

  GapModel(std::size_t ones, std::size_t bits) {
    std::uint64_t miss = one - ones * one / bits;
    while ((one - miss) * 128 <= one && shift < 40) {
      miss = miss * miss >> 32;
      ++shift;
    }
    // Without the cut rare long gaps would each take their least share of the table.
    std::uint64_t beyond = one;
    while (weights.size() < 255 && beyond * 128 > one) {
      std::uint64_t next = beyond * miss >> 32;
      weights.push_back(beyond - next);
      beyond = next;
    }
    weights.push_back(beyond);
  }
  std::uint8_t escape() const { return static_cast<std::uint8_t>(weights.size() - 1); }
};

SymbolModel byte_model(std::size_t ones, std::size_t bits) {
  std::uint64_t hit = ones * one / bits;
  std::array<std::uint64_t, 9> by_count{};
  for (unsigned count = 0; count <= 8; ++count) {
    std::uint64_t weight = one;
    for (unsigned i = 0; i < 8; ++i) weight = weight * (i < count ? hit : one - hit) >> 32;
    by_count[count] = weight;
  }
  std::array<std::uint64_t, 256> weights{};
  for (unsigned s = 0; s < 256; ++s) weights[s] = by_count[std::popcount(s)];
  return SymbolModel(weights);
}

/// After the count of ones: number of escapes, low bits of all gaps, symbols.
void encode_gaps(Bytes& out, const BitArray& bits, std::size_t ones) {
  GapModel model(ones, bits.size());
  std::vector<std::uint8_t> symbols(ones + (bits.size() >> model.shift) / model.escape());
  std::uint8_t* next = symbols.data();
  Bytes low((ones * model.shift + 7) / 8 + bit_padding);
  std::uint64_t low_at = 0;
  std::uint64_t from = 0;  // first bit not yet told about
  for (std::size_t w = 0; w < bits.words().size(); ++w) {
    for (std::uint64_t rest = bits.words()[w]; rest != 0; rest &= rest - 1) {
      std::uint64_t at = w * 64 + static_cast<unsigned>(std::countr_zero(rest));
      std::uint64_t gap = at - from;
      std::uint64_t high = gap >> model.shift;
      for (; high >= model.escape(); high -= model.escape()) *next++ = model.escape();
      *next++ = static_cast<std::uint8_t>(high);
      if (model.shift > 0) store_bits(low.data(), low_at, gap & low_mask(model.shift), model.shift);
      low_at += model.shift;
      from = at + 1;
    }
  }
  low.resize((ones * model.shift + 7) / 8);
  symbols.resize(static_cast<std::size_t>(next - symbols.data()));
  put_varint(out, symbols.size() - ones);
  out.insert(out.end(), low.begin(), low.end());
  Bytes coded = encode_symbols(SymbolModel(model.weights), symbols);
  out.insert(out.end(), coded.begin(), coded.end());
}

Result<BitArray> decode_gaps(std::size_t bits, std::size_t ones, ByteReader& in) {
  BitArray out(bits);
  if (ones == 0) return out;
  GapModel model(ones, bits);
  std::uint64_t escapes = take_varint(in);
  // Every escape passes over bits, so that many fit and no more.
  if (!in.ok() || escapes > (bits >> model.shift) / model.escape()) {
    return invalid("coded bits have impossible gaps");
  }
  ByteView low_view = in.raw((ones * model.shift + 7) / 8);
  if (!in.ok()) return invalid("coded bits end too early");
  Bytes low(low_view.begin(), low_view.end());
  low.resize(low.size() + bit_padding);
  std::vector<std::uint8_t> symbols(ones + escapes);
  auto decoded = decode_symbols(SymbolModel(model.weights), in.rest(), symbols);
  if (!decoded) return decoded.error();
  std::uint64_t at = 0;
  std::uint64_t high = 0;
  std::uint64_t found = 0;
  for (std::uint8_t symbol : symbols) {
    high += symbol;
    if (symbol == model.escape()) continue;
    if (found == ones) return invalid("coded bits hold more ones than they say");
    std::uint64_t tail =
        model.shift == 0 ? 0 : load_bits(low.data(), found * model.shift, model.shift);
    ++found;
    at += high << model.shift | tail;
    if (at >= bits) return invalid("coded bits go past their end");
    out.set(at++);
    high = 0;
  }
  if (found != ones || symbols.back() == model.escape()) {
    return invalid("coded bits hold fewer ones than they say");
  }
  return out;
}

Result<BitArray> decode_bytes(std::size_t bits, std::size_t ones, ByteReader& in) {
  if (ones == 0) return invalid("coded bits without ones have another form");
  Bytes bytes((bits + 7) / 8);
  auto decoded = decode_symbols(byte_model(ones, bits), in.rest(), bytes);
  if (!decoded) return decoded.error();
  auto out = BitArray::from_bytes(bits, bytes);
  if (out && out->count() != ones) return invalid("coded bits have another count of ones");
  return out;
}

Bytes coded(const BitArray& bits, std::size_t ones, std::uint8_t flag) {
  bool gaps =
      ones == 0 || static_cast<double>(ones) < gaps_below * static_cast<double>(bits.size());
  Bytes out{
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(gaps ? Form::gaps : Form::bytes) | flag)};
  put_varint(out, ones);
  if (gaps) {
    if (ones > 0) encode_gaps(out, bits, ones);
  } else {
    Bytes symbols = encode_symbols(byte_model(ones, bits.size()), bits.bytes());
    out.insert(out.end(), symbols.begin(), symbols.end());
  }
  return out;
}

}  // namespace

Bytes encode_bits(const BitArray& bits, const RangeCoderOptions& options) {
  std::size_t ones = bits.count();
  bool invert = ones > bits.size() / 2;
  if (invert) ones = bits.size() - ones;
  if (static_cast<double>(ones) <= options.raw_above * static_cast<double>(bits.size())) {
    Bytes out = invert ? coded(inverse(bits), ones, inverted) : coded(bits, ones, 0);
    if (out.size() <= bits.byte_count()) return out;
  }
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(Form::raw));
  out.raw(bits.bytes());
  return out.take();
}

Result<BitArray> decode_bits(std::size_t bits, ByteView bytes) {
  ByteReader in(bytes);
  std::uint8_t head = in.u8();
  if (!in.ok()) return invalid("coded bits are missing");
  if (head == static_cast<std::uint8_t>(Form::raw)) return BitArray::from_bytes(bits, in.rest());
  std::uint64_t ones = take_varint(in);
  if (!in.ok() || ones > bits / 2) return invalid("coded bits have an impossible count of ones");
  Result<BitArray> out = invalid("coded bits of a form we do not know");
  auto form = static_cast<Form>(head & ~inverted);
  if (form == Form::gaps) out = decode_gaps(bits, ones, in);
  if (form == Form::bytes) out = decode_bytes(bits, ones, in);
  if (out && ones == 0 && in.remaining() > 0) return invalid("coded bits have bytes left over");
  if (out && (head & inverted) != 0) return inverse(*out);
  return out;
}

double entropy_bits(std::size_t ones, std::size_t bits) {
  if (ones == 0 || ones >= bits) return 0;
  double p = static_cast<double>(ones) / static_cast<double>(bits);
  return -static_cast<double>(bits) * (p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

}  // namespace beckon::filters
