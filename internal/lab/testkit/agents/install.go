// Package agents installs pinned versions of the real agents into a cache folder, and
// confines their runs to loopback. A run inherits nothing of the caller's environment, home or credentials. It knows
// nothing of aburn.
package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The versions under test. All facts about the clients were verified with exactly these.
const (
	ClaudeVersion   = "2.1.329"
	CodexVersion    = "0.169.0"
	OpencodeVersion = "1.18.33"
	CopilotVersion  = "1.0.102"
)

// Client is an installed agent.
type Client struct {
	Name, Version string
	Path          string // of the executable, which needs no Node of the machine
}

// CacheDir is $ABURN_AGENT_CACHE, else aburn-agents in the user's cache folder. It grows to about 1.8 GB.
func CacheDir() (string, error) {
	if dir := os.Getenv("ABURN_AGENT_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "aburn-agents"), nil
}

// pin says which npm packages make a client and where its executable lies in node_modules.
type pin struct {
	name, version string
	packages      []string
	executable    string // a glob
	launch        string // the script at executable, where the client is one; "" if npm brings it
}

// pins are exact. Under an old Node, npm would choose an older main version of Claude Code unless the version is
// exact, and silently leave out optional packages. So its native package is named beside the main one.
func pins(ctx context.Context) (claude, codex pin, err error) {
	platform, err := npmPlatform()
	if err != nil {
		return claude, codex, err
	}
	claudeVersion, codexVersion := wanted(ctx, "@anthropic-ai/claude-code", ClaudeVersion), wanted(ctx, "@openai/codex", CodexVersion)
	claude = pin{name: "claude-code", version: claudeVersion,
		packages:   []string{"@anthropic-ai/claude-code@" + claudeVersion, "@anthropic-ai/claude-code-" + platform + "@" + claudeVersion},
		executable: "@anthropic-ai/claude-code-" + platform + "/claude"}
	codex = pin{name: "codex", version: codexVersion, packages: []string{"@openai/codex@" + codexVersion},
		executable: "@openai/codex-" + platform + "/vendor/*/bin/codex"}
	return claude, codex, nil
}

// NewestVar asks for the newest clients that npm has, instead of the pinned ones.
const NewestVar = "ABURN_AGENTS_NEWEST"

// wanted is the version of a package to install. Without an answer of npm it is the pinned one.
func wanted(ctx context.Context, module, pinned string) string {
	if os.Getenv(NewestVar) == "" {
		return pinned
	}
	out, err := exec.CommandContext(ctx, "npm", "view", module, "version").Output()
	if version := strings.TrimSpace(string(out)); err == nil && version != "" {
		return version
	}
	return pinned
}

// npmPlatform is how npm packages of native executables name this machine.
func npmPlatform() (string, error) {
	arch, ok := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if !ok || (runtime.GOOS != "linux" && runtime.GOOS != "darwin") {
		return "", fmt.Errorf("no pinned agents for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return runtime.GOOS + "-" + arch, nil
}

// InstallOpencode makes sure that opencode is in the cache and runs. Only the native package is asked for: the main
// one, opencode-ai, is a launcher that would bring the executables of four kinds of machines.
func InstallOpencode(ctx context.Context, cache string) (Client, error) {
	platform, err := npmPlatform()
	if err != nil {
		return Client{}, err
	}
	native := "opencode-" + platform
	version := wanted(ctx, native, OpencodeVersion)
	return pin{name: "opencode", version: version, packages: []string{native + "@" + version}, executable: native + "/bin/opencode"}.install(ctx,
		cache)
}

// InstallCopilot makes sure that the Copilot CLI is in the cache and runs. Only the native package is asked for.
func InstallCopilot(ctx context.Context, cache string) (Client, error) {
	platform, err := npmPlatform()
	if err != nil {
		return Client{}, err
	}
	native := "@github/copilot-" + platform
	version := wanted(ctx, native, CopilotVersion)
	return pin{name: "copilot", version: version, packages: []string{native + "@" + version}, executable: native + "/copilot"}.install(ctx, cache)
}

// Install makes sure that Claude Code and Codex are in the cache and run. It reuses an existing installation.
func Install(ctx context.Context, cache string) (claude, codex Client, err error) {
	claudePin, codexPin, err := pins(ctx)
	if err != nil {
		return claude, codex, err
	}
	if claude, err = claudePin.install(ctx, cache); err != nil {
		return claude, codex, err
	}
	codex, err = codexPin.install(ctx, cache)
	return claude, codex, err
}

func (p pin) install(ctx context.Context, cache string) (Client, error) {
	dir := filepath.Join(cache, p.name+"-"+p.version)
	if client, err := p.find(ctx, dir); err == nil {
		return client, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return Client{}, fmt.Errorf("install %s %s: npm is not on PATH (it is needed once; or fill %s yourself)", p.name, p.version, dir)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return Client{}, err
	}
	temp, err := os.MkdirTemp(cache, ".install-")
	if err != nil {
		return Client{}, err
	}
	defer os.RemoveAll(temp)
	// No scripts: they only link the native executable, which is started by its own path here.
	args := append([]string{"install", "--prefix", temp, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"}, p.packages...)
	if out, err := exec.CommandContext(ctx, npm, args...).CombinedOutput(); err != nil {
		return Client{}, fmt.Errorf("npm install %s: %w\n%s", strings.Join(p.packages, " "), err, out)
	}
	if err := p.addLauncher(temp); err != nil {
		return Client{}, err
	}
	if _, err := p.find(ctx, temp); err != nil {
		return Client{}, err
	}
	// Two test runs may both install: the loser finds the winner's folder in place, which is as good. A broken older
	// one goes.
	if _, err := p.find(ctx, dir); err != nil {
		os.RemoveAll(dir)
	}
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return Client{}, err
	}
	return p.find(ctx, dir)
}

// find runs what is installed in dir; another version than the pinned one is an error.
func (p pin) find(ctx context.Context, dir string) (Client, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "node_modules", p.executable))
	if err != nil || len(paths) != 1 {
		return Client{}, fmt.Errorf("find %s in %s: %d executables at %s", p.name, dir, len(paths), p.executable)
	}
	if err := os.Chmod(paths[0], 0o755); err != nil { // npm does that only for what a package names as its bin
		return Client{}, err
	}
	home, err := os.MkdirTemp("", "aburn-version-")
	if err != nil {
		return Client{}, err
	}
	defer os.RemoveAll(home)
	command := exec.CommandContext(ctx, paths[0], "--version")
	command.Env = Env(home, "")
	out, err := command.Output()
	if err != nil {
		return Client{}, fmt.Errorf("run %s --version: %w", paths[0], err)
	}
	if !strings.Contains(string(out), p.version) {
		return Client{}, fmt.Errorf("run %s --version: %q, want %s", paths[0], strings.TrimSpace(string(out)), p.version)
	}
	return Client{Name: p.name, Version: p.version, Path: paths[0]}, nil
}
