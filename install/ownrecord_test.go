package install

import (
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/settings"
)

// The setting goes into the user's own file, which keeps all of its other bytes. A file that doesn't parse stays as it is.
func TestSetRecord(t *testing.T) {
	for before, want := range map[string]string{
		"":                           "{\n  \"record\": \"everywhere\"\n}\n",
		"{}":                         "{\n  \"record\": \"everywhere\"\n}",
		"{\"cost\": {\"x\": 1} }\n":  "{\"cost\": {\"x\": 1}, \"record\": \"everywhere\" }\n",
		"{ \"record\" : \"marked\"}": "{ \"record\" : \"everywhere\"}",
		"{\"a\":":                    "",
		"[]":                         "",
	} {
		home := t.TempDir()
		env := func(name string) string { return map[string]string{"HOME": home}[name] }
		path := filepath.Join(home, ".config", "aburn", settings.File)
		if before != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := SetRecord(env, settings.RecordEverywhere)
		text, _ := os.ReadFile(path)
		if want == "" {
			if err == nil || string(text) != before {
				t.Errorf("%q: %v, %q", before, err, text)
			}
			continue
		}
		if err != nil || string(text) != want {
			t.Errorf("%q: %v, %q", before, err, text)
		}
		if got, err := OwnRecord(env); got != settings.RecordEverywhere || err != nil {
			t.Errorf("%q: reads %q, %v", before, got, err)
		}
	}
}
