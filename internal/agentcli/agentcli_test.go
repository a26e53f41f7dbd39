package agentcli

import (
	"slices"
	"testing"
)

// TestEvents holds what must never be subscribed to, and what Codex caps.
func TestEvents(t *testing.T) {
	for _, e := range slices.Concat(Claude.Hooks.Events, Codex.Hooks.Events, Gemini.Hooks.Events, Qwen.Hooks.Events) {
		switch {
		case e.Name == "WorktreeCreate", e.Name == "MessageDisplay", e.Name == "PreModelRequest",
			e.Name == "BeforeModel", e.Name == "AfterModel", e.Name == "BeforeToolSelection", e.Name == "PreCompress", e.Name == "InstructionsLoaded":
			t.Errorf("%s is subscribed to", e.Name)
		case e.Timeout < 2: // the hook's own deadline is 0.8 s
			t.Errorf("%s has a timeout of %d s", e.Name, e.Timeout)
		}
	}
	for _, e := range Codex.Hooks.Events {
		if (e.Name == "SessionEnd" || e.Name == "Interrupt") && e.Timeout > 3 {
			t.Errorf("%s: Codex caps %d s at 3 and warns at every start", e.Name, e.Timeout)
		}
	}
}

// TestRecords holds what everybody who takes a record relies on.
func TestRecords(t *testing.T) {
	names := map[string]bool{}
	for _, a := range All() {
		if a.Name == "" || a.Title == "" || names[a.Name] {
			t.Errorf("a record without a name or title, or with one that was there: %q, %q", a.Name, a.Title)
		}
		names[a.Name] = true
		if Of(a.Name) != a {
			t.Errorf("Of(%q) is another record", a.Name)
		}
		if a.Hooked() && (a.Home.Dir == "" || a.Settings.User == "" || (a.Prompts.Folder == "") != (a.Prompts.Mention == "") ||
			(a.Hooks.Since == "") != (a.Hooks.Before == "")) {
			t.Errorf("%s has hooks, and its record is not whole", a.Name)
		}
	}
	if got, want := Names(All()), "claude, codex, opencode, openclaw, gemini, qwen, copilot, pi, own, worker"; got != want {
		t.Errorf("sources are %s, want %s", got, want)
	}
}

// TestQuiet: an agent that is no source has a record all the same.
func TestQuiet(t *testing.T) {
	if Of("aider") != &Aider || Aider.Hooked() || Aider.Program == "" {
		t.Errorf("%+v", Of("aider"))
	}
}

// TestNobodyKnows: of a source without a record nothing is claimed.
func TestNobodyKnows(t *testing.T) {
	for _, source := range []string{"", "prompt", "aburn", "acme", "Claude"} {
		if a := Of(source); a.Name != "" || a.Hooked() || a.Traits != (Traits{}) {
			t.Errorf("Of(%q) is %+v", source, a)
		}
	}
}

// TestHomeFolder: whoever looks for an agent's files goes by one rule, which is the agent's own.
func TestHomeFolder(t *testing.T) {
	for _, c := range []struct {
		home Home
		vars map[string]string
		user string
		want string
	}{
		{Claude.Home, nil, "/h", "/h/.claude"},
		{Claude.Home, map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, "/h", "/c"},
		{Claude.Home, map[string]string{"CLAUDE_CONFIG_DIR": "conf"}, "/h", "conf"},
		{Codex.Home, map[string]string{"CODEX_HOME": "./x"}, "", "./x"},
		{Codex.Home, map[string]string{"CODEX_HOME": ""}, "/h", "/h/.codex"},
		{Gemini.Home, map[string]string{"GEMINI_CLI_HOME": "/g"}, "/h", "/g/.gemini"},
		{Codex.Home, nil, "", ""},
	} {
		if got := c.home.Folder(c.user, func(name string) string { return c.vars[name] }); got != c.want {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
	}
}

// A session that hooks recorded has its agent's name, as any other.
func TestCalled(t *testing.T) {
	for _, c := range []struct{ source, agent, title, short string }{
		{"claude", "claude", "Claude Code", "claude"}, {"codex", "", "Codex", "codex"}, {"own", "claude", "Claude Code via hooks", "claude via hooks"},
		{"own", "prompt", "unknown agent via hooks", "unknown agent via hooks"},
		{"worker", "codex", "Codex worker", "codex worker"}, {"acme", "", "acme", "acme"},
	} {
		if title, short := Called(c.source, c.agent), CalledShort(c.source, c.agent); title != c.title || short != c.short {
			t.Errorf("%s/%s: %q, %q", c.source, c.agent, title, short)
		}
	}
}
