// Mapping and reading of input files (POSIX).
#include "isa/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wavecast::isa {
namespace {

// Pipes have no size; beyond this one, a mapped file is the better way to hand the input over.
constexpr size_t kLargestPipe = size_t{4} << 30;

class Descriptor {
 public:
  explicit Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~Descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

std::string system_text(int error) { return std::strerror(error); }

Expected<std::vector<std::byte>> read_pipe(int fd, const std::string& place) {
  std::vector<std::byte> bytes;
  constexpr size_t kChunk = size_t{1} << 20;
  for (size_t used = 0;;) {
    if (used == kLargestPipe)
      return fail(place, fmt::format("holds more than {} GiB", kLargestPipe >> 30),
                  "give a file instead of a pipe");
    bytes.resize(used + kChunk);
    const ssize_t got = ::read(fd, bytes.data() + used, kChunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(place, "cannot be read: " + system_text(errno));
    used += static_cast<size_t>(got);
    if (got == 0) {
      bytes.resize(used);
      return bytes;
    }
  }
}

}  // namespace

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path, bool allow_pipe) {
  const bool standard_input = path == "-";
  const std::string place = standard_input ? "standard input" : path;
  const int flags = O_RDONLY | O_CLOEXEC | (allow_pipe ? 0 : O_NONBLOCK);
  const Descriptor fd(standard_input ? STDIN_FILENO : ::open(path.c_str(), flags), !standard_input);
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0)
    return fail(place, "cannot be opened: " + system_text(errno), "check the path and its permissions");
  if (S_ISDIR(status.st_mode))
    return fail(place, "is a folder", "give the code object, executable, library or archive in it");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    return fail(place, standard_input ? "is a terminal or device" : "is a device",
                "give a file, or pipe one into standard input");

  if (!S_ISREG(status.st_mode) && !allow_pipe) return fail(place, "is no regular file");

  std::shared_ptr<MappedFile> file(new MappedFile);
  const bool whole = S_ISREG(status.st_mode) && (!standard_input || ::lseek(fd.get(), 0, SEEK_CUR) == 0);
  if (whole && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (mapping == MAP_FAILED) return fail(place, "cannot be mapped: " + system_text(errno));
    file->mapping_ = mapping;
    file->bytes_ = {static_cast<const std::byte*>(mapping), size};
    return file;
  }
  auto bytes = read_pipe(fd.get(), place);
  if (!bytes) return tl::unexpected(bytes.error());
  if (bytes->empty()) return fail(place, "is empty", "build or copy it again");
  return from_memory(std::move(*bytes));
}

std::shared_ptr<const MappedFile> MappedFile::from_memory(std::vector<std::byte> bytes) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->owned_ = std::move(bytes);
  file->bytes_ = file->owned_;
  return file;
}

MappedFile::~MappedFile() {
  if (mapping_) ::munmap(mapping_, bytes_.size());
}

void MappedFile::release(std::span<const std::byte> part) const {
  if (!mapping_ || part.empty()) return;
  // Whole pages inside `part`; its edges may be in use by a neighbour.
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace wavecast::isa
