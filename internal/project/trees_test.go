package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A worker's tree belongs to the project that it was made for, also after it was removed, and nobody else's folder does.
func TestTreeOfAWorker(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	root := filepath.Join(home, "My shop")
	if err := os.MkdirAll(filepath.Join(root, OssDir), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	tree := filepath.Join(home, ".local/state/aburn/trees", StateKey(root), "fix")
	if got := OfTree(tree, env); got != "" {
		t.Errorf("a tree of a project that is not marked: %q", got)
	}
	if err := Mark(root); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		tree: root, filepath.Join(tree, "src", "deep"): root,
		filepath.Dir(tree) + "x/fix": "", filepath.Join(home, ".local/state/aburn/trees"): "", filepath.Join(home, "trees", StateKey(root), "fix"): "", "": "",
		filepath.Join(filepath.Dir(tree), "..", "other", "fix"): "",
	} {
		if got := OfTree(dir, env); got != want {
			t.Errorf("%s belongs to %q, want %q", dir, got, want)
		}
	}
}

// A tree that aburn.yaml places elsewhere belongs to its project too, and what lies beside that place to nobody.
func TestTreeInANotedPlace(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	state := filepath.Join(home, ".local/state/aburn")
	roots := map[string]string{}
	for _, name := range []string{"shop", "bank"} {
		root := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Join(root, OssDir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := Mark(root); err != nil {
			t.Fatal(err)
		}
		roots[name] = root
		for _, place := range []string{filepath.Join(home, "trees of all", StateKey(root)), filepath.Join(root, ".trees"), filepath.Join(root, ".trees")} {
			if err := NoteTrees(state, StateKey(root), place); err != nil {
				t.Fatal(err)
			}
		}
	}
	for dir, want := range map[string]string{
		filepath.Join(home, "trees of all", StateKey(roots["bank"]), "fix", "src"): roots["bank"],
		filepath.Join(home, "trees of all", StateKey(roots["shop"]), "fix"):        roots["shop"],
		filepath.Join(roots["shop"], ".trees", "fix"):                              roots["shop"],
		filepath.Join(roots["shop"], ".trees"):                                     "",
		filepath.Join(roots["shop"], ".trees of mine", "fix"):                      "",
		filepath.Join(home, "trees of all", "other-01234567", "fix"):               "",
		filepath.Join(state, TreesDir, StateKey(roots["bank"]), "fix"):             roots["bank"],
	} {
		if got := OfTree(dir, env); got != want {
			t.Errorf("%s belongs to %q, want %q", dir, got, want)
		}
	}
	if noted, err := os.ReadFile(filepath.Join(state, TreesDir, StateKey(roots["shop"])+".places")); err != nil || strings.Count(string(noted), "\n") != 2 {
		t.Errorf("a place is noted once: %q, %v", noted, err)
	}
}

// A clone that workers of a project stand in is that project, with the trees of these workers. A repository here of another machine's
// project is none of it.
func TestCloneOfAProject(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	state := realPath(filepath.Join(home, ".local/state/aburn"))
	shop := filepath.Join(home, "shop")
	key := StateKey(shop)
	clone, others := filepath.Join(state, FarDir, CloneKey(key, filepath.Join(state, LedgersDir, key))), filepath.Join(state, FarDir, key+"-01234567")
	for _, root := range []string{shop, clone, others} {
		if err := os.MkdirAll(filepath.Join(root, OssDir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := Mark(root); err != nil {
			t.Fatal(err)
		}
	}
	for root, want := range map[string]string{clone: shop, others: others, shop: shop,
		filepath.Join(home, FarDir, filepath.Base(clone)): filepath.Join(home, FarDir, filepath.Base(clone))} {
		if got := Original(root, env); got != want {
			t.Errorf("%s is of %s, want %s", root, got, want)
		}
	}
	for root, want := range map[string]string{clone: shop, others: others} {
		if tree := filepath.Join(state, TreesDir, StateKey(root), "fix", "src"); OfTree(tree, env) != want {
			t.Errorf("%s belongs to %q, want %s", tree, OfTree(tree, env), want)
		}
	}
}
