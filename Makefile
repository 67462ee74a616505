# MemX. `make` builds the extension, `make help` lists the rest. GNU make.
#
# What may be set on the command line:
#   CC, CFLAGS, CPPFLAGS, LDFLAGS   as everywhere; CFLAGS defaults to -O2 -g
#   WERROR=                         warnings of a compiler we have not tried are no errors then
#   XGBOOST_CFLAGS, XGBOOST_LIBS    where XGBoost stands, when pkg-config does not know
#   SQLITE3                         the sqlite3 shell
#   TESTS                           names of tests, or their beginnings
#   BUILD                           the directory of everything made (build)
#   PREFIX, LIBDIR, DESTDIR         where `make install` puts it (/usr/local, PREFIX/lib, nothing)
#   CLANG_FORMAT, CLANG_TIDY        those of `make lint`, as clang-tidy-14
#   CLANG, FUZZ_SECONDS             the compiler and the time of `make fuzz`
#   V=1                             shows the commands

VERSION := 0.1.0

BUILD ?= build
CFLAGS ?= -O2 -g
SQLITE3 ?= sqlite3
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
CLANG ?= clang
FUZZ_SECONDS ?= 600
WERROR ?= -Werror
Q := $(if $(V),,@)

# --- Platform -----------------------------------------------------------------------------------

ifeq ($(shell uname -s),Darwin)
SO := dylib
EXPORTS = -Wl,-exported_symbol,_sqlite3_memx_init
else
SO := so
EXPORTS = -Wl,--version-script=$(BUILD)/gen/memx.map $(if $(SAN),,-Wl,--no-undefined)
endif

# `make asan` and `make reliability` set SAN. The host must then have the sanitizer's library loaded before all else,
# and the C++ library with it: the sanitizer looks for its functions only once, at the start.
ifdef SAN
SANITIZE := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
PRELOAD = env LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so):libstdc++.so.6
endif
ASAN := SAN=address,undefined BUILD=$(BUILD)-asan CFLAGS='-O1 -g'
TSAN := SAN=thread BUILD=$(BUILD)-tsan CFLAGS='-O1 -g'

# --- Flags --------------------------------------------------------------------------------------

# Asked of pkg-config once, and only when something is compiled: it may have been installed just now.
once = $(eval $(1) := $(2))$($(1))
XGBOOST_CFLAGS ?= $(call once,XGBOOST_CFLAGS,$(shell pkg-config --cflags xgboost 2>/dev/null))
XGBOOST_LIBS ?= $(call once,XGBOOST_LIBS,$(shell pkg-config --libs xgboost 2>/dev/null || echo -lxgboost))
CMOCKA_LIBS ?= $(call once,CMOCKA_LIBS,$(shell pkg-config --libs cmocka 2>/dev/null || echo -lcmocka))
SQLITE_LIBS ?= $(call once,SQLITE_LIBS,$(shell pkg-config --libs sqlite3 2>/dev/null || echo -lsqlite3))
HEADERS_CFLAGS = $(call once,HEADERS_CFLAGS,$(shell \
  for p in sqlite3 libxxhash cmocka; do pkg-config --cflags $$p; done 2>/dev/null))

COMMIT := $(shell [ -e .git ] && git describe --tags --always --dirty 2>/dev/null || echo unknown)

# -ffp-contract=off: no fused multiply-add, so that numbers are the same on every machine.
OUR_CFLAGS := -std=c11 -fPIC -fvisibility=hidden -ffp-contract=off \
  -Wall -Wextra -Wshadow -Wconversion $(WERROR) $(SANITIZE)
OUR_CPPFLAGS := -Iext -I$(BUILD)/gen -DMEMX_VERSION='"$(VERSION)"'
FLAGS = $(OUR_CPPFLAGS) -DMEMX_COMMIT='"$(COMMIT)"' $(XGBOOST_CFLAGS) $(HEADERS_CFLAGS) \
  $(CPPFLAGS) $(OUR_CFLAGS)
COMPILE = $(CC) $(FLAGS) $(CFLAGS)

# --- Files --------------------------------------------------------------------------------------

SOURCES := $(wildcard ext/*.c ext/core/*.c ext/predict/*.c ext/sql/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
# What a test program is linked with: all that knows no SQLite.
PLAIN := $(filter $(BUILD)/ext/core/% $(BUILD)/ext/predict/%,$(OBJECTS))
SCHEMA := $(addsuffix .sql,tables devices models frameworks spaces views \
  $(addprefix profiling/,profile sweeps sensitivity linearity augmented measure) \
  $(addprefix readers/,megatron_log megatron_log_gpus hf_config nodes) \
  $(addprefix report/,job picks top_ten cloud front front_large recompute why runs)) report/style.css
FIXTURES := $(sort $(wildcard fixtures/*.sql))
TEST_SOURCES := $(wildcard tests/core/*_test.c tests/predict/*_test.c tests/property/*_test.c)
TEST_PROGRAMS := $(TEST_SOURCES:%.c=$(BUILD)/%)
# Helpers that test programs share.
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
# Learns without the analytic model, for `make accuracy`.
ABLATION := $(BUILD)/tests/accuracy/ablation
# Hosts that hold the whole library, for `make reliability` and `make fuzz`.
FAULTS := $(BUILD)/tests/reliability/faults
THREADS := $(BUILD)/tests/reliability/threads
FUZZ := $(BUILD)/tests/fuzz/fuzz
HARSH := $(FAULTS) $(THREADS) $(FUZZ)
# The generator of synthetic measurements; it shares nothing with what it judges.
TESTBED_SOURCES := $(wildcard fixtures/*.c)
TESTBED := $(BUILD)/testbed
MEMX := $(BUILD)/memx.$(SO)
GENERATED := $(BUILD)/gen/schema.h

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps demo testbed test asan reliability harsh slurm-test fuzz fuzzer bench growth accuracy \
  evaluation lint lint-all lint-format lint-tidy lint-cppcheck lint-shell install uninstall clean help FORCE

all: $(MEMX) ## Build the extension, build/memx.so, and ./memx.so as a link to it
ifeq ($(BUILD),build)
all: memx.$(SO)
memx.$(SO): $(MEMX)
	$(Q)ln -sf $< $@
endif

# --- The extension ------------------------------------------------------------------------------

$(MEMX): $(OBJECTS) $(BUILD)/gen/memx.map $(BUILD)/gen/files
	@echo "  LINK $@"
	$(Q)$(CC) -shared $(EXPORTS) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJECTS) $(XGBOOST_LIBS) -lm

$(BUILD)/%.o: %.c $(BUILD)/gen/flags | $(GENERATED) $(BUILD)/deps-build
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# The commit is told only to those who ask, or every commit would compile everything again.
$(patsubst %.c,$(BUILD)/%.o,$(shell grep -ls MEMX_COMMIT $(SOURCES) /dev/null)): $(BUILD)/gen/commit

# Other flags, another commit, or a file that is gone since the last time: made again.
$(BUILD)/gen/flags: NOW = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS)
$(BUILD)/gen/commit: NOW = $(COMMIT)
$(BUILD)/gen/files: NOW = $(SOURCES) $(FIXTURES)
$(BUILD)/gen/flags $(BUILD)/gen/commit $(BUILD)/gen/files: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(NOW))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(NOW))' >$@

$(BUILD)/gen/memx.map: Makefile
	@mkdir -p $(@D)
	@echo '{ global: sqlite3_memx_init; local: *; };' >$@

# schema/tables.sql becomes `static const char memx_sql_tables[]`, schema/report/style.css memx_css_style,
# and so on. `?` is escaped because C11 has trigraphs; a file may use only some of them.
$(BUILD)/gen/schema.h: $(SCHEMA:%=schema/%) Makefile
	@mkdir -p $(@D)
	@echo "  GEN  $@"
	@{ echo '/* Made by the Makefile from schema/. */'; \
	  for file in $(SCHEMA); do \
	    name=$${file##*/}; kind=$${name##*.}; \
	    echo; echo "static const char memx_$${kind}_$${name%.*}[] ="; \
	    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/    "/' -e 's/$$/\\n"/' \
	      "schema/$$file"; \
	    echo '    "";'; \
	  done; } >$@

# --- Dependencies -------------------------------------------------------------------------------

RUN_DEPS = CC='$(CC)' CFLAGS='$(CFLAGS) $(CPPFLAGS) $(LDFLAGS)' SQLITE3='$(SQLITE3)' \
  XGBOOST_CFLAGS='$(XGBOOST_CFLAGS)' XGBOOST_LIBS='$(XGBOOST_LIBS)' \
  CLANG_FORMAT='$(CLANG_FORMAT)' CLANG_TIDY='$(CLANG_TIDY)' .ci/deps

deps: ## Install what is missing (apt-get), or say how to
	@$(RUN_DEPS) test
	@$(RUN_DEPS) hosts

# One after the other, since two apt-get at once would collide.
$(BUILD)/deps-lint: | $(BUILD)/deps-test
$(BUILD)/deps-hosts: | $(BUILD)/deps-test
$(BUILD)/deps-test: | $(BUILD)/deps-demo
$(BUILD)/deps-demo: | $(BUILD)/deps-build
$(BUILD)/deps-%: .ci/deps
	@mkdir -p $(@D)
	@$(RUN_DEPS) $*
	@touch $@

# --- The demo database --------------------------------------------------------------------------

SHELL_MEMX = $(PRELOAD) $(SQLITE3) -batch -bail -init /dev/null -cmd '.load ./$(BUILD)/memx'

$(BUILD)/demo.db: $(MEMX) $(FIXTURES) $(BUILD)/gen/files | $(BUILD)/deps-demo
	@echo "  DB   $@"
	@rm -f $@ $@.new*
	$(Q)$(SHELL_MEMX) $@.new 'SELECT memx_init()' >/dev/null
	$(Q)for f in $(FIXTURES); do \
	  $(SHELL_MEMX) $@.new <$$f >/dev/null || { echo "$$f does not load" >&2; exit 1; }; \
	done
	$(Q)$(SHELL_MEMX) $@.new 'SELECT memx_views()' >/dev/null
	@mv $@.new $@

demo: all $(BUILD)/demo.db ## Make build/demo.db and search it for the best configurations of mix20
	@for q in top_ten explain_pick; do \
	  echo; sed -n '/^--/!q;s/^-- *//p' queries/$$q.sql; echo; \
	  $(SHELL_MEMX) -cmd '.mode column --wrap 0' $(BUILD)/demo.db <queries/$$q.sql; \
	done
	@echo
	@echo "Go on in this database:"
	@echo "  $(SQLITE3) -box $(BUILD)/demo.db"
	@echo "  sqlite> .load ./memx"
	@echo "  sqlite> .read queries/best.sql"
	@echo "queries/ has more of them; README.md shows how to search for your own cluster and model."

# --- Synthetic measurements ---------------------------------------------------------------------

testbed: $(TESTBED) ## Build build/testbed, which prints synthetic measurements of mix20 and lab6

$(TESTBED): $(TESTBED_SOURCES:%.c=$(BUILD)/%.o)
	@echo "  LINK $@"
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

# --- Tests and measurements ---------------------------------------------------------------------

# What a host brings beside packages of the system; sanitizers do not look into it.
NPM := $(if $(SAN),,$(BUILD)/hosts/npm.log)
$(BUILD)/hosts/npm.log: tests/hosts/package.json tests/hosts/npm.sh
	$(Q)tests/hosts/npm.sh $(@D)
	@touch $@

test: all $(BUILD)/demo.db $(TESTBED) $(TEST_PROGRAMS) $(HARSH) | $(BUILD)/deps-hosts $(NPM) ## Run every test, or those named by TESTS='sql/views core'
	@BUILD='$(BUILD)' SQLITE3='$(SQLITE3)' PRELOAD='$(PRELOAD)' tests/run.sh $(TESTS)

asan: ## Run every test with the address and undefined-behaviour sanitizers, in build-asan/
	@$(MAKE) --no-print-directory $(ASAN) test

$(BUILD)/tests/%.o: private OUR_CPPFLAGS += -Itests
$(TEST_PROGRAMS:=.o) $(TEST_SUPPORT) $(ABLATION).o $(HARSH:=.o): | $(BUILD)/deps-test
$(TEST_PROGRAMS): %: %.o $(TEST_SUPPORT) $(PLAIN)
	@echo "  LINK $@"
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CMOCKA_LIBS) $(XGBOOST_LIBS) -lm

$(ABLATION): %: %.o $(PLAIN)
	@echo "  LINK $@"
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(XGBOOST_LIBS) -lm

# What fails in the faulty host is what the library's objects call.
$(FAULTS): private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
$(HARSH): %: %.o $(OBJECTS)
	@echo "  LINK $@"
	$(Q)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SQLITE_LIBS) $(XGBOOST_LIBS) -lm

# They run without sanitizers in every `make test`; here with them, and for longer.
reliability: all $(HARSH) $(BUILD)/demo.db ## Faults, fuzzing, threads and kills, with sanitizers: name, value, unit, note
	$(Q)$(MAKE) --no-print-directory $(ASAN) harsh
	$(Q)$(MAKE) --no-print-directory $(TSAN) harsh
	@BUILD='$(BUILD)' SQLITE3='$(SQLITE3)' tests/reliability.sh
harsh: $(HARSH)

slurm-test: all $(BUILD)/demo.db ## A job array on a Slurm that is started for it, as root: name, value, unit, note
	@BUILD='$(BUILD)' tests/slurm.sh

# Until FUZZ_SECONDS are over (600). What it finds new stays in build-fuzz/corpus.
fuzz: $(BUILD)/demo.db ## Fuzz with clang's libFuzzer for FUZZ_SECONDS=600
	$(Q)$(MAKE) --no-print-directory CC='$(CLANG)' SAN=fuzzer-no-link,address,undefined BUILD=$(BUILD)-fuzz \
	  CFLAGS='-O1 -g -DLIBFUZZER' WERROR= fuzzer
	@BUILD='$(BUILD)-fuzz' tests/fuzz.sh $(FUZZ_SECONDS)

fuzzer: $(FUZZ).o $(OBJECTS)
	@echo "  LINK $(FUZZ)"
	$(Q)$(CC) $(SANITIZE) -fsanitize=fuzzer $(CFLAGS) $(LDFLAGS) -o $(FUZZ) $^ $(SQLITE_LIBS) $(XGBOOST_LIBS) -lm

bench: ## Time it: name, value, unit, note
growth: ## Time the search on 64 to 16,384 accelerators: name, value, unit, note
accuracy: ## Compare predictions with published measurements
accuracy: $(ABLATION)
evaluation: ## Compare the other planners' own choices with MemX's
bench growth accuracy evaluation: all $(TESTBED) $(BUILD)/demo.db | $(BUILD)/deps-test
	@BUILD='$(BUILD)' SQLITE3='$(PRELOAD) $(SQLITE3)' tests/$@.sh

# --- Lint ---------------------------------------------------------------------------------------

lint: ## Look for mistakes without running anything: clang-format, clang-tidy, cppcheck, shellcheck
	@$(MAKE) --no-print-directory -k \
	  $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN)) lint-all
lint-all: lint-format lint-tidy lint-cppcheck lint-shell

# Exit code 77: another version than the layout was made with.
lint-format: | $(BUILD)/deps-lint
	@echo "  LINT clang-format"
	$(Q)CLANG_FORMAT='$(CLANG_FORMAT)' tests/lint/format.sh || [ $$? = 77 ]

# A file is looked at again when it, a header or what is looked for has changed.
TIDY := $(patsubst %.c,$(BUILD)/lint/%.tidy,$(SOURCES) $(TESTBED_SOURCES) $(wildcard tests/*/*.c))
# Tests recurse, multiply small numbers, trust their own texts, and draw sizes at random that the
# analyzer takes to be 0; `make asan` watches over them.
TIDY_TESTS := '--checks=-clang-analyzer-*,-clang-diagnostic-enum-float-conversion,$\
  -bugprone-implicit-widening-of-multiplication-result,-bugprone-inc-dec-in-conditions,$\
  -bugprone-integer-division,-bugprone-misplaced-widening-cast,-bugprone-reserved-identifier,$\
  -bugprone-suspicious-realloc-usage,-bugprone-unchecked-string-to-number-conversion,$\
  -cert-dcl37-c,-cert-dcl51-cpp,-cert-err34-c,-misc-no-recursion'
lint-tidy: $(TIDY)
$(BUILD)/lint/tests/%.tidy: private OUR_CPPFLAGS += -Itests
$(BUILD)/lint/tests/%.tidy: TIDY_CHECKS = $(TIDY_TESTS)
$(BUILD)/lint/%.tidy: %.c $(wildcard ext/*/*.h fixtures/*.h tests/*/*.h) .clang-tidy Makefile $(BUILD)/gen/flags \
    | $(GENERATED) $(BUILD)/deps-lint
	@mkdir -p $(@D)
	@echo "  TIDY $<"
	$(Q)$(CLANG_TIDY) --quiet $(TIDY_CHECKS) $< -- $(FLAGS) -Wno-error >$@ 2>&1 || { cat $@; exit 1; }

# It too takes sizes that tests draw at random to be 0.
lint-cppcheck: $(GENERATED) | $(BUILD)/deps-lint
	@echo "  LINT cppcheck"
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	  --suppress='negativeIndex:tests/*' --suppress='uninitvar:tests/*' --error-exitcode=1 \
	  -DMEMX_COMMIT='""' $(OUR_CPPFLAGS) -Itests ext fixtures tests

# SC2046: what pkg-config says is several words. SC2254: a pattern in a variable is meant as one.
# SC2034: some loops only count. SC2010: names of ours are plain.
lint-shell: | $(BUILD)/deps-lint
	@echo "  LINT shellcheck"
	$(Q)shellcheck --severity=warning --exclude=SC2046,SC2254,SC2034,SC2010 \
	  .ci/deps .ci/run $(wildcard tests/*.sh tests/*/*.sh queries/*/*.sh)

# --- Installing ---------------------------------------------------------------------------------

# What only SQLite loads stands in sqlite3/ of the library directory, as Debian has it.
INSTALL_LIB = $(DESTDIR)$(LIBDIR)/sqlite3
INSTALL_PC = $(DESTDIR)$(LIBDIR)/pkgconfig
INSTALL_SHARE = $(DESTDIR)$(PREFIX)/share/memx
INSTALL_DOC = $(DESTDIR)$(PREFIX)/share/doc/memx

install: $(MEMX) ## Install it under PREFIX, /usr/local, where `pkg-config --variable=extension memx` finds it
	@echo "  INSTALL $(INSTALL_LIB)/memx.$(SO)"
	$(Q)install -d '$(INSTALL_LIB)' '$(INSTALL_PC)' '$(INSTALL_SHARE)/queries' '$(INSTALL_DOC)'
	$(Q)install -m 755 $(MEMX) '$(INSTALL_LIB)/memx.$(SO)'
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR:$(PREFIX)/%=$${prefix}/%)' \
	  'extension=$${libdir}/sqlite3/memx.$(SO)' 'queries=$${prefix}/share/memx/queries' '' \
	  'Name: MemX' 'Description: Search for parallel-training configurations in SQLite' \
	  'Version: $(VERSION)' >'$(INSTALL_PC)/memx.pc'
	$(Q)chmod 644 '$(INSTALL_PC)/memx.pc'
	$(Q)(cd queries && find . -name '*.sql' -o -name '*.sh') | while read -r file; do \
	  install -d '$(INSTALL_SHARE)'/queries/"$$(dirname "$$file")"; \
	  install -m "$$(case $$file in *.sh) echo 755 ;; *) echo 644 ;; esac)" "queries/$$file" '$(INSTALL_SHARE)'/queries/"$$file" || exit 1; \
	done
	$(Q)install -m 644 README.md LICENSE '$(INSTALL_DOC)'

# With the directories that are ours, and those that only we used.
uninstall: ## Remove what `make install` installed, with the same PREFIX, LIBDIR and DESTDIR
	$(Q)rm -f '$(INSTALL_LIB)/memx.$(SO)' '$(INSTALL_PC)/memx.pc'
	$(Q)rm -rf '$(INSTALL_SHARE)' '$(INSTALL_DOC)'
	$(Q)rmdir '$(INSTALL_LIB)' '$(INSTALL_PC)' 2>/dev/null || true

clean: ## Remove everything made
	rm -rf build build-asan build-tsan build-fuzz memx.$(SO)

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
	  while IFS='|' read -r target text; do printf '%-20s %s\n' "$$target" "$$text"; done

-include $(OBJECTS:.o=.d) $(TESTBED_SOURCES:%.c=$(BUILD)/%.d) $(TEST_PROGRAMS:=.d) $(TEST_SUPPORT:.o=.d) \
  $(ABLATION).d $(HARSH:=.d)
