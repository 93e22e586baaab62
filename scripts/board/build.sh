#!/usr/bin/env bash
# Builds opscope for boards with an aarch64 processor: build-aarch64/opscope, one file that needs no
# library there.
#
# The compiler is Debian's (gcc-aarch64-linux-gnu). The few arm64 libraries are unpacked into
# .cache/aarch64 of the project with lists of packages of their own: the machine neither gets
# another architecture nor any package. Exit 3 where the compiler or the packages are not to be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$PWD/.cache/aarch64
packages=(zlib1g-dev libzstd-dev liblz4-dev libpcre2-dev libsqlite3-dev libpng-dev libjpeg62-turbo-dev)

lacks() {
    echo "no aarch64 build: $1" >&2
    exit 3
}

# apt-get for arm64, with folders of its own.
foreign_apt() {
    local lists=$root/apt debian=/etc/apt/sources.list.d/debian.sources options=()
    mkdir -p "$lists/state/lists/partial" "$lists/cache/archives/partial"
    : >"$lists/status"
    [ ! -e "$debian" ] || options=(-o Dir::Etc::sourcelist="$debian" -o Dir::Etc::sourceparts=-)
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$lists/state" \
        -o Dir::State::status="$lists/status" -o Dir::Cache="$lists/cache" -o APT::Sandbox::User= \
        "${options[@]}" "$@"
}

unpack_libraries() {
    local folder
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || lacks "no apt-get to fetch arm64 libraries with"
    mkdir -p "$root"
    folder=$(mktemp -d "$root/packages.XXXXXX")
    foreign_apt update >"$root/log" 2>&1 || lacks "$(tail -n 1 "$root/log")"
    (cd "$folder" && foreign_apt download "${packages[@]}") >"$root/log" 2>&1 || lacks "$(tail -n 1 "$root/log")"
    for file in "$folder"/*.deb; do
        dpkg -x "$file" "$root"
    done
    rm -rf "$folder" "$root/apt"
    echo "${packages[*]}" >"$root/complete"
}

command -v aarch64-linux-gnu-gcc >/dev/null ||
    lacks "no aarch64-linux-gnu-gcc (scripts/install-dependencies.sh board)"
[ "$(cat "$root/complete" 2>/dev/null)" = "${packages[*]}" ] || unpack_libraries
printf "[constants]\nroot = '%s'\n" "$root" >"$root/root.cross"
[ -e build-aarch64/build.ninja ] ||
    meson setup build-aarch64 --cross-file "$root/root.cross" --cross-file scripts/board/aarch64.cross -Donednn=disabled \
        -Disal=disabled -Dfonts=disabled -Dstatic=true -Dtests=false
ninja -C build-aarch64 opscope
