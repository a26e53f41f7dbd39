package install

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// home gives the test a home directory of its own and returns it.
func home(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "ABURN_PROJECT_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", dir)
	return dir
}

func TestInitProjectTwiceIsOnce(t *testing.T) {
	root := filepath.Join(home(t), "src")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	done, err := InitProject(root, os.Getenv, InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{".oss/", ".oss/.gitignore", ".oss/settings.json"}; !slices.Equal(done.Created, want) || !done.Marked {
		t.Errorf("first: made %q, marked %t; want %q, true", done.Created, done.Marked, want)
	}
	own := []byte(`{"mine": 1}`)
	if err := os.WriteFile(filepath.Join(root, ".oss/settings.json"), own, 0o644); err != nil {
		t.Fatal(err)
	}
	done, err = InitProject(root, os.Getenv, InitOptions{})
	if err != nil || len(done.Created) > 0 || done.Marked {
		t.Errorf("second: made %q, marked %t, error %v; want nothing", done.Created, done.Marked, err)
	}
	if got, _ := os.ReadFile(filepath.Join(root, ".oss/settings.json")); string(got) != string(own) {
		t.Errorf("the user's settings became %q", got)
	}
	if p, err := project.Find(root, os.Getenv); err != nil || !p.Marked || p.Root != root {
		t.Errorf("found %+v, %v", p, err)
	}
}

func TestInitProjectRefusesALink(t *testing.T) {
	world.Links(t)
	dir := home(t)
	other := filepath.Join(dir, "other")
	root := filepath.Join(dir, "src")
	for _, d := range []string{other, root} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(root, ".oss")); err != nil {
		t.Fatal(err)
	}
	if _, err := InitProject(root, os.Getenv, InitOptions{}); err == nil {
		t.Error("a .oss that is a link was taken")
	}
	if names, _ := os.ReadDir(other); len(names) > 0 {
		t.Errorf("written through the link: %v", names)
	}
}
