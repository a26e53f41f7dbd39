package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownSettings are the settings of a user with this file.
func ownSettings(t *testing.T, text string, more map[string]string) Settings {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, ".config", "aburn", File)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(nil, func(name string) string {
		if name == "HOME" {
			return home
		}
		return more[name]
	})
}

func TestHides(t *testing.T) {
	s := ownSettings(t, `{"hidden": ["~/private", "/srv/*/secret", "scratch", "tmp-*"]}`, nil)
	if len(s.Warnings) > 0 {
		t.Fatal(s.Warnings)
	}
	home := s.env("HOME")
	for root, want := range map[string]bool{
		home: false, filepath.Join(home, "private"): true, filepath.Join(home, "private", "a", "b"): true, filepath.Join(home, "privately"): false,
		"/srv/x/secret": true, "/srv/x/secret/y": true, "/srv/secret": false,
		"/a/scratch": true, "/a/scratch/b": true, "/a/tmp-1/b": true, "/a/mytmp-1": false, "": false,
	} {
		if got := s.Hides(root); got != want {
			t.Errorf("%q: %v", root, got)
		}
	}
	if s := ownSettings(t, `{"hidden": ["[", 3]}`, nil); len(s.Warnings) != 1 || s.Hidden != nil {
		t.Error(s.Warnings, s.Hidden)
	}
}

// Only the user's own file sets record: no project and no variable does.
func TestRecordIsTheUsersOwn(t *testing.T) {
	if s := ownSettings(t, `{"record": "everywhere"}`, nil); s.Record != RecordEverywhere || len(s.Warnings) > 0 {
		t.Error(s.Record, s.Warnings)
	}
	if s := ownSettings(t, `{"record": "always"}`, nil); s.Record != RecordMarked || len(s.Warnings) != 1 {
		t.Error(s.Record, s.Warnings)
	}
	s := ownSettings(t, `{}`, map[string]string{"ABURN_RECORD": "everywhere", "ABURN_HIDDEN": "x"})
	if s.Record != RecordMarked || s.Hidden != nil || !slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, "ABURN_RECORD: ") }) {
		t.Error(s.Record, s.Hidden, s.Warnings)
	}
	if !userOnly("record") || !userOnly("hidden") {
		t.Error("a project can set them")
	}
}
