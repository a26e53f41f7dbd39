# What `go` cannot say in one command. Nothing here needs more than Go and make
# (test-agents also needs npm and the network, to install the pinned agents).

PREFIX ?= $(HOME)/.local
BUILD  := CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'

.PHONY: demo test test-agents lint bench install

demo: ## the newcomer's first minute
	@go run ./internal/lab/demo

test: ## build, gofmt, vet here and for windows and darwin, all tests under the race detector
	go build ./...
	@fmt=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$fmt" || { echo "not gofmt-ed: $$fmt"; exit 1; }
	go vet ./...
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...
	go test -race ./...

test-agents: ## the real Claude Code, Codex and opencode on a scripted model
	go test -tags agents -count=1 -timeout 30m ./internal/lab/realagents

lint: ## staticcheck, in the version that .ci/lint.mod pins
	go tool -modfile=.ci/lint.mod staticcheck -tags agents ./...

bench: ## whole processes, as ratios; writes docs/evidence/benchmarks.md
	go run ./internal/lab/bench -o docs/evidence/benchmarks.md

install: ## both executables side by side in $(PREFIX)/bin
	@mkdir -p $(PREFIX)/bin bin
	$(BUILD) -o bin/ ./cmd/aburn ./cmd/aburn-hook
	@# Copied beside and renamed: a running agent never starts half a hook, and a copy starts faster than what the linker wrote.
	@for f in aburn aburn-hook; do cp bin/$$f $(PREFIX)/bin/.$$f.new && mv -f $(PREFIX)/bin/.$$f.new $(PREFIX)/bin/$$f || exit 1; done
	@echo "installed $(PREFIX)/bin/aburn and $(PREFIX)/bin/aburn-hook"
