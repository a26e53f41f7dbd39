# What `go` cannot say in one command. Nothing here needs more than Go and make
# (test-agents also needs npm and the network, to install the pinned agents; dist and test-packages install goreleaser).

PREFIX ?= $(HOME)/.local
MODULE := $(shell sed -n 's/^module //p' go.mod)
BUILD  := CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'

# Some tests wait rather than work, so two packages more than there are processors run at once.
# Linking a test without debug information takes half as long; traces have their lines all the same. `make vetted` vets.
GOTEST := go test -timeout 40m -vet=off -ldflags=-s -p $(shell expr 2 + `getconf _NPROCESSORS_ONLN`)

# Tests make and delete files by the hundred thousand. In memory, where there are 8 GB free and programs may run, that takes a fifth less of
# the processors: when ext4 without a journal makes a file, it passes over each inode that was deleted in the last minute.
MEMORY = $(shell ! grep -qs ' /dev/shm .*noexec' /proc/mounts && df -Pkt tmpfs /dev/shm 2>/dev/null | awk '$$4 > 8000000 { print $$6 }' | grep '^/')

# All packages but the root, whose test runs `go list`: what that says the test cache cannot see.
PACKAGES = $$(go list ./... | grep -vx '$(MODULE)')

# What starts goroutines, in its code or its tests: only there the race detector can find anything. The workshop
# (internal/lab) runs without it. So do the scripts of cmd/aburn: they start the command a thousand times, one by one.
RACED = $$(git ls-files -co --exclude-standard '*.go' | grep -v '^internal/lab/' | \
	xargs grep -lE '^[[:space:]]*go (func|[A-Za-z.]+)\(|\.Go\(|\.Parallel\(\)|httptest\.New' | sed -E 's,^[^/]+$$,./&,; s,/[^/]*$$,,; s,^,$(MODULE)/,' | sort -u)
UNRACED = $$(go list ./... | grep -vxF -e $(MODULE) $(WORKSHOP:%=-e %) $$(for p in $(RACED); do echo "-e $$p"; done) | $(LONGEST_FIRST))
# What takes longest begins first, so that nothing is left alone at the end.
LONGEST_FIRST := awk '/\/(coordinator|install|instrument|aburn-push|aburn-instrument|backtest|reportpage|manager|hold|demo|worker|tree)$$/ { print; next } { rest = rest " " $$0 } END { print rest }'
# A process under the race detector sleeps for a second before it exits, and tests start many: a twentieth is enough.
RACE := GORACE=atexit_sleep_ms=50 $(GOTEST) -race -skip '^TestScripts$$'

# Whole, these take long under the race detector, mostly where nothing is shared: they run whole without it, and small
# under it, but for what world.SlowUnraced marks.
LONG := aburn/instrument/coordinator aburn/cmd/aburn aburn/archive aburn/archive/ingest aburn/instrument aburn/attention \
	aburn/instrument/jsast aburn/internal/journal aburn/trace/claude aburn/worker/round
# Only their tests start goroutines, to wait for one result, to play a server, or to run what works alone side by side:
# they run without the race detector but in test-long.
ALONE := aburn/install aburn/internal/scrub aburn/internal/queue aburn/cmd/aburn-hook aburn/cmd/aburn-instrument/internal/commands aburn/hooks/codex \
	aburn/instrument/jsproject aburn/instrument/provider aburn/instrument/telemetry aburn/internal/fetch aburn/internal/mcpserver \
	aburn/internal/recent aburn/internal/settings aburn/supervisor/look aburn/trace/codex aburn/trace/export aburn/trace/own \
	aburn/worker/forge aburn/worker/tracker
# The workshop's own products: releases, benchmarks, copies under another module path. They compile and pack for minutes, so
# `make test` runs what is short of them, and `make judge` all.
WORKSHOP := aburn/internal/lab/bench aburn/internal/lab/module aburn/internal/lab/packaging
# Its tests wait for processes more than they work, so it runs beside all others, with more of them at once.
WAITING := aburn/cmd/aburn
RACED_WHOLE = $$(echo "$(RACED)" | grep -vxF $(LONG:%=-e %) $(ALONE:%=-e %) | $(LONGEST_FIRST))

LAYERS := go test -count=1 .
ELSEWHERE := GOOS=windows go vet ./... && GOOS=darwin go vet ./...

.PHONY: demo demo-workers demo-instrument quick test test-long test-clock prices-check test-agents drift test-packages test-windows wine-root lint vuln bench install npm dist vetted layers module test-npm test-cost test-workshop judge

demo: ## the newcomer's first minute; ALL=1 shows everything, without a pause
	@echo "Compiling the demo: it takes minutes the first time, seconds after that."
	@CGO_ENABLED=0 go run ./internal/lab/demo $(if $(ALL),-all)

demo-workers: ## three scripted workers: one finishes, one waits for you, two collide
	@CGO_ENABLED=0 go run ./internal/lab/demo -workers

demo-instrument: ## spans in a small shop service, by a recorded plan: diff, proof, and what its tests emit
	@go run ./internal/lab/demo -instrument

quick: ## a minute: format, vet, and all tests but what works long, with small storms and no race detector
	@{ $(MAKE) -s vetted && go test -short -count=1 .; } & rest=$$!; $(GOTEST) -short $(PACKAGES); code=$$?; wait $$rest && exit $$code

test: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)
test: vetted ## all tests, those of what starts goroutines under the race detector
	@$(GOTEST) -parallel 4 $(WAITING) & waiting=$$!; { go build ./cmd/... && $(LAYERS) && $(ELSEWHERE); } & checks=$$!; \
	$(GOTEST) $(filter-out $(WAITING),$(LONG)) $(ALONE) $(UNRACED) && $(GOTEST) -short $(WORKSHOP) && $(RACE) $(RACED_WHOLE) && $(RACE) -short $(LONG); code=$$?; \
	wait $$checks || code=1; wait $$waiting || code=1; exit $$code

test-long: export ABURN_STORM ?= 10
test-long: ## what is random ten times as long, or ABURN_STORM times, under the race detector too; each fuzzer for as many seconds
	$(GOTEST) -timeout 60m $(PACKAGES)
	$(RACE) -timeout 120m $(RACED)
	ABURN_STORM=$$((ABURN_STORM * 10)) go test -count=1 -timeout 180m -run TestNothingOfOthersIsLost ./history/undo
	git grep -E '^func Fuzz' -- '*_test.go' | sed -E 's,^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]*).*,\1 \2,' | while read -r dir name; do \
		go test -run '^$$' -fuzz "^$$name$$" -fuzztime "$${ABURN_STORM}s" "./$$dir" || exit 1; done
	ABURN_MODULE=quick go test -count=1 -timeout 60m ./internal/lab/module
	ABURN_STORM=1 $(MAKE) -s test-clock

test-clock: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)
test-clock: ## all tests as if today were 8, 40 or 400 days ahead, a 29 February at midnight, or the day of a clock change; CLOCK=8d,spring for some
	go run ./internal/lab/clock $(CLOCK:%=-at %) -- $(CLOCK_FLAGS) -timeout 25m -ldflags=-s $(PACKAGES)

vetted: # is gofmt-ed, and vetted
	@fmt=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$fmt" || { echo "not gofmt-ed: $$fmt"; exit 1; }
	go vet ./...

layers: # who imports whom
	$(LAYERS)

# Clients that are not ours have races of their own, and a busy machine finds them. At most three of some 180 tests get a second try, which says so.
GOTESTSUM = go run gotest.tools/gotestsum@v1.13.0

prices-check: ## models that the installed claude and codex name, or PROGRAMS, and that have no price
	go run ./internal/lab/pricecheck $(PROGRAMS)

# Clients that are not ours have races of their own, and a busy machine finds them: at most three failed tests run once more, and are named.
test-agents: ## the seven real agents on a scripted model
	@if $(GOTESTSUM) --version >/dev/null; then $(GOTESTSUM) --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=3 \
		--packages ./internal/lab/realagents -- -tags agents -count=1 -timeout 45m; \
	else echo "gotestsum can't be fetched: no test gets a second try"; go test -tags agents -count=1 -timeout 45m ./internal/lab/realagents; fi

drift: ## the newest clients that npm has, on standard scenes; prints what their records have that aburn does not know
	ABURN_AGENTS_NEWEST=1 go test -tags agents -count=1 -timeout 45m \
		-run '^(TestMatrix|TestClaudeStore|TestCodexStoreWhileWritten|TestOpencodeHooks|TestNodeAgentsRecorded|TestCopilot)$$' ./internal/lab/realagents

test-workshop: ## releases, benchmarks and module paths: what compiles and packs for minutes
	$(GOTEST) $(WORKSHOP)

test-npm: ## what instruments JavaScript, on TypeScript, ESLint, Prettier, test runners and projects of others; needs npm and the network
	ABURN_TYPESCRIPT=1 go test -count=1 -run 'Type' ./instrument/edit ./instrument/jsast ./cmd/aburn-instrument
	ABURN_FOREIGN=few go test -count=1 -run TestForeignProjects ./cmd/aburn-instrument
	ABURN_LINTERS=few go test -count=1 -run TestLintersOfNpm ./instrument
	ABURN_RUNNERS=few go test -count=1 -run TestRunners ./instrument/record

test-cost: ## every sum that aburn cost shows, against the truth of two homes of 200 MB
	ABURN_STORM=13 go test -count=1 -run TestCostIsTheTruth ./cmd/aburn

judge: ## what .ci/run runs: what judges a change
	$(MAKE) -s test
	$(MAKE) -s test-workshop
	$(MAKE) -s test-cost
	$(MAKE) -s test-agents
	$(MAKE) -s test-npm
	@# goreleaser takes minutes to compile, so only a machine that has it tests deb, rpm and apk. `make test-packages` installs it.
	if [ -x "$(GORELEASER)" ]; then ABURN_GORELEASER="$(GORELEASER)" go test -count=1 -run TestPackages ./internal/lab/packaging; fi

# Wine 10 or newer, of this machine or in a Debian 13 root here. WINE_TESTS is a regular expression of tests to run.
export WINE_ROOT ?= $(HOME)/.cache/aburn/wine

test-windows: ## tests and a person's walk as Windows executables under Wine 10 or newer; skips without it
	internal/lab/windows/run.sh $(WINE_TESTS)

wine-root: ## makes that root, with debootstrap, as root: 1.4 GB, about 5 minutes
	internal/lab/windows/run.sh root

# It makes the releases, and is installed once. Releases pin it: 2.17 and later need modules or a Go that are not to be had everywhere.
GORELEASER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/aburn-packages/goreleaser-v2.16.0

$(GORELEASER):
	@mkdir -p $(@D)
	GOTOOLCHAIN=local GOFLAGS= GOBIN=$(@D)/new go install github.com/goreleaser/goreleaser/v2@v2.16.0
	mv $(@D)/new/goreleaser $@

test-packages: $(GORELEASER) ## the packages of the last commit and of the one before, installed into empty roots; needs root, npm, dpkg, rpm
	for f in action.yml instrument/action.yml; do npx --yes -p @action-validator/core@0.6.0 -p @action-validator/cli@0.6.0 action-validator $$f || exit 1; done # by GitHub's schema
	ABURN_GORELEASER=$(GORELEASER) ABURN_ALL_TARGETS=1 go test -count=1 -timeout 45m ./internal/lab/packaging

lint: ## staticcheck and actionlint, in the versions that .ci/lint.mod pins
	go tool -modfile=.ci/lint.mod staticcheck -tags agents ./...
	go tool -modfile=.ci/lint.mod actionlint

module: ## gives this module another path in all files: make module MODULE=github.com/OWNER/aburn
	@go run ./internal/lab/module $(MODULE)

vuln: ## known vulnerabilities in what the executables call, by a pinned govulncheck; error 75 if its database cannot be reached
	.ci/vuln

bench: ## whole processes, as ratios; writes docs/evidence/benchmarks.md
	go run ./internal/lab/bench -o docs/evidence/benchmarks.md

# The executables, each a folder of cmd. They look for one another in their own folder.
EXECUTABLES := aburn aburn-hook aburn-hold aburn-instrument aburn-push

install: ## all executables side by side in $(PREFIX)/bin
	@mkdir -p $(PREFIX)/bin bin
	$(BUILD) -o bin/ $(EXECUTABLES:%=./cmd/%)
	@# Copied beside and renamed: a running agent never starts half a hook, and a copy starts faster than what the linker wrote.
	@for f in $(EXECUTABLES); do cp bin/$$f $(PREFIX)/bin/.$$f.new && mv -f $(PREFIX)/bin/.$$f.new $(PREFIX)/bin/$$f || exit 1; done
	@echo "installed $(EXECUTABLES) in $(PREFIX)/bin"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "that folder is not on your PATH: export PATH=\"$(PREFIX)/bin:\$$PATH\"" ;; esac

npm: ## the npm packages of this machine, in dist/: npm install -g ./dist/*.tgz
	@rm -f dist/*.tgz
	go run ./internal/lab/packaging npm -targets $$(go env GOOS)/$$(go env GOARCH) -o dist

dist: $(GORELEASER) ## archives of six targets, deb, rpm and apk of the last commit in dist/, by goreleaser; VERSION=v1.2.3 names them
	ABURN_VERSION=$${VERSION:-$$(go run ./internal/lab/packaging version)} $(GORELEASER) release --snapshot --clean --skip=sign,publish
