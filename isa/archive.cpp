// Archive member headers: 60 bytes of text each, at even offsets.
// Names: "short/" (GNU), "/17" (GNU, offset in the "//" table), "#1/20" (BSD, name in front of the data).
// Source: ar(5), GNU binutils' thin format.
#include "isa/archive.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace wavecast::isa {
namespace {

constexpr std::string_view kMagic = "!<arch>\n", kThinMagic = "!<thin>\n";
constexpr size_t kHeader = 60;
constexpr const char* kDamaged = "the archive is truncated or damaged: build it again";

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view trim(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

bool read_number(std::string_view text, uint64_t& value) {
  text = trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  Expected<Archive> read() {
    archive_.thin = text_.starts_with(kThinMagic);
    for (size_t at = kMagic.size(); at < text_.size();) {
      if (text_[at] == '\n' && at + 1 == text_.size()) break;  // padding of the last member
      auto next = read_member(at);
      if (!next) return tl::unexpected(next.error());
      at = *next;
    }
    return std::move(archive_);
  }

 private:
  // Returns where the next header starts.
  Expected<size_t> read_member(size_t at) {
    const auto damaged = [&](std::string_view what) {
      return fail(fmt::format("{}, archive member at byte {}", place_, at), std::string(what), kDamaged);
    };
    if (text_.size() - at < kHeader) return damaged("has a truncated header");
    const std::string_view header = text_.substr(at, kHeader);
    uint64_t size = 0;
    if (header.substr(58) != "`\n" || !read_number(header.substr(48, 10), size))
      return damaged("has a malformed header");
    const std::string_view name = trim(header.substr(0, 16));
    const size_t data = at + kHeader;
    const bool table = name == "/" || name == "/SYM64/" || name == "//";
    const bool stored = !archive_.thin || table;
    if (stored && size > text_.size() - data)
      return damaged(fmt::format("has {} bytes by its header, but {} are left", size, text_.size() - data));
    const size_t next = stored ? data + size + (size & 1) : data;
    if (name == "//") names_ = text_.substr(data, size);
    if (table) return next;

    ArchiveMember member{.name = std::string(name), .offset = data, .size = size};
    if (name.starts_with("#1/")) {
      uint64_t length = 0;
      if (!read_number(name.substr(3), length) || length > size || !stored)
        return damaged("has a malformed name");
      member.name = text_.substr(data, length);
      member.name.resize(std::min(member.name.size(), member.name.find('\0')));
      member.offset += length;
      member.size -= length;
      if (member.name.starts_with("__.SYMDEF")) return next;
    } else if (name.starts_with('/')) {
      uint64_t offset = 0;
      if (!read_number(name.substr(1), offset) || offset >= names_.size())
        return damaged("has a name outside the name table");
      const std::string_view rest = names_.substr(offset);
      member.name = rest.substr(0, rest.find('\n'));
      if (member.name.ends_with('/')) member.name.pop_back();
    } else if (name.ends_with('/')) {
      member.name.pop_back();
    }
    if (archive_.thin && member.name.find('\0') != std::string::npos) return damaged("has a malformed name");
    archive_.members.push_back(std::move(member));
    return next;
  }

  std::string_view text_;
  const std::string& place_;
  std::string_view names_;
  Archive archive_;
};

}  // namespace

bool is_archive(std::span<const std::byte> bytes) {
  return as_text(bytes).starts_with(kMagic) || as_text(bytes).starts_with(kThinMagic);
}

Expected<Archive> read_archive(std::span<const std::byte> bytes, const std::string& place) {
  return Reader(as_text(bytes), place).read();
}

}  // namespace wavecast::isa
