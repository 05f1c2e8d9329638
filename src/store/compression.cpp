#include "store/compression.hpp"

#include <zstd.h>

#include <memory>
#include <stdexcept>

namespace nightjar::store {
namespace {

constexpr int level =
    3;  // configurations shrink to a fifth; higher levels win a few per cent for twice the time
constexpr std::size_t longest_plain = 1024;  // below, a frame saves nothing worth the work
constexpr std::size_t most_bytes = 1ull
                                   << 30;  // SQLite takes no larger value; a header that says more is damaged
constexpr char plain = 0, zstd = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
  void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
};

// A context is half a megabyte to set up, so each thread keeps one.
ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context = [] {
    std::unique_ptr<ZSTD_CCtx, FreeContext> made{ZSTD_createCCtx()};
    if (!made) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_checksumFlag, 1);
    return made;
  }();
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx()};
  if (!context) throw std::bad_alloc();
  return context.get();
}

}  // namespace

std::string compress(std::string_view bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(compressor(), frame.data(), frame.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  frame.resize(size);
  frame.shrink_to_fit();
  return frame;
}

std::optional<std::string> decompress(std::string_view frame, std::size_t expected_bytes) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != expected_bytes || expected_bytes > most_bytes)
    return std::nullopt;
  std::string bytes(expected_bytes, '\0');
  const std::size_t size =
      ZSTD_decompressDCtx(decompressor(), bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != expected_bytes) return std::nullopt;
  return bytes;
}

std::string pack(std::string_view text) {
  if (text.size() <= longest_plain) return std::string(1, plain).append(text);
  return std::string(1, zstd).append(compress(text));
}

std::optional<std::string> unpack(std::string_view packed) {
  if (packed.empty()) return std::nullopt;
  const std::string_view rest = packed.substr(1);
  if (packed[0] == plain) return std::string{rest};
  if (packed[0] != zstd) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(rest.data(), rest.size());
  if (size > most_bytes) return std::nullopt;  // the library's error codes are larger still
  return decompress(rest, size);
}

}  // namespace nightjar::store
