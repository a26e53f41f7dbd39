package project

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRel(t *testing.T) {
	w := newWorld(t, `
		home/p/.oss/
		home/p/dir/f=1
		home/other/f=1
		home/p2/f=1
		out/f=1
		home/into->@/home/p/dir
		home/dangling->@/nowhere
		home/p/leads->@/out
	`)
	p, err := Find(w.path("home/p"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"@/home/p/dir/f", "dir/f"},
		{"@/home/p", "."},
		{"@/home/p/", "."},
		{"@/home/p/dir/../new/file", "new/file"},
		{"@/home/p/..x/f", "..x/f"},
		{"dir/f", "dir/f"},
		{"./dir/f", "dir/f"},
		{"../other/f", "~/other/f"},
		{"@/home/other/f", "~/other/f"},
		{"@/home/p2/f", "~/p2/f"}, // shares letters, not the folder
		{"@/home", "~"},
		{"@/out/f", "@/out/f"},
		{"@/homes/f", "@/homes/f"},
		{"@/home/into/f", "dir/f"},         // as the file system sees it
		{"@/home/into/new/f", "dir/new/f"}, // also what is not there yet
		{"@/home/into/a/b/c/d", "dir/a/b/c/d"},
		{"@/home/dangling/f", "~/dangling/f"},
		{"@/home/p/leads/f", "leads/f"}, // as the agent named it
		{"/", "/"},
		{"", ""},
	} {
		if w.noLinks && (strings.Contains(c.path, "into") || strings.Contains(c.path, "leads")) {
			continue
		}
		path, want := strings.ReplaceAll(c.path, "@", w.root), strings.ReplaceAll(c.want, "@", filepath.ToSlash(w.root))
		if got := p.Rel(path); got != want {
			t.Errorf("Rel(%s) = %s, want %s", c.path, got, want)
		}
	}
	w.vars["HOME"] = native("/")
	if got := p.Rel("/etc/passwd"); got != "/etc/passwd" {
		t.Errorf("with HOME=/: %s", got)
	}
}

// A path is what an agent says, and may be of any length.
func TestRelOfLongPath(t *testing.T) {
	w := newWorld(t, "home/p/.oss/")
	p, err := Find(w.path("home/p"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	path := w.path("home/q") + strings.Repeat("/a", 200_000)
	go func() { done <- p.Rel(path) }()
	select {
	case got := <-done:
		if want := "~/q" + strings.Repeat("/a", 200_000); got != want {
			t.Errorf("%d bytes", len(got))
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("a path of 200,000 folders takes longer than 2 min")
	}
}

func TestRelInWorktree(t *testing.T) {
	w := newWorld(t, "home/main/.oss/\nhome/wt/src/")
	w.repo("home/main", "home/wt")
	p, err := Find(w.path("home/wt/src"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Rel(w.path("home/wt/src/a.go")); got != "src/a.go" {
		t.Error(got)
	}
	if got := p.Rel(w.path("home/main/a.go")); got != "~/main/a.go" {
		t.Error(got)
	}
}
