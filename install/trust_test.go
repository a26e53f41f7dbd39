package install

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The hashes are those that Codex 0.169.0 itself lists for these handlers.
func TestTrustKeysAndHashes(t *testing.T) {
	d, err := parse("/tmp/ei/h/.codex/hooks.json", []byte(`{"hooks": {
		"SessionEnd": [{"hooks": [{"type": "command", "command": "/a b/aburn-hook codex", "timeout": 2}]}],
		"PostModelRequest": [{"hooks": [{"type": "command", "command": "ü<>&", "timeout": 0}]}],
		"SubagentStart": [{"matcher": "", "hooks": [{"type": "command", "command": "x"}, {"type": "command", "command": "x", "timeout": 0}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": null}]}],
		"Interrupt": [{"hooks": [{"type": "command", "command": "x", "timeout": 20}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range d.registrations(Codex) {
		got[r.TrustKey] = r.TrustHash
	}
	for key, want := range map[string]string{
		"session_end:0:0":        "f2700ca0d8c10f94b95f0d4724078bfcd377e18cf79a2f2cc0e1a198faab6143",
		"post_model_request:0:0": "02f5a22d831f5ee80b476d6be033fb46bd4ecb6b8aca6f4994a84c1b665d3515",
		"subagent_start:0:0":     "c10ae0f1eeaaeb1ccb2c07155c86a203e2eec261ac377500d7e10c2b351e0dfc",
		"subagent_start:0:1":     "c47c1427c9dbd74a9d9032e1aa1d377aff3015385306ae044adaa88a079bbf00",
		"stop:0:0":               "6f14477468be127a92604ce05b51030268ccd6077fa7a807515589cfcfc7fd17",
		"interrupt:0:0":          "a5c004c961226f9446832ffd4713c9a952b1b2be25a24b433950f2394329255b",
	} {
		if got[d.path+":"+key] != "sha256:"+want {
			t.Errorf("%s: %s; want %s", key, got[d.path+":"+key], want)
		}
	}
}

func TestTrustIsReadFromConfig(t *testing.T) {
	b := newBench(t, Codex, []byte(`{"hooks": {}}`))
	b.install()
	path := b.path
	s := &Inspect(Codex, b.home, b.env)[0]
	own := s.Own()
	if len(own) != len(Codex.events()) || len(s.Missing()) > 0 {
		t.Fatalf("%d registrations, missing %v", len(own), s.Missing())
	}
	inText := func(i int) string { return strings.ReplaceAll(own[i].TrustKey, `\`, `\\`) } // Windows
	config := "# [hooks.state.\"x\"]\nmodel = \"gpt\"\n[hooks.state]\n" +
		`"` + inText(0) + `" = { enabled = true, trusted_hash = "` + own[0].TrustHash + "\" } # inline\n" +
		"text = \"\"\"\n[hooks.state.\"" + inText(5) + "\"]\ntrusted_hash = \"" + own[5].TrustHash + "\"\n\"\"\"\n" +
		"[ hooks . state . '" + own[1].TrustKey + "' ]\ntrusted_hash='" + own[1].TrustHash + "'\n" +
		`[hooks.state."` + inText(2) + "\"]\r\ntrusted_hash = \"sha256:old\"\r\n" +
		`[hooks.state."` + inText(3) + "\"]\nenabled = false\ntrusted_hash = \"" + own[3].TrustHash + "\"\n" +
		"[features]\nhooks = false # off\n[projects.\"/src/app\"]\ntrust_level = \"trusted\"\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c := ReadCodexConfig(b.env)
	for i, want := range []Trust{Trusted, Trusted, Modified, Disabled, Untrusted, Untrusted} {
		if got := c.Trust(s, own[i]); got != want {
			t.Errorf("%s: %s; want %s", own[i].Event, got, want)
		}
	}
	if !c.HooksOff() || !c.TrustsProject("/src/app") || c.TrustsProject("/src") || c.AllTrusted(s) {
		t.Errorf("off %t, project %t", c.HooksOff(), c.TrustsProject("/src/app"))
	}
}

// The other end of the conversation is played by this executable (fakeCodex), which answers as Codex 0.169.0 did.
func TestTrustCodexTrustsOnlyOurs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(fakeCodexDir, dir)
	if err := os.WriteFile(filepath.Join(dir, "hooks"), []byte("/usr/bin/aburn-hook codex\n/opt/guard.sh\n'/a b/aburn-hook' codex\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := TrustCodex(t.Context(), os.Args[0], dir)
	if err != nil || n != 2 {
		t.Errorf("%d trusted, %v; want 2", n, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "state")); string(got) != "key0\nkey2\n" {
		t.Errorf("trusted %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "deaf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := TrustCodex(t.Context(), os.Args[0], dir); !errors.Is(err, ErrNotTrusted) {
		t.Errorf("error %v; want ErrNotTrusted", err)
	}
	if _, err := TrustCodex(t.Context(), "/bin/true", dir); err == nil {
		t.Error("a program that is no app-server was believed")
	}
}

// fakeCodexDir makes this process an app-server: the file hooks in that folder lists commands, state what was trusted,
// and if deaf is there it records nothing.
const fakeCodexDir = "ABURN_INSTALL_FAKE_CODEX"

func fakeCodex(dir string) {
	in := bufio.NewScanner(os.Stdin)
	trusted := map[string]bool{}
	for in.Scan() {
		var m struct {
			ID     int
			Method string
			Params struct {
				Edits []struct {
					Value map[string]struct {
						Hash string `json:"trusted_hash"`
					}
				}
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == 0 {
			continue
		}
		fmt.Println(`{"method":"configWarning","params":{}}`)
		switch m.Method {
		case "config/batchWrite":
			if exists(filepath.Join(dir, "deaf")) {
				break
			}
			var keys []string
			for key, v := range m.Params.Edits[0].Value {
				trusted[key] = v.Hash == "hash of "+key
				keys = append(keys, key+"\n")
			}
			slices.Sort(keys)
			os.WriteFile(filepath.Join(dir, "state"), []byte(strings.Join(keys, "")), 0o600)
		case "hooks/list":
			fmt.Printf(`{"id":%d,"result":{"data":[{"hooks":[%s]}]}}`+"\n", m.ID, fakeHooks(dir, trusted))
			continue
		}
		fmt.Printf(`{"id":%d,"result":{}}`+"\n", m.ID)
	}
}

func fakeHooks(dir string, trusted map[string]bool) string {
	data, _ := os.ReadFile(filepath.Join(dir, "hooks"))
	var out []string
	for i, command := range strings.Fields(strings.ReplaceAll(strings.ReplaceAll(string(data), " ", "\x01"), "\n", " ")) {
		key := fmt.Sprint("key", i)
		status := "untrusted"
		if trusted[key] {
			status = "trusted"
		}
		out = append(out, fmt.Sprintf(`{"key":%q,"command":%s,"currentHash":%q,"trustStatus":%q}`,
			key, quote(strings.ReplaceAll(command, "\x01", " ")), "hash of "+key, status))
	}
	return strings.Join(out, ",")
}
