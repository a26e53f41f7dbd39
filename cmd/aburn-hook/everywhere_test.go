package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/project"
)

// everywhere is a home with a git repository in it that nobody has made a project.
type everywhere struct {
	*world
	repo string
}

func newEverywhere(t *testing.T, settings string) *everywhere {
	t.Helper()
	w := newWorld(t)
	e := &everywhere{world: w, repo: filepath.Join(w.Home, "src", "app")}
	e.put(".config/aburn/settings.json", settings)
	e.put("src/app/.git/HEAD", "ref: refs/heads/main\n")
	return e
}

// put writes a file below the home directory.
func (e *everywhere) put(name, text string) {
	e.t.Helper()
	path := filepath.Join(e.Home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// prompt has a session with a prompt in a folder. args are what the hook's command line names.
func (e *everywhere) prompt(dir, args string, env ...string) {
	e.t.Helper()
	payload := `{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":"go","cwd":"` + dir + `","transcript_path":"/none.jsonl"}`
	f, err := os.Open(e.Write("../stdin", payload))
	if err != nil {
		e.t.Fatal(err)
	}
	defer f.Close()
	if out := e.hook("claude "+args, f, append([]string{"CLAUDE_PROJECT_DIR=" + dir}, env...)...); out != "" {
		e.t.Errorf("the hook printed %q", out)
	}
}

func (e *everywhere) home() string { return "--home " + e.Home }

// recorded reports whether the folder has a log with an entry, and whether the user trusts it.
func (e *everywhere) recorded(dir string) (entries int, trusted bool) {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, project.OssDir, journal.Name))
	if err != nil {
		return 0, false
	}
	journaltest.Check(e.t, filepath.Join(dir, project.OssDir))
	e.Enter(e.t)
	p, err := project.At(dir, project.FolderEnv([]string{"--home", e.Home}, os.Getenv))
	return strings.Count(string(text), `"event":"PROMPT"`), err == nil && p.Marked
}

const recordsEverywhere = `{"record": "everywhere"}`

// A user who records everywhere runs no command in a repository: its first prompt makes it a project that they trust.
func TestRecordEverywhere(t *testing.T) {
	e := newEverywhere(t, recordsEverywhere)
	sub := filepath.Join(e.repo, "deep", "er")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	e.prompt(sub, e.home())
	e.prompt(e.repo, e.home())
	if n, trusted := e.recorded(e.repo); n != 2 || !trusted {
		t.Errorf("%d prompts, trusted %v", n, trusted)
	}
	if text, _ := os.ReadFile(filepath.Join(e.repo, ".oss", ".gitignore")); string(text) != "*\n" {
		t.Errorf("git sees .oss: %q", text)
	}
	left, _ := filepath.Glob(filepath.Join(e.repo, ".oss.new*"))
	if len(left) > 0 {
		t.Error(left)
	}
}

// Where nobody would expect it, nothing is recorded, and no repository can turn it on.
func TestRecordEverywhereButNot(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		prepare  func(e *everywhere) (dir, args string, env []string)
	}{
		"the default": {"{}", func(e *everywhere) (string, string, []string) { return e.repo, e.home(), nil }},
		"marked":      {`{"record": "marked"}`, func(e *everywhere) (string, string, []string) { return e.repo, e.home(), nil }},
		"no repository": {recordsEverywhere, func(e *everywhere) (string, string, []string) {
			e.put("notes/a", "")
			return filepath.Join(e.Home, "notes"), e.home(), nil
		}},
		"the home directory": {recordsEverywhere, func(e *everywhere) (string, string, []string) {
			e.put(".git/HEAD", "ref: refs/heads/main\n")
			e.put("notes/a", "")
			return filepath.Join(e.Home, "notes"), e.home(), nil
		}},
		"a temporary folder": {recordsEverywhere, func(e *everywhere) (string, string, []string) {
			dir := e.t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
				e.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
				e.t.Fatal(err)
			}
			return dir, e.home(), nil
		}},
		"a repository with an .oss in its index": {recordsEverywhere, func(e *everywhere) (string, string, []string) {
			e.put("src/app/.git/index", "DIRC\x00.oss/workflow.log\x00")
			return e.repo, e.home(), nil
		}},
		"others can write": {recordsEverywhere, func(e *everywhere) (string, string, []string) {
			if err := os.Chmod(e.repo, 0o777); err != nil {
				e.t.Fatal(err)
			}
			return e.repo, e.home(), nil
		}},
		"a variable": {"{}", func(e *everywhere) (string, string, []string) {
			return e.repo, e.home(), []string{"ABURN_RECORD=everywhere"}
		}},
		"settings of the repository": {"{}", func(e *everywhere) (string, string, []string) {
			e.put("src/app/evil/aburn/settings.json", recordsEverywhere)
			return e.repo, e.home(), []string{"XDG_CONFIG_HOME=" + filepath.Join(e.repo, "evil")}
		}},
		"folders by variables only": {recordsEverywhere, func(e *everywhere) (string, string, []string) { return e.repo, "", nil }},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEverywhere(t, c.settings)
			dir, args, env := c.prepare(e)
			e.prompt(dir, args, env...)
			for _, dir := range []string{dir, e.repo, e.Home} {
				if left, _ := filepath.Glob(filepath.Join(dir, ".oss*")); len(left) > 0 {
					t.Errorf("the hook made %s", left)
				}
			}
			if marks, _ := filepath.Glob(filepath.Join(e.Home, ".local/state/aburn/projects/*")); len(marks) > 0 {
				t.Errorf("the hook trusts something: %s", marks)
			}
		})
	}
}

// A clone's own .oss is recorded in, as ever, and not trusted.
func TestRecordEverywhereTrustsNoClone(t *testing.T) {
	e := newEverywhere(t, recordsEverywhere)
	e.put("src/app/.oss/settings.json", "{}")
	if err := os.Chmod(filepath.Join(e.repo, ".oss"), 0o700); err != nil {
		t.Fatal(err)
	}
	e.prompt(e.repo, e.home())
	if n, trusted := e.recorded(e.repo); n != 1 || trusted {
		t.Errorf("%d prompts, trusted %v", n, trusted)
	}
}
