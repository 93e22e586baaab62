#!/bin/sh
# Gets the Model Context Protocol's own client libraries for tests.
#
#   fetch-mcp-client.sh DIR
#
# @modelcontextprotocol/sdk and @modelcontextprotocol/client (MIT), which speaks the newest revision,
# come to DIR with what they need; nothing of them is run. Does nothing when they are there already.
#
# Exit: 0 they are in DIR; 77 they cannot be had here (no npm, no registry), which test runners take
# for "skipped"; 1 something is wrong.
set -eu

PACKAGES="@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0"

say() {
    echo "fetch-mcp-client: $*" >&2
}

if [ $# -ne 1 ]; then
    echo "usage: fetch-mcp-client.sh DIR" >&2
    exit 2
fi
if [ "$(cat "$1/packages" 2>/dev/null)" = "$PACKAGES" ]; then
    exit 0
fi
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    say "node or npm is not installed, so the client libraries cannot be fetched"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # one word each
if ! (cd "$work" && npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$work" $PACKAGES) >"$work/log" 2>&1; then
    say "npm cannot reach its registry for $PACKAGES"
    exit 77
fi
if [ ! -d "$work/node_modules/@modelcontextprotocol/client" ]; then
    say "npm installed something else than $PACKAGES"
    exit 1
fi
rm -rf "$1"
mkdir -p "$1"
mv "$work/node_modules" "$1"
echo "$PACKAGES" >"$1/packages"
