package templates

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/agentcli"
)

// written makes a folder with something of the user's in it, and what Write puts beside that.
func written(t *testing.T, agent *agentcli.Agent) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mine := filepath.Join(dir, agent.Prompts.Folder, "commands", "mine.md")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, ProjectFiles(agent), Options{Ledger: ProjectLedger(agent)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// paths lists everything below dir.
func paths(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// Remove leaves what Write found, for every agent.
func TestRemove(t *testing.T) {
	for _, agent := range agentcli.All() {
		if !agent.Prompted() {
			continue
		}
		dir := written(t, agent)
		if done, err := Remove(dir, agent, true); err != nil || len(done) != len(ProjectFiles(agent)) || !strings.Contains(paths(t, dir), "logging") {
			t.Errorf("%s: a dry run: %v, %v", agent.Name, done, err)
		}
		done, err := Remove(dir, agent, false)
		if err != nil || len(done) != len(ProjectFiles(agent)) {
			t.Errorf("%s: %v, %v", agent.Name, done, err)
		}
		top := strings.TrimSuffix(agent.Prompts.Folder, "/")
		if got, want := paths(t, dir), top+" "+top+"/commands "+top+"/commands/mine.md"; got != want {
			t.Errorf("%s: %s is left, want %s", agent.Name, got, want)
		}
		if done, err := Remove(dir, agent, false); err != nil || len(done) > 0 {
			t.Errorf("%s: again: %v, %v", agent.Name, done, err)
		}
	}
}

// What somebody changed stays, and so does what a ledger names that Write cannot have written.
func TestRemoveKeeps(t *testing.T) {
	agent := &agentcli.Gemini
	dir := written(t, agent)
	plan := filepath.Join(dir, ".gemini", "commands", "plan.toml")
	if err := os.WriteFile(plan, []byte("changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"code.go", ".gemini/settings.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := os.ReadFile(filepath.Join(dir, ProjectLedger(agent)))
	if err != nil {
		t.Fatal(err)
	}
	foreign := ""
	for _, name := range []string{"code.go", ".gemini/settings.json", ".gemini/commands/../settings.json", ".gemini/commands/../../code.go"} {
		foreign += sum([]byte("x\n")) + "  " + name + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, ProjectLedger(agent)), append(ledger, foreign...), 0o644); err != nil {
		t.Fatal(err)
	}
	done, err := Remove(dir, agent, false)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, w := range done {
		if w.Status == Kept {
			kept++
		}
	}
	if got := paths(t, dir); kept != 1 || !strings.Contains(got, "plan.toml") || !strings.Contains(got, "code.go") || !strings.Contains(got, "settings.json") ||
		strings.Contains(got, "ship.toml") {
		t.Errorf("%d kept; %s", kept, got)
	}
}
