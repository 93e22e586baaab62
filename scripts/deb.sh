#!/usr/bin/env bash
# Debian packages of opscope in build-deb: opscope, libopscope0, libopscope-dev, python3-opscope.
#
#   scripts/deb.sh
#
# They are built as any user, from a copy of the files that belong to the project: what else lies in
# the checkout changes nothing. lintian looks at them where it is installed; what it finds fails.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { # command package
    command -v "$1" >/dev/null || missing+=("$2")
}
need dpkg-buildpackage dpkg-dev
need dh debhelper
need dh_python3 dh-python
if [ ${#missing[@]} -gt 0 ]; then
    echo "Missing on this machine: ${missing[*]}" >&2
    echo "Run this, then make deb again:" >&2
    echo "    sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard
    else
        find . -type f -not -path './build*' -not -path './.cache/*' -not -path './.git/*' -printf '%P\0'
    fi
}

version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
if [ "$(dpkg-parsechangelog -S Version)" != "$version" ]; then
    echo "debian/changelog begins with $(dpkg-parsechangelog -S Version), meson.build says $version" >&2
    exit 1
fi

out=build-deb
tree=$out/opscope-$version
rm -rf "$tree" "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo
mkdir -p "$tree"
files | while IFS= read -r -d '' file; do
    if [ -f "$file" ]; then printf '%s\0' "$file"; fi
done | tar --null --files-from=- -cf - | tar -xf - -C "$tree"

log=$out/build.log
echo "building the packages, see $log"
if ! (cd "$tree" && dpkg-buildpackage --build=binary --no-sign) >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
fi
rm -rf "$tree"
if command -v lintian >/dev/null; then
    as_root=()
    [ "$(id -u)" != 0 ] || as_root=(--allow-root)
    lintian "${as_root[@]}" --fail-on error,warning "$out"/*.changes
fi
ls "$out"/*.deb
