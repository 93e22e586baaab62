# make            build/bin/opscope, the vendors' names for it, and the libraries
# make demo       networks compiled, run, annotated and shown, in a minute
# make test       everything that must hold; the last line counts
# make test-long  what takes longer: make conformance, tests that sample the networks with all of them,
#                 every call that can fail, mutated programs, what works on threads under the thread
#                 sanitizer, the build for boards under qemu, a minute of fuzzing for each target
# make conformance  the ONNX project's tests and TOSA against MLIR, all of them; with SANITIZE=1 the
#                 program of build-asan does them
# make coverage   lines that the tests run, by room (COVERAGE="unit e2e", E2E="what pytest's -k takes")
# make bench      speed, size and memory of the converters (ROWS=10000000: 1 GB each), of networks and the recorder,
#                 and inference beside ONNX Runtime; ROUNDS=5, kept in BENCH=build/bench.json
# make fuzz       invented inputs for every target (FUZZ_TOTAL=3600 seconds for all, a minute each without;
#                 FUZZ_LEAST=10000 executions; FUZZ_CORPUS=folder that is kept)
# make lint       layout, rooms and habits; make format applies the layout
# make docs       help texts into docs/commands
# make install    PREFIX=/usr/local, DESTDIR=, LIBDIR=$(PREFIX)/lib, PYTHON=python3,
#                 PYTHONDIR=$(PREFIX)/share/opscope/python
# make uninstall  removes what make install put there (PREFIX, DESTDIR)
# make deb        Debian packages in build-deb: opscope, libopscope0, libopscope-dev, python3-opscope
# make board      build-aarch64/opscope, which boards with that processor run without any library
# make clean

PREFIX ?= /usr/local
BUILD ?= build
PYTHONDIR ?= $(PREFIX)/share/opscope/python
LIBDIR ?= $(PREFIX)/lib
PYTHON ?= python3
# Where this Python looks for modules under PREFIX: a file there leads to PYTHONDIR.
SITE = import site; print(*[p for p in site.getsitepackages() if p.startswith("$(abspath $(PREFIX))/")][:1])
ROWS ?= 10000000
ROUNDS ?= 5
BENCH ?= build/bench.json
KEEP = --rounds $(ROUNDS) --keep $(BENCH)
FUZZ_TOTAL ?=
SANITIZE ?=
COVERAGE ?= unit e2e
E2E ?=
LIBRARIES = libopscope.so libopscope.a libopscope-record.so libopscope-record.a libopscope-session.so

SANITIZERS = -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
# Threads that look at what others change.
RACES = -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false
# Counters that several threads add to; warnings that only the counters cause.
MEASURE = -Dbuildtype=debugoptimized -Db_coverage=true -Dc_args=-fprofile-update=atomic -Dwerror=false

# Quiet unless something fails: $(call setup,FOLDER,OPTIONS) makes a build folder,
# $(call build,FOLDER,TARGETS) builds in it, $(call links,FOLDER) puts the program
# under all its names into FOLDER/bin.
setup = test -f $(1)/build.ninja || said=$$(meson setup $(1) $(2) 2>&1) || { echo "$$said"; exit 1; }
build = ninja -n -C $(1) $(2) | grep -q 'no work to do' || echo "building $(1) $(2)"; \
	said=$$(ninja -C $(1) $(2) 2>&1) || { echo "$$said"; exit 1; }
links = mkdir -p $(1)/bin && ln -sf ../opscope $(1)/bin/opscope && $(1)/bin/opscope links $(1)/bin

.PHONY: all demo test test-long conformance coverage bench fuzz lint format docs install install-files \
	uninstall deb clean board dependencies test-dependencies build-asan build-fuzz build-tsan
.NOTPARALLEL:

all: dependencies
	@$(call setup,build)
	@$(call build,build,opscope $(LIBRARIES))
	@$(call links,build)

demo: all
	@scripts/demo.sh

test: test-dependencies all build-asan build-fuzz
	@$(call build,build)
	@tests/run.py

test-long: test-dependencies all build-asan build-fuzz build-tsan
	@$(call build,build)
	-@scripts/install-dependencies.sh board
	@FUZZ_TOTAL=$(FUZZ_TOTAL) tests/run.py long

conformance: CHECKED = $(if $(SANITIZE),build-asan,build)
conformance: test-dependencies all
	@$(if $(SANITIZE),$(call setup,build-asan,$(SANITIZERS)))
	@$(call build,$(CHECKED),opscope)
	@$(call links,$(CHECKED))
	@$(call build,$(CHECKED),tests/program_run)
	@$(call build,$(CHECKED),tests/device_run)
	@tests/conformance.py --build $(CHECKED)

coverage:
	@scripts/install-dependencies.sh coverage
	@$(call setup,build-coverage,$(MEASURE))
	@$(call build,build-coverage)
	@$(call links,build-coverage)
	@scripts/coverage.py --only "$(E2E)" $(COVERAGE)

# What it measured is kept in BENCH: docs/formats/runs.md. The last one keeps nothing, and fails where
# its limit is not met, as may be on a busy machine.
bench: all
	@rm -f $(BENCH)
	@$(call build,build,bench/generate_c2)
	@$(call build,build,bench/generate_tt_logs)
	@bench/convert.py --rows $(ROWS) $(KEEP)
	@bench/timeline.py --rows $(ROWS) $(KEEP)
	@bench/page.py --rows $(ROWS) $(KEEP)
	@bench/questions.py --rows $(ROWS) $(KEEP)
	@bench/tt_report.py --rows $(ROWS) $(KEEP)
	@$(call build,build,bench/generate_chrome)
	@bench/chrome.py --bytes $$(($(ROWS) * 100)) $(KEEP)
	@bench/kineto.py --bytes $$(($(ROWS) * 56)) $(KEEP)
	@bench/sql.py --rows $(ROWS) $(KEEP)
	@$(call build,build,bench/generate_qaic)
	@bench/opstats.py --bytes $$(($(ROWS) * 100)) $(KEEP)
	@$(call build,build,bench/open_network)
	@bench/networks.py $(KEEP)
	@bench/compile.py $(KEEP)
	@$(call build,build,bench/record)
	@build/bench/record build/record.prof
	@bench/infer.py $(KEEP)
	@bench/capture.py

fuzz: test-dependencies build-fuzz
	@FUZZ_TOTAL=$(FUZZ_TOTAL) tests/fuzz.py

lint: test-dependencies
	@scripts/lint.sh

format: test-dependencies
	@find src include tests bench -name '*.[ch]' -exec clang-format -i {} +

docs: all
	@scripts/docs.py

# What is put where is written down, so that `make uninstall` removes that and nothing else.
install: all
	@stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && \
	$(MAKE) --no-print-directory install-files DESTDIR="$$stage" PREFIX="$(abspath $(PREFIX))" && \
	scripts/install-tree.sh put "$$stage" "$(DESTDIR)" "$(abspath $(PREFIX))"

uninstall:
	@scripts/install-tree.sh remove "$(DESTDIR)" "$(abspath $(PREFIX))"

# The same without that, for packages: everything below DESTDIR, nothing is built.
install-files: SHARE = $(DESTDIR)$(PREFIX)/share
install-files: LIB = $(DESTDIR)$(LIBDIR)
install-files:
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BUILD)/opscope "$(DESTDIR)$(PREFIX)/bin/opscope"
	"$(DESTDIR)$(PREFIX)/bin/opscope" links "$(DESTDIR)$(PREFIX)/bin"
	install -d "$(SHARE)/man/man1"
	$(BUILD)/opscope manual "$(SHARE)/man/man1"
	install -d "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" \
	    "$(SHARE)/fish/vendor_completions.d"
	$(BUILD)/opscope completion bash >"$(SHARE)/bash-completion/completions/opscope"
	$(BUILD)/opscope completion zsh >"$(SHARE)/zsh/site-functions/_opscope"
	$(BUILD)/opscope completion fish >"$(SHARE)/fish/vendor_completions.d/opscope.fish"
	for file in "$(DESTDIR)$(PREFIX)"/bin/*; do \
	    name=$${file##*/}; \
	    [ "$$(readlink "$$file")" = opscope ] || continue; \
	    ln -sf opscope "$(SHARE)/bash-completion/completions/$$name"; \
	    ln -sf opscope.fish "$(SHARE)/fish/vendor_completions.d/$$name.fish"; \
	done
	@$(call build,$(BUILD),$(LIBRARIES))
	install -d "$(LIB)/pkgconfig" "$(DESTDIR)$(PREFIX)/include/opscope"
	install -m 644 $(BUILD)/libopscope.a $(BUILD)/libopscope-record.a "$(LIB)"
	for package in opscope opscope-record opscope-session; do \
	    file=$$(basename "$$(readlink -f $(BUILD)/lib$$package.so)"); \
	    install -m 755 "$(BUILD)/$$file" "$(LIB)/$$file" || exit 1; \
	    ln -sf "$$file" "$(LIB)/$${file%.*.*}"; \
	    ln -sf "$$file" "$(LIB)/lib$$package.so"; \
	    sed -e 's|^prefix=.*|prefix=$(PREFIX)|' -e 's|^libdir=.*|libdir=$(LIBDIR)|' \
	        $(BUILD)/$$package.pc >"$(LIB)/pkgconfig/$$package.pc" || exit 1; \
	done
	install -m 644 include/opscope/*.h $(BUILD)/include/opscope/version.h \
	    "$(DESTDIR)$(PREFIX)/include/opscope"
	install -d "$(DESTDIR)$(PYTHONDIR)/opscope"
	install -m 644 python/opscope/*.py python/opscope/py.typed "$(DESTDIR)$(PYTHONDIR)/opscope"
	install -d "$(DESTDIR)$(PYTHONDIR)/qaic"
	install -m 644 python/qaic/__init__.py "$(DESTDIR)$(PYTHONDIR)/qaic/__init__.py"
	install -m 644 python/perfetto_api.py python/perfetto_logger.py "$(DESTDIR)$(PYTHONDIR)"
	install -m 644 python/opscope_pytest.py "$(DESTDIR)$(PYTHONDIR)/opscope_pytest.py"
	@site=$$($(PYTHON) -c '$(SITE)' 2>/dev/null); \
	if [ -n "$$site" ]; then \
	    install -d "$(DESTDIR)$$site" && echo "$(PYTHONDIR)" >"$(DESTDIR)$$site/opscope.pth"; \
	else \
	    echo "$(PYTHON) looks for no modules in $(PREFIX): export PYTHONPATH=$(PYTHONDIR)"; \
	fi

deb:
	@scripts/deb.sh

board:
	@scripts/install-dependencies.sh board
	@scripts/board/build.sh

clean:
	rm -rf build build-asan build-fuzz build-coverage build-aarch64 build-deb

dependencies:
	@scripts/install-dependencies.sh

test-dependencies:
	@scripts/install-dependencies.sh test

build-asan:
	@$(call setup,$@,$(SANITIZERS))
	@$(call build,$@)
	@$(call links,$@)

build-tsan:
	@$(call setup,$@,$(RACES))
	@$(call build,$@,opscope)
	@$(call links,$@)

build-fuzz:
	@export CC=clang; $(call setup,$@,$(SANITIZERS) -Dfuzz=true)
	@$(call build,$@,fuzz)
