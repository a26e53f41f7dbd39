package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/hooks/codex"
	"aburn/hooks/copilot"
	"aburn/hooks/gemini"
	"aburn/hooks/opencode"
	"aburn/hooks/qwen"
	"aburn/internal/hold"
	"aburn/internal/journal"
	"aburn/internal/lab/fakegh"
	"aburn/internal/project"
	"aburn/supervisor/look"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestMain makes this test binary aburn, aburn-hook and aburn-hold too, so that
// the scripts run real processes without anything being installed.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"aburn": main, "aburn-hook": hookMain, "aburn-hold": holdMain, "screen-agent": screenAgentMain, "fake-gh": fakegh.Main,
		"trust": trustMain})
}

// holdMain is main of cmd/aburn-hold.
func holdMain() { os.Exit(hold.Main(os.Args[1:])) }

// hookMain is main of cmd/aburn-hook, which no test can import. It has time: what a slow machine records late is no failure here, and
// the tests of cmd/aburn-hook are about the deadlines.
func hookMain() {
	stdin := wholeStdin()
	run := hooks.Run{
		Start: time.Now(), Args: os.Args[1:], Stdin: stdin, Stdout: os.Stdout, Env: os.Getenv,
		Agents: []hooks.Agent{claude.Agent(), codex.Agent(), opencode.Agent(), gemini.Agent(), qwen.Agent(), copilot.Agent()},
		Exit:   func() {}, Snapshot: hookSnapshot,
	}
	if os.Getenv("LOOK") != "" { // most scripts look by hand
		run.Look = hookLook
	}
	if err := run.Do(); err != nil {
		fmt.Fprintln(os.Stderr, "aburn: error:", err)
	}
}

// wholeStdin is all of the input, which came in its own time.
func wholeStdin() *os.File {
	text, _ := io.ReadAll(os.Stdin)
	r, w, err := os.Pipe()
	if err != nil {
		return os.Stdin
	}
	go func() {
		w.Write(text)
		w.Close()
	}()
	return r
}

func hookSnapshot(_ func(string) string, o hooks.SnapshotOrder) bool {
	cmd := exec.Command("aburn", "-C", o.Worktree, "turn-snapshot", "--session", string(o.Session), "--at", string(o.At), "--of", o.Of)
	return cmd.Start() == nil
}

func hookLook(l hooks.Looking) hooks.Looked {
	r, err := look.New(look.Options{
		Root: l.Root, Project: l.Project, Journal: l.Journal, Settings: l.Settings, Key: l.Key, By: journal.Hook,
		Session: l.Session, Transcript: l.Transcript, Prompt: l.Prompt, InTurn: l.InTurn != nil,
	}).Once(context.Background(), time.Now(), time.Time{})
	if err != nil {
		return hooks.Looked{}
	}
	return hooks.Looked{Certain: r.Certain(l.Session, l.InTurn)}
}

// TestScripts runs testdata/script: the manual, one page a file. Every log that
// a script leaves behind has to be whole, unless a file named damaged stands in
// its working folder.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Condition:           scriptCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sandboxed": cmdSandboxed,
			"subst":     cmdSubst,
			"substjson": cmdSubstJSON,
		},
	})
}

// noRaceSleep is GORACE for the processes that tests start: one under the race
// detector otherwise sleeps for a second before it exits.
const noRaceSleep = "atexit_sleep_ms=0"

// setupScript gives a script a home of its own and nothing of the caller's environment.
func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("TZ", "UTC")
	env.Setenv("BIN", filepath.SplitList(env.Getenv("PATH"))[0]) // aburn and aburn-hook, and nothing else
	env.Setenv("GORACE", noRaceSleep)
	store, err := filepath.Abs("testdata/store/home")
	if err != nil {
		return err
	}
	env.Setenv("STORE", store) // a home with a few sessions of agents
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	t := env.T()
	env.Defer(func() {
		if _, err := os.Stat(filepath.Join(env.WorkDir, "damaged")); err == nil {
			return
		}
		if found := damageBelow(env.WorkDir, env.Getenv); found != "" {
			t.Fatal("the script left a damaged log behind:\n" + found)
		}
	})
	return nil
}

// damageBelow verifies every log in dir, with the anchor that this home keeps.
func damageBelow(dir string, home func(string) string) (found string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != ".oss" || !d.IsDir() {
			return nil
		}
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil
		}
		defer root.Close()
		o := journal.Options{By: journal.Command}
		if p, err := project.At(filepath.Dir(path), home); err == nil {
			o.Anchor = p.Anchor()
		}
		report, err := journal.New(root, o).Verify(context.Background())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			found += err.Error() + "\n"
		}
		for _, f := range report.Damage {
			found += fmt.Sprintf("%s/%s:%d: %s: %s\n", path, f.Segment, f.Line, f.Kind, f.Text)
		}
		return nil
	})
	return found
}

func scriptCondition(cond string) (bool, error) {
	if cond == "sandbox" {
		return canSandbox(), nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// cmdSubst replaces text in a file: subst FILE OLD NEW.
func cmdSubst(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: subst file old new")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// cmdSubstJSON replaces text in a file by what another file (or stdout) holds,
// as it stands inside of a JSON string: substjson FILE OLD OTHER.
func cmdSubstJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: substjson file old other")
	}
	quoted, err := json.Marshal(ts.ReadFile(args[2]))
	ts.Check(err)
	cmdSubst(ts, false, []string{args[0], args[1], string(quoted[1 : len(quoted)-1])})
}
