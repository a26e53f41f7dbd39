//go:build unix

package install

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/world"
)

// plugged is the plugin as it is installed, in a world with a hook that is the given shell script.
type plugged struct {
	*bench
	node, plugin, dump string
}

// plug needs Node, which stands in for opencode's own runtime. The hook writes what it gets to $ABURN_DUMP.
func plug(t *testing.T, hook string) plugged {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	b := newBench(t, Opencode, nil)
	b.install()
	p := plugged{b, node, filepath.Join(b.home, "plugin.mjs"), filepath.Join(b.home, "dump")}
	if err := os.WriteFile(p.plugin, b.read(), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(b.home, "bin", programFile(hookName))
	os.Remove(path)
	if hook != "" {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+hook+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// unhurried lets a hook take two minutes, as a busy machine may. A prompt waits for half a second otherwise, and a hook lives for two.
func (p plugged) unhurried() plugged {
	p.Helper()
	code := string(p.read())
	for _, bound := range []string{"const patience = 500 ", "const lifetime = 2000 "} {
		if strings.Count(code, bound) != 1 {
			p.Fatalf("the plugin does not say %s", bound)
		}
		code = strings.Replace(code, bound, bound[:strings.Index(bound, "=")]+"= 120_000 ", 1)
	}
	if err := os.WriteFile(p.plugin, []byte(code), 0o600); err != nil {
		p.Fatal(err)
	}
	return p
}

// play lets the plugin see a recorded scene, and returns the parts of each prompt and the environment of each command.
func (p plugged) play(scene string, env ...string) (prompts, commands []string) {
	p.Helper()
	host := "testdata/opencode/replay.mjs"
	if strings.Contains(scene, "/v2") {
		host = "testdata/opencode/replay2.mjs"
	}
	return p.playOn(host, scene, env...)
}

// playOn is play on a host that stands in for the agent.
func (p plugged) playOn(host, scene string, env ...string) (prompts, commands []string) {
	p.Helper()
	cmd := exec.Command(p.node, host, p.plugin, scene, p.home)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "ABURN_DUMP=" + p.dump}, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		p.Fatalf("%v %s", err, &stderr)
	}
	for line := range strings.Lines(string(out)) {
		if line[0] == '[' {
			prompts = append(prompts, line)
		} else {
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	return prompts, commands
}

// TestOpencodePlugin: of each recorded scene the hook gets what hooks/opencode is tested with, in order.
func TestOpencodePlugin(t *testing.T) {
	world.Slow(t)
	recorded, err := os.ReadFile("../hooks/opencode/testdata/payloads.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, scene := range []string{"basic", "sub", "err", "perm", "resume", "v2", "v2stop", "v2fail"} {
		p := plug(t, `[ "$*" = "opencode --home $(dirname "$(dirname "$0")")" ] && { cat; echo; } >>"$ABURN_DUMP"`).unhurried()
		_, commands := p.play("testdata/opencode/" + scene + ".jsonl")
		var want strings.Builder
		session := ""
		for line := range strings.Lines(string(recorded)) {
			if name, payload, _ := strings.Cut(line, "\t"); strings.HasSuffix(name, "."+scene) {
				want.WriteString(strings.Replace(payload, `"cwd":"/home/user/project"`, `"cwd":"`+p.home+`"`, 1))
				session = gjson.Get(payload, "session_id").Str
			}
		}
		got, err := os.ReadFile(p.dump)
		if err != nil || string(got) != want.String() {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s", scene, err, got, want.String())
		}
		for _, c := range commands {
			if c != `{"ABURN_OPENCODE_SESSION":"`+session+`"}` {
				t.Errorf("%s: a command gets %s", scene, c)
			}
		}
	}
}

// TestOpencodePluginHarmsNobody: whatever is wrong with the hook, opencode's own work goes on and its prompt stays.
func TestOpencodePluginHarmsNobody(t *testing.T) {
	world.Slow(t)
	for name, hook := range map[string]string{
		"gone": "", "fails": "exit 2", "is killed": "kill -9 $$", "reads nothing": "exec <&-; exit 0", "hangs": "exec sleep 600",
		"says nonsense": "cat >/dev/null; echo nonsense", "says something else": `cat >/dev/null; echo '{"text":7}'; echo more >&2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plug(t, hook)
			scene := p.home + "/scene.jsonl"
			data, err := os.ReadFile("testdata/opencode/resume.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(scene, data, 0o600); err != nil {
				t.Fatal(err)
			}
			prompts, _ := p.play(scene)
			p.play("testdata/opencode/v2.jsonl") // nothing but that it ends
			if len(prompts) != 1 || strings.Count(prompts[0], `"text":"`) != 1 || strings.Contains(prompts[0], "synthetic") {
				t.Errorf("the prompts are %s", prompts)
			}
		})
	}
	p := plug(t, "cat >>$ABURN_DUMP")
	for _, scene := range []string{"basic", "v2"} {
		p.play("testdata/opencode/"+scene+".jsonl", "ABURN=0")
		if exists(p.dump) {
			t.Errorf("%s: with ABURN=0 the hook is called", scene)
		}
	}
}

// TestOpencodePluginTells: what the hook answers stands behind the prompt, as a text that no person wrote.
func TestOpencodePluginTells(t *testing.T) {
	world.Slow(t)
	p := plug(t, `case $(cat) in *chat.message*) echo '{"text":"be careful"}';; esac`).unhurried()
	prompts, _ := p.play("testdata/opencode/basic.jsonl")
	if len(prompts) != 1 {
		t.Fatal(prompts)
	}
	var parts []struct {
		ID, SessionID, MessageID, Type, Text string
		Synthetic                            bool
	}
	if err := json.Unmarshal([]byte(prompts[0]), &parts); err != nil || len(parts) != 2 {
		t.Fatalf("%v %s", err, prompts[0])
	}
	typed, told := parts[0], parts[1]
	if told.Text != "be careful" || !told.Synthetic || told.Type != "text" || told.SessionID != typed.SessionID || told.MessageID != typed.MessageID ||
		told.ID <= typed.ID || len(told.ID) != len(typed.ID) || told.ID[:16] != typed.ID[:16] {
		t.Errorf("%+v behind %+v", told, typed)
	}
}
