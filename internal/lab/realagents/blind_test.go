//go:build agents

package realagents

import (
	"fmt"
	"path/filepath"
	"testing"

	"aburn/logfmt"
)

// recorder counts the complaints of a check that is itself under test.
type recorder struct {
	testing.TB
	complaints []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.complaints = append(r.complaints, fmt.Sprintf(format, args...))
}

// TestChecksAreNotBlind: a check that cannot fail proves nothing.
func TestChecksAreNotBlind(t *testing.T) {
	entry := func(ev logfmt.Event, session, id, more string) logfmt.Entry {
		return logfmt.Entry{Event: ev, Session: logfmt.SessionID(session), Data: []byte(`{"tool":"Bash","tool_use_id":"` + id + `"` + more + `}`)}
	}
	start, end := entry(logfmt.ToolStart, sessionA, "c1", ""), entry(logfmt.Tool, sessionA, "c1", `,"exit_code":0`)
	told := []call{{ID: "c1", Session: sessionA, Tool: "Bash", End: "TOOL", Exit: "0"}}
	for name, c := range map[string]struct {
		entries    []logfmt.Entry
		transcript []call
		complaints int
	}{
		"right":           {[]logfmt.Entry{start, end}, told, 0},
		"lost":            {nil, told, 1},
		"no end":          {[]logfmt.Entry{start}, told, 1},
		"twice":           {[]logfmt.Entry{start, end, end}, told, 1},
		"no start":        {[]logfmt.Entry{end}, told, 1},
		"other session":   {[]logfmt.Entry{entry(logfmt.ToolStart, sessionB, "c1", ""), entry(logfmt.Tool, sessionB, "c1", "")}, told, 2},
		"other exit code": {[]logfmt.Entry{start, entry(logfmt.Tool, sessionA, "c1", `,"exit_code":1`)}, told, 1},
		"no exit code":    {[]logfmt.Entry{start, entry(logfmt.Tool, sessionA, "c1", "")}, told, 1},
		"other end":       {[]logfmt.Entry{start, entry(logfmt.ToolFailed, sessionA, "c1", `,"exit_code":0`)}, told, 1},
		"invented":        {[]logfmt.Entry{start, end}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			agree(r, loggedCalls(r, c.entries), c.transcript)
			if len(r.complaints) != c.complaints {
				t.Errorf("%d complaints, want %d: %q", len(r.complaints), c.complaints, r.complaints)
			}
		})
	}
}

// TestExaminedIsNotBlind is the same for what aburn says about sessions.
func TestExaminedIsNotBlind(t *testing.T) {
	const truth = "session A completed root prompts=1\ncall c1 Bash errored exit=2\nfile created a.txt 1 0\nsession c1 killed subagent:A"
	for name, c := range map[string]struct {
		change     func(told map[string]*account)
		complaints int
	}{
		"right":           {func(map[string]*account) {}, 0},
		"another outcome": {func(told map[string]*account) { told["c1"].facts["outcome"] = "unknown" }, 1},
		"another parent":  {func(told map[string]*account) { told["c1"].facts["related"] = "B" }, 1},
		"a token":         {func(told map[string]*account) { told["A"].facts["input"] = "1" }, 1},
		"another exit":    {func(told map[string]*account) { told["A"].calls[0][4] = "-" }, 1},
		"a call more":     {func(told map[string]*account) { told["A"].calls = append(told["A"].calls, told["A"].calls[0]) }, 1},
		"a line less":     {func(told map[string]*account) { told["A"].files[0][2] = "0" }, 1},
		"invented":        {func(told map[string]*account) { told["B"] = told["A"] }, 1},
		"lost":            {func(told map[string]*account) { delete(told, "c1") }, 1 + len(counted) + 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			told := truths(t, truth)
			c.change(told)
			(&marks{TB: r}).compare(truths(t, truth), told)
			if len(r.complaints) != c.complaints {
				t.Errorf("%d complaints, want %d: %q", len(r.complaints), c.complaints, r.complaints)
			}
		})
	}
}

// TestHeardIsNotBlind is the same for the comparison with what the model was told.
func TestHeardIsNotBlind(t *testing.T) {
	for name, c := range map[string]struct {
		logged call
		heard  map[string]outcome
		right  bool
	}{
		"right":             {call{ID: "c1", End: "TOOL"}, map[string]outcome{"c1": {}}, true},
		"right code":        {call{ID: "c1", End: "TOOL_FAILED", Exit: "3"}, map[string]outcome{"c1": {codex: true, exit: "3"}}, true},
		"open":              {call{ID: "c1"}, nil, true},
		"invented":          {call{ID: "c1", End: "TOOL"}, nil, false},
		"failed, told fine": {call{ID: "c1", End: "TOOL_FAILED"}, map[string]outcome{"c1": {}}, false},
		"fine, told failed": {call{ID: "c1", End: "TOOL"}, map[string]outcome{"c1": {failed: true}}, false},
		"other code":        {call{ID: "c1", End: "TOOL", Exit: "0"}, map[string]outcome{"c1": {codex: true, exit: "3"}}, false},
	} {
		r := &recorder{TB: t}
		if heardToo(r, []call{c.logged}, c.heard); (len(r.complaints) == 0) != c.right {
			t.Errorf("%s: complaints %q", name, r.complaints)
		}
	}
}

// TestAHookThatSpeaksIsSeen: one word of a hook on stdout makes the two worlds differ, in both agents.
func TestAHookThatSpeaksIsSeen(t *testing.T) {
	t.Parallel()
	const speaking = `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo a word"}]}]}}`
	worlds := map[string]*world{}
	for _, name := range []string{"native", "second", "hooked"} {
		w := newWorld(t, name, twoAgents(), nil)
		if name == "hooked" {
			w.write(filepath.Join(w.home, ".claude", "settings.json"), speaking)
			w.write(filepath.Join(w.home, ".codex", "hooks.json"), speaking)
		}
		w.claude("do the thing", free(sessionA)...)
		w.codexExec(w.project, "do the thing")
		worlds[name] = w
	}
	r := &recorder{TB: t}
	if sameModel(r, worlds["second"], worlds["native"]); len(r.complaints) != 0 {
		t.Errorf("two equal runs differ: %q", r.complaints)
	}
	if sameModel(r, worlds["hooked"], worlds["native"]); len(r.complaints) != 2 {
		t.Errorf("%d complaints, want one of each agent: %q", len(r.complaints), r.complaints)
	}
}
