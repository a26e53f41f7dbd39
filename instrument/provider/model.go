package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// OwnModel is the model that a provider takes where nobody names one, as far as the user's own
// settings say it, and the vendor whose models it can be. Both are "" where that is not known. A
// project's settings do not count: the client does not read them either.
func OwnModel(p Provider, environ []string) (model, vendor string) {
	home := valueOf(environ, "HOME")
	switch p.Name() {
	case "claude":
		if model = valueOf(environ, "ANTHROPIC_MODEL"); model == "" {
			folder := valueOf(environ, "CLAUDE_CONFIG_DIR")
			if folder == "" {
				folder = filepath.Join(home, ".claude")
			}
			var settings struct{ Model string }
			if text, err := os.ReadFile(filepath.Join(folder, "settings.json")); err == nil && json.Unmarshal(text, &settings) == nil {
				model = settings.Model
			}
		}
		return strings.TrimSuffix(model, "[1m]"), "anthropic"
	case "codex":
		folder := valueOf(environ, "CODEX_HOME")
		if folder == "" {
			folder = filepath.Join(home, ".codex")
		}
		text, err := os.ReadFile(filepath.Join(folder, "config.toml"))
		if err != nil {
			return "", "openai"
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			key, value, ok := strings.Cut(lines.Text(), "=")
			if strings.HasPrefix(strings.TrimSpace(lines.Text()), "[") {
				break // a table: the model stands before the first
			}
			if ok && strings.TrimSpace(key) == "model" {
				value, _, _ = strings.Cut(value, "#")
				return strings.Trim(strings.TrimSpace(value), `"'`), "openai"
			}
		}
		return "", "openai"
	}
	return "", ""
}
