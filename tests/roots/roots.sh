# Sourced by the tests in this folder: bare Debian systems in folders. Needs
# root, debootstrap and a Debian mirror (the one of this machine's own apt).

# make_root DIR [SUITE]: a new system in DIR, with nothing but apt and git, of Debian 12 or
# of the suite. The first one is kept as a tar file for later runs.
make_root() {
  local suite=${2:-bookworm}
  local kept=${XDG_CACHE_HOME:-$HOME/.cache}/perf2x/debian-$suite.tar
  if [[ ! -e $kept ]]; then
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
      'Created-By: Packages' 'Origin: Debian' | awk '$2 !~ /-/ && $3 == "main" { print $1; exit }')
    mkdir -p "$1" "$(dirname "$kept")"
    debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$1" \
      ${mirror:+"$mirror"} >"$1.log" ||
      { tail "$1.log"; echo "$0: not run: debootstrap failed" >&2; exit 77; }
    tar -C "$1" -cf "$kept.new" . && mv "$kept.new" "$kept"
  else
    mkdir -p "$1"
    tar -C "$1" -xf "$kept"
  fi
  cp -L /etc/resolv.conf "$1/etc/resolv.conf"
}

# A folder of this machine that in_root shows at the same place; empty: none.
shared=

# in_root DIR COMMAND...: runs it there, in root's home, with an empty environment.
# What is mounted for it is so for it alone.
in_root() {
  local root=$1
  shift
  mkdir -p "$root$shared"
  unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" \
    bash -c '[[ -z $1 ]] || mount --bind "$1" "$2$1" && exec chroot "${@:2}"' in_root "$shared" \
    "$root" /usr/bin/env -i -C /root HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "$@"
}

# need TOOL...: ends the test as "not run" (77) when one is missing.
need() {
  ((EUID == 0)) || { echo "$0: not run: needs root" >&2; exit 77; }
  local tool
  for tool; do
    command -v "$tool" >/dev/null || { echo "$0: not run: there is no $tool" >&2; exit 77; }
  done
}

# documented MARK: the commands of README.md's block marked "sh MARK".
documented() {
  awk -v fence="\`\`\`sh $1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' \
    "$top/README.md" | sed 's/ *#.*//'
}
