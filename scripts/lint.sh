#!/usr/bin/env bash
# Layout, rooms and habits. Prints TAP; exits 1 when anything is wrong.
set -u
cd "$(dirname "$0")/.." || exit 1

number=0
failed=0

# What the command prints is what is wrong; silence is a pass.
check() { # name command ...
    local name=$1 said
    shift
    number=$((number + 1))
    said=$("$@" 2>&1)
    if [ -z "$said" ]; then
        echo "ok $number - $name"
    else
        head -n 60 <<<"$said"
        echo "not ok $number - $name"
        failed=1
    fi
}

# The project's own files, one a line, that match a pattern.
files() { # regular-expression
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -type f -not -path './build*' -not -path './.cache/*' -not -path './.git/*' -printf '%P\n'
    fi | grep -E "$1" | while read -r file; do [ -f "$file" ] && echo "$file"; done
}

# Text that people read: not the seeds and data of tests, which hold anything.
texts() {
    files . | grep -vE '^tests/(fuzz/corpus|data)/|\.(csv|pb|gz|zst|png)$|^LICENSE$'
}

search() { # regular-expression
    texts | xargs -d '\n' grep -nIE "$1" --
}

layout() {
    files '\.[ch]$' | xargs -d '\n' -r clang-format --dry-run -Werror --ferror-limit=3
}

long_files() {
    files '^src/.*\.[ch]$' | xargs -d '\n' -r wc -l | awk '$2 != "total" && $1 > 700 { print $2 ": " $1 " lines" }'
}

sources_listed() {
    files '^src/.*\.c$' | while read -r file; do
        grep -qF "'$file'" meson.build || echo "$file is not in meson.build"
    done
}

tests_listed() { # kind
    files "^tests/$1/.*_.*\.c$" | while read -r file; do
        name=$(basename "$file" .c)
        grep -qF "'${name#*_}'" tests/meson.build || echo "$file is not in tests/meson.build"
    done
}

end_to_end_names() {
    files '^tests/e2e/.*\.py$' | grep -vE '/[0-9]{3}_[a-z0-9_]+\.py$' | xargs -d '\n' -r grep -lE '^main\(\)' | sed 's/$/ has tests: name it NNN_name.py/'
    files '^tests/e2e/[0-9]' | sed -E 's|.*/([0-9]+)_.*|\1|' | sort | uniq -d | sed 's/^/number used twice: /'
}

seeds_there() {
    files '^tests/fuzz/fuzz_.*\.c$' | while read -r file; do
        name=$(basename "$file" .c)
        [ -n "$(files "^tests/fuzz/corpus/${name#fuzz_}/")" ] || echo "$file has no seeds"
    done
}

# The C library may not be given a list without memory, however few items it is said to have.
lists_sorted() {
    files '^src/.*\.[ch]$' | grep -v '^src/base/sort\.h$' | xargs -d '\n' -r grep -nE '\bqsort\('
}

shell_scripts() {
    { files '\.sh$'; files '^\.ci/'; } | while read -r file; do
        bash -n "$file"
        ! command -v shellcheck >/dev/null || shellcheck --severity=warning "$file"
    done
}

python_scripts() {
    files '\.py$' | xargs -d '\n' -r python3 -c '
import sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        compile(file.read(), path, "exec")'
}

page_scripts() {
    command -v node >/dev/null || return 0
    files '\.js$' | while read -r file; do node --check "$file"; done
}

dead_links() {
    files '\.md$' | while read -r file; do
        grep -oE '\]\([^)#:]+' "$file" | cut -c 3- | while read -r target; do
            [ -e "$(dirname "$file")/$target" ] || echo "$file: $target does not exist"
        done
    done
}

check "layout (make format)" layout
check "rooms" scripts/check-rooms.py
check "no source file over 700 lines" long_files
check "every source file is built" sources_listed
check "every unit test is built" tests_listed unit
check "every module is held by a test" scripts/check-tested.py
check "every fuzz target is built" tests_listed fuzz
check "every fuzz target has seeds" seeds_there
check "end-to-end tests are numbered" end_to_end_names
check "lists are sorted by base/sort.h" lists_sorted
check "no unfinished business" search '\b([T]ODO|[F]IXME|[X]XX)\b'
check "no paths of a machine" search '(^|[^[:alnum:]._/-])/(work|home|root)(/|\b)'
check "no package registries" search '(registry|pypi|crates)\.[[:alnum:]-]+\.(org|com|io)|[[:alnum:].-]+\.(artifactory|jfrog)\.'
check "no blanks at the end of a line" search '[[:blank:]]+$'
check "no dead links in documents" dead_links
check "shell scripts" shell_scripts
check "python scripts" python_scripts
check "scripts of pages and tests" page_scripts
echo "1..$number"
exit $failed
