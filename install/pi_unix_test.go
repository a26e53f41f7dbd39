//go:build unix

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// plugPi is plug for pi's extension.
func plugPi(t *testing.T, hook string) plugged {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	b := newBench(t, Pi, nil)
	b.install()
	p := plugged{b, node, filepath.Join(b.home, "extension.mjs"), filepath.Join(b.home, "dump")}
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

// TestPiExtension: of each recorded scene the hook gets what hooks/pi is tested with, in order.
func TestPiExtension(t *testing.T) {
	world.Slow(t)
	recorded, err := os.ReadFile("../hooks/pi/testdata/payloads.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, scene := range []string{"basic", "err", "term", "block", "compact"} {
		p := plugPi(t, `[ "$*" = "pi --home $(dirname "$(dirname "$0")")" ] && { cat; echo; } >>"$ABURN_DUMP"`).unhurried()
		prompts, _ := p.playOn("testdata/pi/replay.mjs", "testdata/pi/"+scene+".jsonl")
		var want strings.Builder
		for line := range strings.Lines(string(recorded)) {
			if name, payload, _ := strings.Cut(line, "\t"); strings.HasSuffix(name, "."+scene) {
				want.WriteString(strings.Replace(payload, `"cwd":"/home/user/project"`, `"cwd":"`+p.home+`"`, 1))
			}
		}
		got, err := os.ReadFile(p.dump)
		if err != nil || string(got) != want.String() || len(prompts) != 0 {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s\nprompts %s", scene, err, got, want.String(), prompts)
		}
	}
}

// TestPiExtensionHarmsNobody: whatever is wrong with the hook, pi's own work goes on.
func TestPiExtensionHarmsNobody(t *testing.T) {
	world.Slow(t)
	for name, hook := range map[string]string{
		"gone": "", "fails": "exit 2", "reads nothing": "exec <&-; exit 0", "hangs": "exec sleep 600",
		"says nonsense": "cat >/dev/null; echo nonsense", "says something else": `cat >/dev/null; echo '{"text":7}'; echo more >&2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, others := plugPi(t, hook).playOn("testdata/pi/replay.mjs", "testdata/pi/err.jsonl")
			if len(others) != 1 || others[0] != "null" {
				t.Errorf("the prompt got %s", others)
			}
		})
	}
	p := plugPi(t, "cat >>$ABURN_DUMP")
	p.playOn("testdata/pi/replay.mjs", "testdata/pi/err.jsonl", "ABURN=0")
	if exists(p.dump) {
		t.Error("with ABURN=0 the hook is called")
	}
}

// TestPiExtensionTells: what the hook answers comes behind the prompt.
func TestPiExtensionTells(t *testing.T) {
	world.Slow(t)
	p := plugPi(t, `case $(cat) in *before_agent_start*) echo '{"text":"be careful"}';; esac`).unhurried()
	_, others := p.playOn("testdata/pi/replay.mjs", "testdata/pi/err.jsonl")
	if want := `{"message":{"customType":"aburn","content":"be careful","display":false}}`; len(others) != 1 || others[0] != want {
		t.Errorf("%s", others)
	}
}
