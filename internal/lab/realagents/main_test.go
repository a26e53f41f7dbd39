//go:build agents

package realagents

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/agents"
	lab "aburn/internal/lab/world"
)

// What prepare made stands in the environment, because the tests run in a second process, inside the namespace.
const (
	workVar     = "ABURN_AGENTS_WORK"   // folder of this run: bin/, one folder a case
	claudeVar   = "ABURN_AGENTS_CLAUDE" // executables of the agents
	codexVar    = "ABURN_AGENTS_CODEX"
	opencodeVar = "ABURN_AGENTS_OPENCODE"
	geminiVar   = "ABURN_AGENTS_GEMINI"
	qwenVar     = "ABURN_AGENTS_QWEN"
	copilotVar  = "ABURN_AGENTS_COPILOT"
	piVar       = "ABURN_AGENTS_PI"
	// keepVar keeps the folder, to look at homes, logs and recorded requests afterwards.
	keepVar = "ABURN_AGENTS_KEEP"
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "realagents:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if os.Getenv(workVar) == "" {
		if err := prepare(); err != nil {
			return 1, err
		}
		defer cleanUp()
	}
	if code, done, err := agents.Isolate(); done || err != nil {
		return code, err
	}
	if !agents.Isolated() {
		fmt.Println("realagents: not root: the agents are not in a network namespace of their own")
	}
	code := m.Run()
	if os.Getenv(agents.NewestVar) != "" {
		if err := drift(os.Stdout, os.Getenv(workVar)); err != nil {
			return 1, err
		}
	}
	if left := leftBehind(os.Getenv(workVar)); len(left) > 0 {
		return 1, fmt.Errorf("the tests left processes behind:\n%s", strings.Join(left, "\n"))
	}
	return code, nil
}

// leftBehind is the processes that still work in dir a while after the tests. It sees them on Linux only.
func leftBehind(dir string) (left []string) {
	for range 50 {
		left = nil
		folders, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range folders {
			cwd, err := os.Readlink(link)
			if err == nil && strings.HasPrefix(cwd, dir+"/") {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
				left = append(left, filepath.Base(filepath.Dir(link))+" "+strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return left
}

// prepare needs the network, at least the first time: it installs the agents and builds both executables, once for all tests.
// The folder is beside the agents, not under /tmp: Codex's sandbox lets commands write there, and install-hooks refuses it.
func prepare() error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cache, err := agents.CacheDir()
	if err != nil {
		return err
	}
	claude, codex, err := agents.Install(ctx, cache)
	if err != nil {
		return err
	}
	opencode, err := agents.InstallOpencode(ctx, cache)
	if err != nil {
		return err
	}
	gemini, err := agents.InstallGemini(ctx, cache)
	if err != nil {
		return err
	}
	qwen, err := agents.InstallQwen(ctx, cache)
	if err != nil {
		return err
	}
	copilot, err := agents.InstallCopilot(ctx, cache)
	if err != nil {
		return err
	}
	pi, err := agents.InstallPi(ctx, cache)
	if err != nil {
		return err
	}
	work, err := workFolder(filepath.Join(cache, "runs"))
	if err != nil {
		return err
	}
	overlay, err := lab.UnhurriedHook(work)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-overlay", overlay, "-o", filepath.Join(work, "bin")+"/", "aburn/cmd/aburn",
		"aburn/cmd/aburn-hook", "aburn/cmd/aburn-hold")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if err := buildReceiver(ctx, work); err != nil {
		return err
	}
	fmt.Printf("realagents: Claude Code %s, Codex %s, opencode %s, Gemini CLI %s, Qwen Code %s, Copilot CLI %s, pi %s, in %s\n",
		claude.Version, codex.Version, opencode.Version, gemini.Version, qwen.Version, copilot.Version, pi.Version, work)
	os.Setenv(workVar, work)
	os.Setenv(claudeVar, claude.Path)
	os.Setenv(codexVar, codex.Path)
	os.Setenv(opencodeVar, opencode.Path)
	os.Setenv(geminiVar, gemini.Path)
	os.Setenv(qwenVar, qwen.Path)
	os.Setenv(copilotVar, copilot.Path)
	os.Setenv(piVar, pi.Path)
	return nil
}

// workFolder makes the folder of this run, and takes away those that killed runs left behind a day ago.
func workFolder(runs string) (string, error) {
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return "", err
	}
	old, err := os.ReadDir(runs)
	if err != nil {
		return "", err
	}
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(filepath.Join(runs, e.Name()))
		}
	}
	return os.MkdirTemp(runs, "")
}

func cleanUp() {
	if os.Getenv(keepVar) == "" {
		os.RemoveAll(os.Getenv(workVar))
	}
	// Codex' sandbox leaves these, empty, where commands may write. Go takes the first one for a repository above its temporary folders.
	for _, name := range []string{".git", ".agents", ".codex", ".aws"} {
		os.Remove(filepath.Join("/tmp", name)) // nothing that holds anything
	}
}
