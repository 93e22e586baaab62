#!/usr/bin/env bash
# Puts a tree of files in its place, and removes it again.
#
#   scripts/install-tree.sh put STAGE DESTDIR PREFIX     what lies in STAGE goes below DESTDIR
#   scripts/install-tree.sh remove DESTDIR PREFIX        what was put there goes
#
# DESTDIR/PREFIX/share/opscope/installed lists what was put there: a line with its path for each file
# and link ("f"), and for each folder that was not there before ("d"). What an older installation put
# there and this one does not goes. Folders go if nothing else is in them; what Python compiled of
# the modules goes with them.
set -euo pipefail

remove_file() { # path
    local folder=${1%/*} name=${1##*/}
    rm -f "$1"
    [ "${name%.py}" = "$name" ] || rm -f "$folder/__pycache__/${name%.py}".*.pyc
    if [ -d "$folder/__pycache__" ]; then rmdir --ignore-fail-on-non-empty "$folder/__pycache__"; fi
}

put_tree() { # stage destdir list
    local stage=$1 destdir=$2 list=$2$3 new known="" kind path
    new=$(mktemp)
    if [ -f "$list" ]; then known=$(cat "$list"); fi
    (cd "$stage" && find . -mindepth 1 -type d -printf 'd /%P\n' | sort) | while read -r kind path; do
        if [ ! -d "$destdir$path" ]; then
            install -d "$destdir$path"
            echo "d $path"
        elif grep -qxF "d $path" <<<"$known"; then
            echo "d $path"
        fi
    done >"$new"
    (cd "$stage" && find . ! -type d -printf 'f /%P\n' | sort) | while read -r kind path; do
        cp -P --preserve=mode,links --remove-destination "$stage$path" "$destdir$path"
        echo "$kind $path"
    done >>"$new"
    echo "f $3" >>"$new"
    { grep -vxF -f "$new" <<<"$known" || true; } | while read -r kind path; do
        case $kind in
        f) remove_file "$destdir$path" ;;
        d) echo "$kind $path" >>"$new" ;;
        esac
    done
    mv "$new" "$list"
    chmod 644 "$list"
}

remove_tree() { # destdir list
    local list=$1$2 files folders kind path
    if [ ! -f "$list" ]; then
        echo "$list: not there: nothing was installed there by make install" >&2
        exit 1
    fi
    files=$(sed -n 's/^f //p' "$list")
    folders=$(sed -n 's/^d //p' "$list" | sort -r)
    while read -r path; do remove_file "$1$path"; done <<<"$files"
    while read -r path; do
        if [ -n "$path" ] && [ -d "$1$path" ]; then rmdir --ignore-fail-on-non-empty "$1$path"; fi
    done <<<"$folders"
}

case ${1-} in
put)
    put_tree "$2" "${3%/}" "${4%/}/share/opscope/installed"
    ;;
remove)
    remove_tree "${2%/}" "${3%/}/share/opscope/installed"
    ;;
*)
    echo "usage: $0 put STAGE DESTDIR PREFIX, or: $0 remove DESTDIR PREFIX" >&2
    exit 2
    ;;
esac
