# Sourced by scripts/check-foreign, after roots.sh: a Debian 12 system in a folder (13 for
# riscv64, which 12 does not have), with Debian's cross compiler and libraries for another
# kind of machine, and qemu's emulation.

# foreign MACHINE: sets machine, triplet, emulator and root, makes that root if it is not
# there or was made with other packages, and writes its /root/toolchain.cmake.
foreign() {
  machine=$1 emulator=qemu-$1-static
  local debian library suite=bookworm
  case $machine in
    # By emulation as well: kernels need not run programs of 32 bits.
    i386) debian=i386 triplet=i686-linux-gnu library=i386-linux-gnu ;;
    s390x) debian=s390x triplet=s390x-linux-gnu library=s390x-linux-gnu ;;
    aarch64) debian=arm64 triplet=aarch64-linux-gnu library=aarch64-linux-gnu ;;
    riscv64)
      debian=riscv64 triplet=riscv64-linux-gnu library=riscv64-linux-gnu suite=trixie
      emulator=qemu-riscv64
      ;;
    *) echo "foreign: not $machine" >&2; exit 2 ;;
  esac
  root=${PERF2X_FOREIGN_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/perf2x/roots}/$machine
  local libraries=(libabsl-dev libprotobuf-dev libzstd-dev zlib1g-dev liblzma-dev libbz2-dev
    libxxhash-dev libelf-dev libdw-dev libdebuginfod-dev libiberty-dev libtraceevent-dev
    libthrift-dev libopencsd-dev libgtest-dev libgmock-dev libbenchmark-dev)
  # Debian has no ISA-L for i386, and no Zydis for s390x.
  [[ $machine == i386 ]] || libraries+=(libisal-dev)
  [[ $machine == s390x ]] || libraries+=(libzydis-dev)
  local packages=("g++-$triplet" g++ cmake ninja-build pkg-config python3 protobuf-compiler
    thrift-compiler libboost-dev libcli11-dev rapidjson-dev qemu-user-static make dpkg-dev rpm file
    bzip2 libzstd-dev sqlite3 zstd "${libraries[@]/%/:$debian}")
  if [[ ! -e $root/ready || $(<"$root/ready") != "${packages[*]}" ]]; then
    rm -rf "$root"
    make_root "$root" "$suite"
    in_root "$root" bash -ec '
      dpkg --add-architecture "$1"; apt-get update -q
      apt-get install -y -q --no-install-recommends "${@:2}"' bash "$debian" "${packages[@]}"
    [[ $machine != i386 ]] || make_isal "$triplet" "$library"
    [[ $machine != s390x ]] || make_zydis "$triplet" "$library"
    echo "${packages[*]}" >"$root/ready"
  fi
  cat >"$root/root/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $machine)
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_CXX_COMPILER $triplet-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $library)
set(CMAKE_CROSSCOMPILING_EMULATOR "$emulator")
# Its own C library (libc6-dev-*-cross) is without Debian's corrections.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-B/usr/lib/$library -L/usr/lib/$library")
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/$library/pkgconfig:/usr/share/pkgconfig)
TOOLCHAIN
}

# make_isal TRIPLET LIBRARY: ISA-L of Debian's sources in the root, its parts in C, as on
# machines that it knows nothing of.
make_isal() {
  in_root "$root" bash -ec '
    sed "s/^deb /deb-src /" /etc/apt/sources.list >/etc/apt/sources.list.d/source.list
    apt-get update -q
    apt-get source -q libisal
    cd libisal-*/
    make -f Makefile.unx arch=noarch units="igzip crc" CC="$1-gcc" AR="$1-ar" lib isa-l.h
    install -D -m 644 bin/isa-l.a "/usr/lib/$2/libisal.a"
    install -D -m 644 -t /usr/include/isa-l include/*.h
    mkdir -p "/usr/lib/$2/pkgconfig"
    printf "Name: libisal\nDescription: ISA-L\nVersion: 2.30\nLibs: -lisal\nCflags:\n" \
      >"/usr/lib/$2/pkgconfig/libisal.pc"' bash "$1" "$2"
}

# make_zydis TRIPLET LIBRARY: the decoder of Zydis, of Debian's sources, in the root. Its
# headers are the same for all machines, but refuse those that they do not know. What the
# decoder uses of them does not depend on the machine.
make_zydis() {
  in_root "$root" bash -ec '
    sed "s/^deb /deb-src /" /etc/apt/sources.list >/etc/apt/sources.list.d/source.list
    apt-get update -q
    apt-get install -y -q --no-install-recommends libzydis-dev libzycore-dev
    sed -i "/error \"Unsupported architecture/d" /usr/include/Zycore/Defines.h
    apt-get source -q zydis
    cd zydis-*/
    for source in Decoder DecoderData Register SharedData; do
      "$1-gcc" -O2 -DZYDIS_STATIC_BUILD -Iinclude -Isrc -c "src/$source.c"
    done
    "$1-ar" rcs "/usr/lib/$2/libZydis.a" ./*.o
    mkdir -p "/usr/lib/$2/cmake/zydis"
    printf "%s\n" "add_library(Zydis::Zydis STATIC IMPORTED)" \
      "set_target_properties(Zydis::Zydis PROPERTIES IMPORTED_LOCATION /usr/lib/$2/libZydis.a" \
      "  INTERFACE_COMPILE_DEFINITIONS ZYDIS_STATIC_BUILD)" \
      >"/usr/lib/$2/cmake/zydis/zydis-config.cmake"' bash "$1" "$2"
}
