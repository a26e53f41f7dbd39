package install

import (
	"bytes"
	"path/filepath"
	"strings"

	"aburn/internal/agentcli"
)

// Trust is what Codex does with a handler.
type Trust string

// The states of trust. All but Trusted mean that Codex skips the handler, without a word.
const (
	Trusted   Trust = "trusted"
	Untrusted Trust = "untrusted" // nobody has reviewed it
	Modified  Trust = "modified"  // it is not what was reviewed
	Disabled  Trust = "disabled"  // switched off in /hooks
	Unknown   Trust = "unknown"   // config.toml cannot be read
)

// CodexConfig is what config.toml says about hooks.
type CodexConfig struct {
	Path   string
	Err    error // it is there and cannot be read
	values map[string]string
}

// ReadCodexConfig reads the user's config.toml. One that is not there says nothing, which is no error.
func ReadCodexConfig(env func(string) string) CodexConfig {
	dir, err := ConfigDir(&agentcli.Codex, env)
	if err != nil {
		return CodexConfig{Err: err}
	}
	c := CodexConfig{Path: filepath.Join(dir, "config.toml")}
	data, err := ReadSettings(c.Path)
	c.Err = err
	c.values = flatTOML(string(bytes.TrimPrefix(data, utf8BOM)))
	return c
}

// HooksOff says that Codex's feature of hooks is switched off as a whole.
func (c CodexConfig) HooksOff() bool {
	return c.values["features\x00hooks"] == "false" || c.values["features\x00codex_hooks"] == "false"
}

// TrustsProject says that the user trusts the project at root, without which Codex reads no hooks of the project's own.
func (c CodexConfig) TrustsProject(root string) bool {
	return c.values["projects\x00"+root+"\x00trust_level"] == "trusted"
}

// Remembers says whether anything is recorded about handlers of the settings file at path.
func (c CodexConfig) Remembers(path string) bool {
	for key := range c.values {
		if strings.HasPrefix(key, "hooks\x00state\x00"+path+":") {
			return true
		}
	}
	return false
}

// Trust is the state of a handler of the settings file s.
func (c CodexConfig) Trust(s *Settings, r Registration) Trust {
	if c.Err != nil {
		return Unknown
	}
	for _, key := range trustKeys(s, r) {
		hash, known := c.values["hooks\x00state\x00"+key+"\x00trusted_hash"]
		switch {
		case c.values["hooks\x00state\x00"+key+"\x00enabled"] == "false":
			return Disabled
		case known && hash == r.TrustHash:
			return Trusted
		case known:
			return Modified
		}
	}
	return Untrusted
}

// trustKeys are the keys under which Codex may know the handler: with the folder as HOME leads to it, or with its links
// resolved, as it does for CODEX_HOME.
func trustKeys(s *Settings, r Registration) []string {
	keys := []string{r.TrustKey}
	dir, err := filepath.EvalSymlinks(filepath.Dir(s.Path))
	if err == nil && dir != filepath.Dir(s.Path) {
		keys = append(keys, filepath.Join(dir, filepath.Base(s.Path))+r.TrustKey[len(s.Path):])
	}
	return keys
}

// AllTrusted says whether Codex runs all of aburn's handlers in the settings file s.
func (c CodexConfig) AllTrusted(s *Settings) bool {
	own := s.Own()
	for _, r := range own {
		if c.Trust(s, r) != Trusted {
			return false
		}
	}
	return len(own) > 0
}
