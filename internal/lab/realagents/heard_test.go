//go:build agents

package realagents

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// outcome is what the model was told about one of its calls.
type outcome struct {
	failed bool   // Claude Code says so; Codex tells only exit codes
	exit   string // Codex: the exit code, "" = not told
	codex  bool
}

var exited = regexp.MustCompile(`Process exited with code (-?\d+)`)

// heard is what the model was told about its calls, by their ids, out of its own log of requests.
func (w *world) heard() map[string]outcome {
	w.Helper()
	heard := map[string]outcome{}
	for _, r := range w.model.Asked() {
		body := gjson.ParseBytes(r.Body)
		for _, message := range body.Get("messages").Array() {
			for _, block := range message.Get("content").Array() {
				if block.Get("type").String() == "tool_result" {
					heard[block.Get("tool_use_id").String()] = outcome{failed: block.Get("is_error").Bool()}
				}
			}
		}
		for _, item := range body.Get("input").Array() {
			if !strings.HasSuffix(item.Get("type").String(), "_call_output") {
				continue
			}
			o := outcome{codex: true}
			if m := exited.FindStringSubmatch(item.Get("output").String()); m != nil {
				o.exit = m[1]
			}
			heard[item.Get("call_id").String()] = o
		}
	}
	return heard
}

// heardToo holds the log to what the model was told: no call that the model did not make, no success that it was told is a
// failure, no other exit code.
func heardToo(t testing.TB, logged []call, heard map[string]outcome) {
	t.Helper()
	for _, c := range logged {
		o, known := heard[c.ID]
		switch {
		case strings.HasPrefix(c.ID, "exec-"): // made inside of Codex's JavaScript, which alone the model hears of
		case !known && c.End == "TOOL": // of a call that ended a session, the model does not hear again
			t.Errorf("the model heard nothing of %s", c)
		case known && !o.codex && c.End != "" && o.failed != (c.End != "TOOL"):
			t.Errorf("the model was told failed=%v of %s", o.failed, c)
		case o.exit != "" && c.Exit != "" && o.exit != c.Exit:
			t.Errorf("the model was told exit code %s of %s", o.exit, c)
		}
	}
}
