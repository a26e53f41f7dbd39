//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"aburn/hooks"
	"aburn/internal/lab/testkit/model"
)

// stateEnv is the user's environment, as far as it locates the state folder.
func (w *world) stateEnv(name string) string {
	return map[string]string{"HOME": w.home}[name]
}

func (w *world) waits(list ...hooks.Wait) {
	w.Helper()
	if err := hooks.UpdateGlance(w.stateEnv, func(g *hooks.Glance) { g.Watched, g.Waits = time.Now(), list }); err != nil {
		w.Fatal(err)
	}
}

// TestClaudeShowsTheStatusLine: Claude Code shows the line below its prompt, renews it by itself, and shows a line that was there
// before above it. Taking it out again leaves the settings as they were.
func TestClaudeShowsTheStatusLine(t *testing.T) {
	for name, settings := range map[string]string{
		"alone": "{\n\t\"model\": \"opus\"\n}\n",
		"wrapped": "{\n\t\"statusLine\": {\"type\": \"command\", \"command\": \"grep -c '\\\"session_id\\\"' | sed 's/^/my own line /'\", " +
			"\"refreshInterval\": 2}\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "line", one(model.Text("first answer"))(), nil)
			path := filepath.Join(w.home, ".claude", "settings.json")
			w.write(path, settings)
			w.aburn("install-hooks", "--agent", "claude", "--statusline", "--wrap", "--yes")
			w.waits(hooks.Wait{Project: "shop", Session: "another"})
			term := w.claudeTerminal()
			term.say("first")
			term.see("first answer")
			term.see(" session")
			term.see("· ctx ")
			w.waits(hooks.Wait{Project: "shop", Session: "another"})
			term.see("· 1 waits: shop")
			if name == "wrapped" {
				term.see("my own line 1")
			}
			w.waits() // answered; Claude Code asks for the line again although nothing happens
			for deadline := time.Now().Add(runDeadline); term.shows("1 waits: shop")(); time.Sleep(100 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the line is never renewed")
				}
			}
			term.say("/exit")
			term.gone()
			w.aburn("uninstall-hooks", "--agent", "claude", "--yes")
			if data, err := os.ReadFile(path); err != nil || string(data) != settings {
				t.Errorf("the settings became\n%s\n%v", data, err)
			}
		})
	}
}
