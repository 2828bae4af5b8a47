#include "base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

#include "base/read_file.h"
#include "base/system_error.h"
#include "base/terminal.h"

namespace transformer {
namespace {

/// The files that are mapped now, for the signal handler. An entry whose `begin` is 0 is free; `size` and `message` are
/// written before `begin`. Files beyond the last entry are mapped as well, but the handler does not know them.
struct Entry {
  std::atomic<uintptr_t> begin = 0;
  std::atomic<size_t> size = 0;
  std::atomic<const std::string*> message = nullptr;
};
std::array<Entry, 256> entries;
static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<const std::string*>::is_always_lock_free);

/// The kernel sends SIGBUS to a thread that reads a page of a mapped file behind the end that the file has by then. The
/// read cannot fail in another way, so the program ends here, with a message instead of "Bus error". Calls only
/// async-signal-safe functions.
void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Entry& entry : entries) {
    const uintptr_t begin = entry.begin;
    if (begin == 0 || address < begin || address - begin >= entry.size) continue;
    const std::string& message = *entry.message;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
    _exit(1);
  }
  std::signal(signal, SIG_DFL);  // another cause: the read is repeated, and ends the program
}

}  // namespace

void end_program_where_files_shrink() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

MappedFile::MappedFile(const std::string& path)
    : shrunk_message_(std::string(can_show_status() ? kEraseLine : "") + "error: " + path +
                      ": became shorter while it was read; restore the file or make it again, and start anew\n") {
  const File file = open_to_read(path);
  const int descriptor = fileno(file.get());
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw read_error(path);
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;  // mmap refuses to map nothing
  void* const begin = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (begin == MAP_FAILED) throw read_error(path);
  bytes_ = {static_cast<const char*>(begin), size};
  for (Entry& entry : entries) {
    const std::string* none = nullptr;
    if (!entry.message.compare_exchange_strong(none, &shrunk_message_)) continue;
    entry.size = size;
    entry.begin = reinterpret_cast<uintptr_t>(begin);
    break;
  }
}

void MappedFile::release(std::string_view part) const {
  if (part.empty()) return;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t begin = static_cast<size_t>(part.data() - bytes_.data()) / page * page;
  const size_t end = static_cast<size_t>(part.data() - bytes_.data()) + part.size();
  madvise(const_cast<char*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);  // without it, more memory is in use
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  const auto own = std::find_if(entries.begin(), entries.end(),
                                [&](const Entry& entry) { return entry.message == &shrunk_message_; });
  if (own != entries.end()) {
    own->begin = 0;
    own->message = nullptr;
  }
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace transformer
