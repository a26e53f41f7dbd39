package project

import (
	"os"
	"path/filepath"
	"testing"
)

// Nobody is told to make a project of the home directory, of what is above it, or of a temporary folder.
func TestInitHint(t *testing.T) {
	home := t.TempDir()
	app := filepath.Join(home, "app")
	if err := os.Mkdir(app, 0o700); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	const elsewhere = "aburn -C PROJECT init  # in the folder of a project"
	for dir, want := range map[string]string{app: "aburn init", home: elsewhere, filepath.Dir(home): elsewhere, "/": elsewhere, t.TempDir(): elsewhere} {
		if got := InitHint(dir, env); got != want {
			t.Errorf("%s: %q", dir, got)
		}
	}
}
