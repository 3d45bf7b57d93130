// SPDX-License-Identifier: Apache-2.0
#include "converter/base/output_target.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Returns true if the kernel would follow `link` in `folder` with
// fs.protected_symlinks set.
bool MayFollow(const struct stat& link, const struct stat& folder) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  return (folder.st_mode & kShared) != kShared || link.st_uid == geteuid() ||
         link.st_uid == folder.st_uid;
}

// Returns true if links in `folder` are made by the kernel, as /proc/self/fd/1
// is. The text of such a link may name nothing, or another file.
bool HasMagicLinks(const std::string& folder) {
  struct statfs st;
  return statfs(folder.c_str(), &st) == 0 && st.f_type == PROC_SUPER_MAGIC;
}

// Returns the text of the link `link`; empty with errno set if it cannot be
// read.
std::string TextOf(const std::string& link) {
  char text[PATH_MAX];
  const ssize_t n = readlink(link.c_str(), text, sizeof(text));
  if (n == sizeof(text)) errno = ENAMETOOLONG;
  if (n == 0) errno = ENOENT;
  return n <= 0 || n == sizeof(text) ? std::string()
                                     : std::string(text, size_t(n));
}

// Returns the path that `path` leads to, with the links of all its folders
// followed.
absl::StatusOr<std::string> FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the kernel's own limit
  std::string at, rest = path;
  int links = 0;
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    const std::string next = at + name;
    struct stat link, folder;
    if (name.empty() || name == "." || name == ".." ||
        lstat(next.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) ||
        HasMagicLinks(FolderOf(next))) {
      at = slash == rest.npos ? next : next + "/";
      rest.erase(0, slash == rest.npos ? slash : slash + 1);
      continue;
    }
    const std::string folder_name = FolderOf(next);
    if (stat(folder_name.c_str(), &folder) != 0) {
      return CannotWrite(path, errno);
    }
    if (!MayFollow(link, folder)) {
      return absl::PermissionDeniedError(absl::StrCat(
          "cannot write ", path, ": ", next == path ? "it" : next,
          " is another user's symbolic link in a folder that everyone may "
          "write to"));
    }
    if (++links > kMaxLinks) return CannotWrite(path, ELOOP);
    const std::string text = TextOf(next);
    if (text.empty()) return CannotWrite(path, errno);
    if (text[0] == '/') at.clear();
    rest.replace(0, slash, text);
  }
  return at;
}

// Opens the folder `path`, in which all links have been followed already.
// Follows none now, except in /proc: someone else would have put it there
// since. Returns an O_PATH descriptor, for naming files in the folder.
FileDescriptor OpenFolder(const std::string& path) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  FileDescriptor at(open(path[0] == '/' ? "/" : ".", kFlags));
  for (absl::string_view rest = path; at.get() >= 0 && !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (name.empty()) continue;
    struct statfs st;
    const bool magic =
        fstatfs(at.get(), &st) == 0 && st.f_type == PROC_SUPER_MAGIC;
    at = FileDescriptor(
        openat(at.get(), name.c_str(), kFlags | (magic ? 0 : O_NOFOLLOW)));
  }
  return at;
}

// Returns the folder `name` of `folder`, whose path is `path`. Makes it if it
// does not exist, and fails if it is a link. Other processes may make the same
// folders, so those are left that are empty after a failure.
absl::StatusOr<FileDescriptor> MakeFolder(const FileDescriptor& folder,
                                          const std::string& name,
                                          const std::string& path) {
  if (mkdirat(folder.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
    return absl::UnavailableError(
        absl::StrCat("cannot make folder ", path, ": ", strerror(errno)));
  }
  FileDescriptor made(openat(folder.get(), name.c_str(),
                             O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (made.get() >= 0) return made;
  if (errno != ENOTDIR && errno != ELOOP) return CannotWrite(path, errno);
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot write to ", path,
      ": it is a symbolic link or no folder; make it a folder, since links "
      "there are not followed"));
}

// Fails if `name` in `folder`, whose path is `path`, exists and cannot be
// replaced.
absl::Status CheckReplaceable(const FileDescriptor& folder,
                              const std::string& name,
                              const std::string& path) {
  struct stat old;
  if (fstatat(folder.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? absl::OkStatus() : CannotWrite(path, errno);
  }
  if (!S_ISREG(old.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot write ", path, ": it is ",
        S_ISLNK(old.st_mode) ? "a symbolic link, which is not followed there"
                             : "no regular file",
        "; remove it"));
  }
  // rename() would replace even a file that may not be written.
  return faccessat(folder.get(), name.c_str(), W_OK, 0) == 0
             ? absl::OkStatus()
             : CannotWrite(path, errno);
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

absl::Status CannotWrite(const std::string& path, int error) {
  const std::string message =
      absl::StrCat("cannot write ", path == "-" ? "standard output" : path,
                   ": ", strerror(error));
  return absl::Status(absl::ErrnoToStatusCode(error), message);
}

std::string NameInFolder(absl::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "./" : std::string(path.substr(0, slash + 1));
}

absl::StatusOr<OutputTarget> OutputTarget::Resolve(const std::string& path,
                                                   bool in_place) {
  OutputTarget target;
  target.path = target.final_path = path;
  if (path == "-") return target;
  struct stat old, other;
  const bool exists = stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return CannotWrite(path, errno);
  // The file is standard output, as /dev/stdout is. What has been written to it
  // already must stay, and the file may have no name under which it could be
  // replaced.
  if (exists && fstat(STDOUT_FILENO, &other) == 0 && SameFile(old, other)) {
    return target;
  }
  ASSIGN_OR_RETURN(target.final_path, FollowLinks(path));
  if (exists && S_ISDIR(old.st_mode)) return CannotWrite(path, EISDIR);
  target.regular = !exists || S_ISREG(old.st_mode);
  if (exists && (in_place || !target.regular)) {
    target.method = Method::kInPlace;
    target.final_path = path;
    target.device = old.st_dev;
    target.inode = old.st_ino;
    return target;
  }
  target.method = Method::kReplace;
  const FileDescriptor folder = OpenFolder(FolderOf(target.final_path));
  if (folder.get() >= 0 && fstat(folder.get(), &other) == 0) {
    target.device = other.st_dev;
    target.inode = other.st_ino;
  } else if (errno != ENOENT) {
    return CannotWrite(path, errno);
  }
  if (!exists) return target;
  // rename() would replace even a file that may not be written.
  if (access(path.c_str(), W_OK) != 0) return CannotWrite(path, errno);
  // It would also replace a link in /proc, which may be to a deleted file.
  if (lstat(target.final_path.c_str(), &other) != 0 || !SameFile(old, other)) {
    return CannotWrite(path, ENOENT);
  }
  return target;
}

absl::StatusOr<OutputTarget> OutputTarget::MakeBelow(const std::string& root,
                                                     absl::string_view name) {
  OutputTarget target;
  target.path = absl::StrCat(root, "/", name);
  target.method = Method::kReplace;
  target.regular = true;
  ASSIGN_OR_RETURN(const std::string followed, FollowLinks(root));
  target.final_path = absl::StrCat(followed, "/", name);
  FileDescriptor folder = OpenFolder(followed);
  if (folder.get() < 0) return CannotWrite(root, errno);
  std::string path = root;
  for (size_t slash; (slash = name.find('/')) != name.npos;) {
    const std::string part(name.substr(0, slash));
    name.remove_prefix(slash + 1);
    absl::StrAppend(&path, "/", part);
    ASSIGN_OR_RETURN(folder, MakeFolder(folder, part, path));
  }
  struct stat st;
  if (fstat(folder.get(), &st) != 0) return CannotWrite(target.path, errno);
  target.device = st.st_dev;
  target.inode = st.st_ino;
  RETURN_IF_ERROR(CheckReplaceable(folder, std::string(name), target.path));
  return target;
}

absl::Status OutputTarget::CheckNotDeviceOrFifo() const {
  if (method != Method::kInPlace || regular) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot write ", path,
                   ": it is no regular file, as files of a folder must be; "
                   "remove it"));
}

absl::StatusOr<FileDescriptor> OpenFolderOf(const OutputTarget& target) {
  FileDescriptor folder = OpenFolder(FolderOf(target.final_path));
  struct stat st = {};
  const bool opened = folder.get() >= 0 && fstat(folder.get(), &st) == 0;
  // ELOOP and ENOTDIR: the folder or one above it has been replaced by a link
  // or a file.
  if (!opened && (target.inode == 0 || (errno != ELOOP && errno != ENOTDIR))) {
    return CannotWrite(target.path, errno);
  }
  if (target.inode != 0 &&
      (st.st_dev != target.device || st.st_ino != target.inode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write ", target.path,
                     ": another folder has taken the place of its own"));
  }
  return folder;
}

absl::Status RecheckTarget(const OutputTarget& target,
                           const FileDescriptor& folder) {
  struct stat st;
  if (fstat(folder.get(), &st) != 0) return CannotWrite(target.path, errno);
  OutputTarget now = target;
  now.device = st.st_dev;
  now.inode = st.st_ino;
  RETURN_IF_ERROR(OpenFolderOf(now).status());
  return CheckReplaceable(folder, NameInFolder(target.final_path), target.path);
}

absl::StatusOr<std::string> ResolveOutputFolder(const std::string& path) {
  return FollowLinks(path);
}

void OutputTargets::Add(const std::string& path, bool in_place) {
  targets_.emplace(path, OutputTarget::Resolve(path, in_place));
}

absl::StatusOr<OutputTarget> OutputTargets::TargetOf(
    const std::string& path) const {
  const auto it = targets_.find(path);
  return it != targets_.end() ? it->second : OutputTarget::Resolve(path);
}

}  // namespace perf2x
