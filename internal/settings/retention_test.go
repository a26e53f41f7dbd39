package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// How long sessions are kept is a number of days, and only the user's own file says it.
func TestRetention(t *testing.T) {
	for text, want := range map[string]int{`30`: 30, `"30"`: 30, `0`: 0, `-1`: -1, `1.5`: -1, `"a month"`: -1, `[3]`: -1} {
		config := t.TempDir()
		if err := os.MkdirAll(filepath.Join(config, "aburn"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(config, "aburn", File), []byte(`{"archive":{"retention":`+text+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"XDG_CONFIG_HOME": config, "ABURN_ARCHIVE_RETENTION": "7"}
		s := Load(nil, func(name string) string { return env[name] })
		wrong := strings.Contains(strings.Join(s.Warnings, "\n"), "archive.retention should be a number of days")
		if want < 0 && (s.Archive.Retention != 0 || !wrong) || want >= 0 && (s.Archive.Retention != want || wrong) {
			t.Errorf("%s gives %d, %q", text, s.Archive.Retention, s.Warnings)
		}
		if !strings.Contains(strings.Join(s.Warnings, "\n"), "ABURN_ARCHIVE_RETENTION: archive.retention counts only in the user's own settings") {
			t.Errorf("the environment's is not refused: %q", s.Warnings)
		}
	}
}
