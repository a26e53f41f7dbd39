package install

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/agentcli"
)

// trustDeadline bounds all calls to Codex together.
const trustDeadline = 30 * time.Second

// ErrNotTrusted means that Codex accepted the request but does not list the hooks as trusted.
var ErrNotTrusted = errors.New("codex does not list the hooks as trusted")

// TrustCodex makes Codex record that the user trusts aburn's handlers, and only these. It replaces the user's own
// review in /hooks, so call it only at the user's explicit request. codex is the executable; dir is the folder whose
// hooks are meant. It returns the number of trusted handlers. The calls (hooks/list, config/batchWrite) are those of
// Codex 0.169.0.
func TrustCodex(ctx context.Context, codex, dir string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, trustDeadline)
	defer cancel()
	s, err := startAppServer(ctx, codex, dir)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	hooks, err := s.hooks(dir)
	if err != nil {
		return 0, err
	}
	state := map[string]any{}
	for _, h := range hooks {
		state[h.Key] = map[string]string{"trusted_hash": h.CurrentHash}
	}
	if len(state) == 0 {
		return 0, errors.New("codex lists no hook of aburn's here")
	}
	edit := map[string]any{"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": state}
	if err := s.call("config/batchWrite", map[string]any{"edits": []any{edit}}, nil); err != nil {
		return 0, err
	}
	if hooks, err = s.hooks(dir); err != nil {
		return 0, err
	}
	for _, h := range hooks {
		if h.TrustStatus != "trusted" && h.TrustStatus != "managed" {
			return 0, fmt.Errorf("%w: %s is %s", ErrNotTrusted, h.Key, h.TrustStatus)
		}
	}
	return len(hooks), nil
}

// Forget is an agent's records of trust in aburn's hooks. Uninstall has the agent take them out of its own file.
type Forget struct {
	Agent Agent
	File  string // with the records
	keys  []string
	all   bool // the file has no other records of trust
}

// Count returns the number of records.
func (f *Forget) Count() int { return len(f.keys) }

// Run makes Codex take out the records, in the user's environment. If there are no others, their table goes too: Codex
// 0.169.0 then leaves the bytes that were there before the first record.
func (f *Forget) Run(ctx context.Context, program, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, trustDeadline)
	defer cancel()
	s, err := startAppServer(ctx, program, dir)
	if err != nil {
		return err
	}
	defer s.stop()
	paths := []string{"hooks.state"}
	if !f.all {
		paths = paths[:0]
		for _, key := range f.keys {
			paths = append(paths, "hooks.state."+quote(key))
		}
	}
	var edits []any
	for _, path := range paths {
		edits = append(edits, map[string]any{"keyPath": path, "mergeStrategy": "replace", "value": nil})
	}
	if err := s.call("config/batchWrite", map[string]any{"edits": edits}, nil); err != nil {
		return err
	}
	data, err := ReadSettings(f.File)
	if err != nil {
		return err
	}
	values := flatTOML(string(data))
	for _, key := range f.keys {
		if _, left := values[trustState+key+"\x00trusted_hash"]; left {
			return fmt.Errorf("codex did not take out %s", key)
		}
	}
	return nil
}

// listedHook is a handler in Codex's answer to hooks/list.
type listedHook struct {
	Key         string `json:"key"`
	Command     string `json:"command"`
	CurrentHash string `json:"currentHash"`
	TrustStatus string `json:"trustStatus"`
}

// appServer is a running `codex app-server`: JSON-RPC, one message a line.
type appServer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
}

func startAppServer(ctx context.Context, codex, dir string) (*appServer, error) {
	cmd := exec.CommandContext(ctx, codex, "app-server")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &appServer{cmd: cmd, in: in, out: bufio.NewReader(out)}
	client := map[string]any{
		"clientInfo":   map[string]string{"name": "aburn", "version": "1"},
		"capabilities": map[string]bool{"experimentalApi": true},
	}
	if err := s.call("initialize", client, nil); err != nil {
		s.stop()
		return nil, err
	}
	return s, s.send(map[string]any{"method": "initialized"})
}

// stop closes the server's input, which ends it, and kills it after 5 s.
func (s *appServer) stop() {
	s.in.Close()
	ended := time.AfterFunc(5*time.Second, func() { s.cmd.Process.Kill() })
	defer ended.Stop()
	_, _ = io.Copy(io.Discard, s.out)
	_ = s.cmd.Wait()
}

func (s *appServer) send(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(data, '\n'))
	return err
}

// call sends a request and waits for its answer. It skips notifications.
func (s *appServer) call(method string, params, result any) error {
	s.last++
	if err := s.send(map[string]any{"id": s.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("codex app-server: no answer to %s: %w", method, err)
		}
		var answer struct {
			ID     *int
			Method string
			Error  json.RawMessage
			Result json.RawMessage
		}
		if json.Unmarshal(line, &answer) != nil || answer.ID == nil || *answer.ID != s.last || answer.Method != "" {
			continue
		}
		if len(answer.Error) > 0 {
			return fmt.Errorf("codex app-server: %s: %s", method, answer.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}

// hooks lists aburn's handlers that Codex sees from dir.
func (s *appServer) hooks(dir string) ([]listedHook, error) {
	var list struct {
		Data []struct{ Hooks []listedHook }
	}
	if err := s.call("hooks/list", map[string]any{"cwds": []string{dir}}, &list); err != nil {
		return nil, err
	}
	var own []listedHook
	for _, entry := range list.Data {
		for _, h := range entry.Hooks {
			words, ok := shellWords(h.Command)
			if ok && len(words) > 0 && (handler{path: words[0], args: words[1:]}).ours(&agentcli.Codex) {
				own = append(own, h)
			}
		}
	}
	return own, nil
}

// Trust is Codex's state of trust in a handler.
type Trust string

// The states of trust. Codex silently skips a handler in all of them but Trusted.
const (
	Trusted   Trust = "trusted"
	Untrusted Trust = "untrusted" // nobody has reviewed it
	Modified  Trust = "modified"  // changed since the review
	Disabled  Trust = "disabled"  // switched off in /hooks
	Unknown   Trust = "unknown"   // config.toml cannot be read
)

// CodexConfig holds the simple values of Codex's config.toml.
type CodexConfig struct {
	Path   string
	Err    error // the file exists and cannot be read
	values map[string]string
}

// ReadCodexConfig reads the user's config.toml. A missing file is empty, not an error.
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

// HooksOff reports whether Codex's feature "hooks" is switched off.
func (c CodexConfig) HooksOff() bool {
	return c.values["features\x00hooks"] == "false" || c.values["features\x00codex_hooks"] == "false"
}

// TrustsProject reports whether Codex trusts the project at root. Without that it reads none of the project's hooks.
func (c CodexConfig) TrustsProject(root string) bool {
	return c.values["projects\x00"+root+"\x00trust_level"] == "trusted"
}

// trustState is the prefix of the keys of Codex's records of trust.
const trustState = "hooks\x00state\x00"

// trustsOthers reports whether Codex has records of trust under other keys.
func (c CodexConfig) trustsOthers(keys []string) bool {
	for path := range c.values {
		if rest, ok := strings.CutPrefix(path, trustState); ok {
			if key, _, _ := strings.Cut(rest, "\x00"); !slices.Contains(keys, key) {
				return true
			}
		}
	}
	return false
}

// Trust returns the state of a handler in the settings file s.
func (c CodexConfig) Trust(s *Settings, r Registration) Trust {
	if c.Err != nil {
		return Unknown
	}
	for _, key := range trustKeys(s, r) {
		hash, known := c.values[trustState+key+"\x00trusted_hash"]
		switch {
		case c.values[trustState+key+"\x00enabled"] == "false":
			return Disabled
		case known && hash == r.TrustHash:
			return Trusted
		case known:
			return Modified
		}
	}
	return Untrusted
}

// trustKeys are the keys of possible trust records: with the folder as HOME names it, or with its links resolved, as
// Codex does for CODEX_HOME.
func trustKeys(s *Settings, r Registration) []string {
	keys := []string{r.TrustKey}
	dir, err := filepath.EvalSymlinks(filepath.Dir(s.Path))
	if err == nil && dir != filepath.Dir(s.Path) {
		keys = append(keys, filepath.Join(dir, filepath.Base(s.Path))+r.TrustKey[len(s.Path):])
	}
	return keys
}

// AllTrusted reports whether Codex trusts all of aburn's handlers in the settings file s.
func (c CodexConfig) AllTrusted(s *Settings) bool {
	own := s.Own()
	for _, r := range own {
		if c.Trust(s, r) != Trusted {
			return false
		}
	}
	return len(own) > 0
}
