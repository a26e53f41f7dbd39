package provider

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOwnModel: the user's own settings say which model a client takes.
func TestOwnModel(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{".claude/settings.json": `{"model": "claude-sonnet-4-5[1m]"}`,
		".codex/config.toml": "approval = 1\nmodel = \"gpt-5\" # mine\n[profiles.x]\nmodel = \"other\"\n", "empty/x": ""} {
		at := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name    string
		environ []string
		want    [2]string
	}{
		{"claude", []string{"HOME=" + home}, [2]string{"claude-sonnet-4-5", "anthropic"}},
		{"claude", []string{"HOME=" + home, "ANTHROPIC_MODEL=opus"}, [2]string{"opus", "anthropic"}},
		{"claude", []string{"HOME=" + home + "/empty"}, [2]string{"", "anthropic"}},
		{"codex", []string{"HOME=" + home}, [2]string{"gpt-5", "openai"}},
		{"codex", []string{"CODEX_HOME=" + home}, [2]string{"", "openai"}},
		{"api", []string{"HOME=" + home}, [2]string{"", ""}},
	} {
		p, err := Find(tt.name, tt.environ)
		if err != nil {
			t.Fatal(err)
		}
		if model, vendor := OwnModel(p, tt.environ); [2]string{model, vendor} != tt.want {
			t.Errorf("%s: %q of %q, want %q", tt.name, model, vendor, tt.want)
		}
	}
}
