package doctor

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"aburn/install"
	"aburn/internal/journal"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/logfmt"
)

func TestNothingIsThere(t *testing.T) {
	w := newWorld(t)
	w.expect(w.run(w.home),
		"project bad no .oss/ here or above: sessions here aren't recorded -> aburn -C PROJECT init",
		"hooks bad no agent calls aburn's hook: nothing is recorded -> aburn install-hooks",
		"! log")
}

func TestAllIsWell(t *testing.T) {
	w := newWorld(t)
	w.install(install.User)
	w.trustAll()
	now := time.Now().Add(time.Second)
	w.claudeSession("c1", w.root, now.Add(2*time.Minute))
	w.codexSession("x1", w.root, `"exec"`, now.Add(2*time.Minute))
	w.logged("c1")
	w.logged("x1")
	w.live = true
	report := w.run(w.root)
	w.expect(report,
		"project ok ~/src\n",
		"log ok writable; the last entry is PROMPT of ",
		"claude ok 2.1.329 ~/bin/claude\n",
		"claude ok ~/.claude/settings.json calls the hook at 17 events (all your sessions)\n",
		"claude ok its newest sessions here are all in the log (1 checked)\n",
		"codex ok 0.169.0 ~/bin/codex\n",
		"codex ok Codex trusts all 13 hooks of ~/.codex/hooks.json\n",
		"codex ok its newest sessions here are all in the log (1 checked)\n",
		"live ok Claude Code, ~/.claude/settings.json: all 6 canary events recorded, ",
		"live ok Codex, ~/.codex/hooks.json: all 6 canary events recorded, ",
		"live note the canary proves that the registered commands record, not that an agent runs them")
	if strings.Contains(report, " bad ") {
		t.Error(report)
	}
}

func TestWhatIsWrongWithTheProject(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	if err := os.RemoveAll(w.path(".local/state/aburn/projects")); err != nil {
		t.Fatal(err)
	}
	w.write("src/.oss/settings.json", "{\n  \"inject\": {\"chain_on_start\": true}\n}")
	w.expect(w.run(w.root), "project note it is not trusted on this machine")
	if _, err := install.InitProject(w.root, os.Getenv, install.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	w.expect(w.run(w.root), "project note "+"~/src/.oss/settings.json:2:")
	if err := os.Mkdir(w.path("src/.oss/workflow.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := project.At(w.root, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	oss, err := p.OpenOss()
	if err != nil {
		t.Fatal(err)
	}
	defer oss.Close()
	if _, err := journal.New(oss, journal.Options{By: journal.Command, Anchor: p.Anchor()}).Append(func(journal.Tail) []*logfmt.Entry {
		return []*logfmt.Entry{{Time: time.Now(), Cmd: "plan", Event: logfmt.Start, Source: "prompt"}}
	}); err == nil {
		t.Error("a folder can be written")
	}
	report := w.run(w.root)
	w.expect(report, "log bad 1 entry could not be written since 2")
	w.expect(report, "log bad hooks cannot write ~/src/.oss/workflow.log: it is not a regular file (d---------)")
	if denied("/p/.oss", errors.New("it is not a regular file")) != nil ||
		len(denied("/p/.oss", &fs.PathError{Op: "openat", Path: "workflow.log", Err: fs.ErrPermission})) != 1 {
		t.Error("a hint about modes stands where they are the fault")
	}
	if err := os.Chmod(w.path("src/.oss"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.expect(w.run(w.root), "project bad ")
	t.Setenv("ABURN", "0")
	w.expect(w.run(w.root), "project note ABURN=0 is set here")
}

func TestWhatKeepsAdviceAway(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	w.expect(w.run(w.root), "! advice")
	w.write("src/.oss/queue.json",
		`{"version":"1.0","tasks":[{"id":"a","prompt":"x","status":"pending","session":"s"},{"id":"b","prompt":"x","status":"completed","session":"s"}]}`)
	w.expect(w.run(w.root), "advice note tasks that aburn did not sign wait for your permission in .oss/queue.json (1) -> aburn queue list")
	w.write(".config/aburn/settings.json", `{"queue": {"foreign": true}}`)
	w.expect(w.run(w.root), "! advice")
	w.write(".config/aburn/settings.json", `{"queue": {"foreign": true}, "remedy": {"rules": [{"klass": "test"}]}}`)
	w.expect(w.run(w.root), "project note ~/.config/aburn/settings.json:1:")
	w.write("src/.oss/queue.json", `{"tasks":`)
	w.expect(w.run(w.root), "advice note nothing in .oss/queue.json is delivered: read queue.json: not a queue -> aburn queue list")
}

func TestLogInGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this machine has no git")
	}
	w := newWorld(t)
	w.logged("c1")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", ".oss/workflow.log"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
	}
	w.expect(w.run(w.root), "log bad .oss/workflow.log is tracked by git -> git rm --cached .oss/workflow.log")
}

func TestWhatKeepsHooksFromRunning(t *testing.T) {
	lab.Slow(t)
	for _, c := range []struct {
		name    string
		prepare func(w *world)
		want    []string
	}{
		{"comments in the settings", func(w *world) { w.write("src/.claude/settings.json", "{} // mine") },
			[]string{"claude bad ~/src/.claude/settings.json:1:4: a comment, which JSON does not have: Claude Code ignores the whole file"}},
		{"the switch, in the project's file", func(w *world) { w.write("src/.claude/settings.json", "{\n \"disableAllHooks\": true}") },
			[]string{"claude bad ~/src/.claude/settings.json:2:21: disableAllHooks is on"}},
		{"the program is gone", func(w *world) { os.Remove(w.path("bin/aburn-hook")) },
			[]string{"claude bad ~/.claude/settings.json:3 calls ~/bin/aburn-hook, which doesn't exist -> reinstall aburn, then run aburn install-hooks --agent " +
				"claude --user",
				"codex bad ~/.codex/hooks.json:3 calls ~/bin/aburn-hook, which doesn't exist"}},
		{"another program of that name", func(w *world) {
			os.Remove(w.path("bin/aburn-hook"))
			w.script("bin/aburn-hook", "exit 0")
		}, []string{"claude note ~/.claude/settings.json:3 calls ~/bin/aburn-hook, which is not aburn's own executable"}},
		{"settings and local settings", func(w *world) { w.install(install.Local, install.Claude); w.install(install.Project, install.Claude) },
			[]string{"claude bad 17 events call the hook more than once, in ~/.claude/settings.json and ~/src/.claude/settings.json and " +
				"~/src/.claude/settings.local.json"}},
		{"identical commands run once", func(w *world) { w.install(install.Local, install.Claude) },
			[]string{"! claude bad"}},
		{"a plugin beside the settings", func(w *world) {
			w.write("plugins/aburn/hooks/hooks.json",
				`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "aburn-hook", "args": ["claude"], "timeout": 10}]}]}}`)
			w.write(".claude/plugins/installed_plugins.json", `{"version": 2, "plugins": {"aburn@aburn": [{"installPath": "`+w.path("plugins/aburn")+`"}]}}`)
			w.write("src/.claude/settings.json", `{"enabledPlugins": {"aburn@aburn": true}}`)
		}, []string{"claude ok ~/plugins/aburn/hooks/hooks.json calls the hook at 1 events (the plugin aburn@aburn)",
			"claude bad 1 events call the hook more than once"}},
		{"a plugin that is not enabled", func(w *world) {
			w.write("plugins/aburn/hooks/hooks.json",
				`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "aburn-hook", "args": ["claude"], "timeout": 10}]}]}}`)
			w.write(".claude/plugins/installed_plugins.json", `{"version": 2, "plugins": {"aburn@aburn": [{"installPath": "`+w.path("plugins/aburn")+`"}]}}`)
		}, []string{"! claude bad"}},
		{"Codex was never told", func(w *world) { os.Remove(w.path(".codex/config.toml")) },
			[]string{"codex bad Codex silently skips hooks of ~/.codex/hooks.json: 13 untrusted -> run codex, then /hooks, then t"}},
		{"Codex trusts another command", func(w *world) {
			data, _ := os.ReadFile(w.path(".codex/hooks.json"))
			w.write(".codex/hooks.json", strings.Replace(string(data), `"timeout": 2`, `"timeout": 3`, 1))
		}, []string{"codex bad Codex silently skips hooks of ~/.codex/hooks.json: 1 modified"}},
		{"Codex's feature is off", func(w *world) {
			data, _ := os.ReadFile(w.path(".codex/config.toml"))
			w.write(".codex/config.toml", string(data)+"[features]\nhooks = false\n")
		}, []string{"codex bad ~/.codex/config.toml switches the feature hooks off"}},
		{"Codex drops the file", func(w *world) {
			data, _ := os.ReadFile(w.path(".codex/hooks.json"))
			w.write(".codex/hooks.json", strings.Replace(string(data), "{", `{"version": 1,`, 1))
		}, []string{`codex bad ~/.codex/hooks.json:1:13: Codex ignores this whole file: it doesn't know the key "version" there`}},
		{"a project that Codex does not trust", func(w *world) { w.install(install.Project, install.Codex) },
			[]string{"codex bad Codex does not trust the project ~/src"}},
		{"old agents", func(w *world) {
			w.script("bin/claude", "echo 2.1.99 '(Claude Code)'")
			w.script("bin/codex", "echo codex-cli 0.99.0")
		}, []string{"claude bad Claude Code 2.1.99 is older than 2.1.139", "codex bad Codex 0.99.0 is older than 0.124.0"}},
		{"an agent that does not answer", func(w *world) { w.script("bin/claude", "exit 1") },
			[]string{"claude note ~/bin/claude --version doesn't show it"}},
		{"an agent that says why it does not answer", func(w *world) { w.script("bin/claude", "printf 'no binary\\nrun it again\\n' >&2; exit 1") },
			[]string{"claude note ~/bin/claude --version doesn't show it -> it says: no binary"}},
		{"an event is missing, milliseconds, no timeout", func(w *world) {
			data, _ := os.ReadFile(w.path(".claude/settings.json"))
			s := strings.Replace(string(data), `"PreToolUse"`, `"Other"`, 1)
			s = strings.Replace(s, `"timeout": 10`, `"timeout": 10000`, 1)
			w.write(".claude/settings.json", strings.Replace(s, `, "timeout": 10}]}],`+"\n    \"UserPromptSubmit\"", `}]}],`+"\n    \"UserPromptSubmit\"", 1))
		}, []string{"claude note ~/.claude/settings.json leaves out PreToolUse -> aburn install-hooks --agent claude --user",
			"claude note ~/.claude/settings.json:3 has a timeout of 10000 seconds",
			"claude note ~/.claude/settings.json:4 has no timeout: Claude Code gives SessionEnd about a second"}},
		{"somebody's wrapping", func(w *world) {
			w.write("src/.claude/settings.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "nice aburn-hook claude"}]}]}}`)
		}, []string{"! claude bad"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.install(install.User)
			w.trustAll()
			c.prepare(w)
			w.expect(w.run(w.root), c.want...)
		})
	}
}

// Executables of packages know no commit, so the bytes of the hook beside aburn say which build the registered one is.
func TestAnotherBuildOfTheHook(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	data, err := os.ReadFile(hookExecutable)
	if err != nil {
		t.Fatal(err)
	}
	for beside, note := range map[string]string{
		string(data):        "! claude note ~/bin/aburn-hook is another build",
		string(data) + "\n": "claude note ~/bin/aburn-hook is another build than the aburn-hook next to this aburn -> reinstall all of aburn in one way",
	} {
		for _, name := range []string{"newer/aburn", "newer/aburn-hook"} {
			w.write(name, beside)
			if err := os.Chmod(w.path(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w.self = w.path("newer/aburn")
		w.expect(w.run(w.root), note)
	}
}

func TestSessionsThatAreNotInTheLog(t *testing.T) {
	lab.Slow(t)
	var now time.Time
	for _, c := range []struct {
		name    string
		prepare func(w *world)
		want    []string
	}{
		{"none", func(w *world) {}, []string{"claude note no session of Claude Code was active here"}},
		{"in another project", func(w *world) { w.claudeSession("c1", w.home, now) },
			[]string{"claude note no session of Claude Code was active here"}},
		{"before the install", func(w *world) { w.claudeSession("c1", w.root, now.Add(-time.Hour)) },
			[]string{"claude note no session of Claude Code was active here"}},
		{"a silent one", func(w *world) { w.claudeSession("c1", w.root, now.Add(2*time.Minute)) },
			[]string{"claude bad hooks do not fire here: session c1, active the future (clocks differ), has no entry in the log (1 of the newest 1) -> likely: it " +
				"was started with ABURN=0"}},
		{"one of two", func(w *world) {
			w.claudeSession("c1", w.root, now.Add(2*time.Minute))
			w.claudeSession("c2", w.root, now.Add(2*time.Minute))
			w.logged("c2")
		}, []string{"claude bad hooks do not fire here: session c1, "}},
		{"an old one from before, a newer one recorded", func(w *world) {
			w.codexSession("x1", w.root, `"exec"`, now.Add(2*time.Minute))
			w.codexSession("x2", w.root, `"exec"`, now.Add(5*time.Minute))
			w.logged("x2")
		},
			[]string{"codex note its newest session here is in the log; 1 of the newest 2 began before it and aren't, the last x1 -> likely: the hooks " +
				"were trusted only after it began\n",
				"! codex bad"}},
		{"a newer one is silent", func(w *world) {
			w.codexSession("x1", w.root, `"exec"`, now.Add(2*time.Minute))
			w.codexSession("x2", w.root, `"exec"`, now.Add(5*time.Minute))
			w.logged("x1")
		}, []string{"codex bad hooks do not fire here: session x2, "}},
		{"Codex without trust", func(w *world) {
			os.Remove(w.path(".codex/config.toml"))
			w.codexSession("x1", w.root, `"exec"`, now.Add(2*time.Minute))
		},
			[]string{"codex bad hooks do not fire here: session x1, active the future (clocks differ), has no entry in the log (1 of the newest 1) -> likely: Codex " +
				"silently skips hooks of"}},
		{"Codex, trusted since", func(w *world) { w.codexSession("x1", w.root, `"exec"`, now.Add(2*time.Minute)) },
			[]string{"codex bad hooks do not fire here: session x1, active the future (clocks differ), has no entry in the log (1 of the newest 1) -> likely: the " +
				"hooks were trusted only after it began"}},
		{"a sub-agent of Codex has no session of its own", func(w *world) {
			w.codexSession("x1", w.root, `{"subagent":{"thread_spawn":{}}}`, now.Add(2*time.Minute))
		}, []string{"codex note no session of Codex was active here"}},
		{"Codex reads hooks at its start", func(w *world) { w.codexSession("x1", w.root, `"cli"`, now) },
			[]string{"codex note no session of Codex was active here"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.install(install.User)
			w.trustAll()
			now = time.Now().Add(2 * time.Second)
			c.prepare(w)
			w.expect(w.run(w.root), c.want...)
		})
	}
}

// A project's settings of Claude Code count only where a session starts.
func TestSessionInASubFolder(t *testing.T) {
	w := newWorld(t)
	w.install(install.Local, install.Claude)
	w.write("src/sub/x", "")
	w.claudeSession("c1", w.path("src/sub"), time.Now().Add(3*time.Minute))
	w.expect(w.run(w.root),
		"claude bad hooks do not fire here: session c1, active the future (clocks differ), has no entry in the log (1 of the newest 1) -> likely: it was started "+
			"in ~/src/sub, and Claude Code reads")
}

// TestLoginShell: PATH here says nothing of the PATH that a login shell makes.
func TestLoginShell(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Codex)
	w.trustAll()
	w.script("bin/aburn", "exit 0")
	t.Setenv("SHELL", "/bin/sh")
	w.write(".profile", "PATH=/usr/bin:/bin\n")
	w.expect(w.run(w.root),
		"codex note aburn is not on the PATH of a login shell (/bin/sh -lc), in which Codex runs the model's commands: prompts there can't call it -> set PATH "+
			"in ~/.profile", "! claude note aburn")
	w.write(".profile", "PATH=$HOME/bin:/usr/bin:/bin\n")
	w.expect(w.run(w.root), "codex ok aburn is on the PATH of a login shell (/bin/sh -lc)")
}

func TestCanaryOfACommandThatDoesNotRecord(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"exit 0", "the canary's log has [], not [SESSION_START PROMPT TOOL_START TOOL STOP SESSION_END]"},
		{"echo hello; cat >/dev/null", "SessionStart: it printed something, which the agent would take for an answer: hello"},
		{"echo oh no >&2; exit 3", "SessionStart: exit status 3: oh no"},
	} {
		w := newWorld(t)
		w.install(install.User, install.Claude)
		os.Remove(w.path("bin/aburn-hook"))
		w.script("bin/aburn-hook", c.body)
		w.live = true
		w.expect(w.run(w.root), "live bad Claude Code, ~/.claude/settings.json: "+c.want)
	}
}

// A hook that had no time records nothing, and that is no fault of the command: the canary is sent again.
func TestCanaryOnABusyMachine(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	os.Remove(w.path("bin/aburn-hook"))
	w.script("bin/aburn-hook", `[ -e "$0.late" ] && exec `+hookExecutable+` "$@"; : > "$0.late"; sleep 1`)
	w.live = true
	w.expect(w.run(w.root), "live ok Claude Code, ~/.claude/settings.json: all 6 canary events recorded, ")
	w.script("bin/aburn-hook", `case "$(cat)" in *SessionStart*) sleep 1 ;; esac`)
	if report := w.run(w.root); !strings.Contains(report, "live bad Claude Code, ~/.claude/settings.json: the canary's log has [], not [") ||
		!strings.Contains(report, ", and a hook ends itself after 800ms\n") {
		t.Error(report)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"2.1.99", "2.1.139", true}, {"2.1.139", "2.1.139", false}, {"2.1.329", "2.1.139", false}, {"2.2", "2.1.139", false}, {"2.1", "2.1.139", true},
		{"0.9.9", "1", true}} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%s, %s) = %t", c.a, c.b, got)
		}
	}
	for text, want := range map[string]string{"2.1.329 (Claude Code)\n": "2.1.329", "codex-cli 0.169.0": "0.169.0", "v1.2\n": "1.2", "no idea": ""} {
		if got := firstVersion(text); got != want {
			t.Errorf("firstVersion(%q) = %q", text, got)
		}
	}
}

// A remote to which git pushes all refs would get the snapshots of the worktree.
func TestMirror(t *testing.T) {
	w := newWorld(t)
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "--mirror=push", "copy", "/copy"}, {"remote", "add", "origin", "/origin"}} {
		if out, err := exec.Command("git", append([]string{"-C", w.root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	warns := func() bool { return strings.Contains(w.run(w.root), "git push copy sends all refs") }
	if warns() {
		t.Error("it warns although there are no snapshots")
	}
	w.write(".config/aburn/settings.json", `{"snapshots":"prompts"}`)
	if !warns() {
		t.Errorf("%q", w.run(w.root))
	}
}
