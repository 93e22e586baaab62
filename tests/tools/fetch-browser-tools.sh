#!/bin/sh
# Gets what tests drive and judge pages in Chromium with: playwright-core (Apache-2.0) and
# axe-core (MPL-2.0), which checks them against rules of accessibility.
#
#   fetch-browser-tools.sh DIR
#
# The npm packages come to DIR/playwright-core and DIR/axe-core, unpacked, never installed, and are
# checked against their known sums. The browser itself is Debian's package chromium. Does nothing
# when they are there already.
#
# Exit: 0 they are in DIR; 77 they cannot be had here (no npm, no registry), which test runners
# take for "skipped"; 1 something is wrong.
set -eu

PACKAGES="playwright-core@1.65.0 axe-core@4.14.0"
SUMS="315247c55a793ca760b2f05bdcee0e6a53fd65b1f22d1d3de8323c8c9395add3  playwright-core-1.65.0.tgz
2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af  axe-core-4.14.0.tgz"

say() {
    echo "fetch-browser-tools: $*" >&2
}

if [ $# -ne 1 ]; then
    echo "usage: fetch-browser-tools.sh DIR" >&2
    exit 2
fi
if [ "$(cat "$1/whole" 2>/dev/null)" = "$PACKAGES" ]; then
    exit 0
fi
if ! command -v npm >/dev/null; then
    say "npm is not installed, so playwright-core and axe-core cannot be fetched"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in $PACKAGES; do
    if ! (cd "$work" && npm pack --silent "$package" >said 2>&1); then
        say "npm cannot reach its registry for $package"
        exit 77
    fi
done
if ! (cd "$work" && echo "$SUMS" | sha256sum --check --status); then
    say "the packages are not the ones expected (their sha256 differs)"
    exit 1
fi
rm -rf "$1"
mkdir -p "$1"
for package in $PACKAGES; do
    name=${package%@*}
    mkdir "$1/$name"
    tar -xzf "$work/$name-${package#*@}.tgz" -C "$1/$name" --strip-components=1
done
echo "$PACKAGES" >"$1/whole"
