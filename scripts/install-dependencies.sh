#!/usr/bin/env bash
# Installs what is missing to build and test opscope (Debian packages).
#
#   scripts/install-dependencies.sh           what a build needs
#   scripts/install-dependencies.sh test      what the tests need as well
#   scripts/install-dependencies.sh coverage  what make coverage needs as well
#   scripts/install-dependencies.sh board     what make board and its tests need as well
#
# A working command or library counts wherever it comes from. Nothing is done,
# in a few milliseconds, when nothing is missing. Whoever is not root gets the one
# command to run instead, and exit 1.
set -euo pipefail

group=${1:-build}
missing=()

need_command() { # command package
    command -v "$1" >/dev/null || missing+=("$2")
}

need_library() { # pkg-config-name package
    pkg-config --exists "$1" 2>/dev/null || missing+=("$2")
}

# A module of the first python3 or of Debian's own, which tests/run.py tries in this order.
need_module() { # module package
    python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null || missing+=("$2")
}

# An oracle that not every Debian release has: its tests skip without it.
want_command() { # command package
    if ! command -v "$1" >/dev/null && apt-cache show "$2" >/dev/null 2>&1; then
        missing+=("$2")
    fi
}

# A server that tests start for themselves. Its package would start it for everybody where
# systemd runs and nothing forbids it: whoever wants those tests there installs it by hand.
want_server() { # command package
    if [ ! -d /run/systemd/system ] || [ -e /usr/sbin/policy-rc.d ]; then
        PATH=$PATH:/usr/sbin:/sbin need_command "$1" "$2"
    fi
}

# The package of clang's runtime carries clang's version in its name.
need_fuzzer_runtime() {
    local version
    if command -v clang >/dev/null; then
        compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.fuzzer*" >/dev/null && return
        version=$(clang -dumpversion)
    else
        refresh_unless_known clang
        version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
    fi
    missing+=("libclang-rt-${version%%.*}-dev")
}

# RUNLEVEL keeps packages of servers from starting them where there is no systemd.
as_root() {
    env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 "$@"
}

may_install() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]
}

refresh() {
    as_root apt-get update -qq -o DPkg::Lock::Timeout=300
}

refresh_unless_known() { # packages
    local package
    for package in "$@"; do
        if ! apt-cache show "$package" >/dev/null 2>&1; then
            may_install && refresh
            return 0
        fi
    done
}

install_packages() {
    as_root apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

case $group in build | test | coverage | board) ;; *)
    echo "usage: $0 [build|test|coverage|board]" >&2
    exit 2
    ;;
esac

need_command cc gcc
need_command meson meson
need_command ninja ninja-build
need_command pkg-config pkg-config
need_command python3 python3
need_library zlib zlib1g-dev
need_library libzstd libzstd-dev
need_library libisal libisal-dev
need_library liblz4 liblz4-dev
need_library sqlite3 libsqlite3-dev
need_library libpcre2-8 libpcre2-dev
need_library libpng libpng-dev
need_library libjpeg libjpeg62-turbo-dev
need_library freetype2 libfreetype-dev
[ -e /usr/include/dnnl.h ] || missing+=(libdnnl-dev)
need_library cmocka libcmocka-dev

if [ "$group" = coverage ]; then
    need_command gcovr gcovr
fi

if [ "$group" = board ]; then
    need_command aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    [ -e /usr/aarch64-linux-gnu/lib/libc.a ] || missing+=(libc6-dev-arm64-cross)
    need_command qemu-aarch64 qemu-user
fi

if [ "$group" != build ] && [ "$group" != board ]; then
    need_module pytest python3-pytest
    need_module xdist python3-pytest-xdist
    need_command clang clang
    need_command c++ g++
    need_fuzzer_runtime
    need_command clang-format clang-format
    need_command protoc protobuf-compiler
    need_command node nodejs
    need_command npm npm
    need_command ssh openssh-client
    want_server sshd openssh-server
    need_command mandoc mandoc
    need_command zsh zsh
    need_command fish fish
    [ -e /etc/ssl/certs/ca-certificates.crt ] || missing+=(ca-certificates)
    [ -d /usr/share/libonnx-testdata ] || missing+=(libonnx-testdata)
    # On a machine that is new anyway, ask the registry before giving an oracle up.
    [ ${#missing[@]} = 0 ] || refresh_unless_known mlir-22-tools
    want_command mlir-opt-22 mlir-22-tools
    want_command llc-22 llvm-22
    want_command sudo sudo
    want_command chromium chromium
fi

[ ${#missing[@]} -gt 0 ] || exit 0

if ! may_install; then
    echo "Missing on this machine: ${missing[*]}" >&2
    echo "Run this, then make again:" >&2
    echo "    sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
refresh_unless_known "${missing[@]}"
# Lists that are out of date name packages that are gone: refresh and try again.
if ! install_packages "${missing[@]}" >"$log" 2>&1; then
    refresh
    if ! install_packages "${missing[@]}" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        exit 1
    fi
fi
