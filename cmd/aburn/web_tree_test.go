package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// A session of a worker stays a session of its project after the worker's tree is removed, whether it was read before that or after it.
// So does one of a worker in a clone, which is no project of its own. What merely has a path like a tree's stays hidden.
func TestSessionsOfRemovedTrees(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	recorded, err := os.ReadFile("../../web/demo/recorded/home/.claude/projects/-home-user-shop/77d1a0e4-0000-4000-8000-000000000002.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(w.dir, "home")
	shop, err := filepath.EvalSymlinks(w.shop)
	if err != nil {
		t.Fatal(err)
	}
	trees := filepath.Join(home, ".local", "state", "aburn", project.TreesDir)
	leave := func(id, folder string) {
		t.Helper()
		dir := filepath.Join(home, ".claude", "projects", "-"+id)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		name := strings.Replace("77d1a0e4-0000-4000-8000-000000000002", "77d1a0e4", id, 1)
		text := strings.ReplaceAll(strings.ReplaceAll(string(recorded), "77d1a0e4", id), "/home/user/shop", folder)
		for _, ids := range []string{"msg_", "toolu_", "req_"} { // a copy with the same ones would be a fork
			text = strings.ReplaceAll(text, ids, ids+id)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := w.command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-C", shop}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	before, after := filepath.Join(trees, project.StateKey(shop), "before"), filepath.Join(trees, project.StateKey(shop), "after")
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("worktree", "add", "-q", "-b", "aburn/before", before)
	leave("aaaa0001", before)
	w.aburn("ingest")
	git("worktree", "remove", "--force", before)
	leave("aaaa0002", after)
	leave("aaaa0003", filepath.Join(trees, "other-01234567", "after"))
	key := project.StateKey(shop)
	state := filepath.Dir(trees)
	clone := filepath.Join(state, project.FarDir, project.CloneKey(key, filepath.Join(state, project.LedgersDir, key)))
	git("clone", "-q", shop, clone)
	w.aburn("-C", clone, "init")
	inClone := filepath.Join(trees, project.StateKey(clone), "cloned")
	git("-C", clone, "worktree", "add", "-q", "-b", "aburn/cloned", inClone)
	leave("aaaa0004", inClone)
	w.aburn("ingest")
	w.serve("--no-ingest")
	_, page := w.page("/sessions?project=" + shop)
	for id, want := range map[string]bool{"aaaa0001": true, "aaaa0002": true, "aaaa0003": false, "aaaa0004": true} {
		if strings.Contains(page, "/s/claude/"+id) != want {
			t.Errorf("%s is shown: %v, want %v", id, !want, want)
		}
		if list := w.aburn("sessions", "--no-ingest", "--project", shop, "--json"); strings.Contains(list, id) != want {
			t.Errorf("aburn sessions lists %s: %v, want %v", id, !want, want)
		}
	}
	if _, list := w.page("/projects"); !strings.Contains(list, shop) || strings.Contains(list, filepath.Base(clone)) {
		t.Errorf("the clone is a project of its own:\n%s", list)
	}
}
