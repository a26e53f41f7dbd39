package templates

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aburn/internal/agentcli"
	"aburn/internal/plain"
)

var agents = []*agentcli.Agent{&agentcli.Claude, &agentcli.Codex}

func TestTheWorkflowComesFirst(t *testing.T) {
	var names []string
	for _, tmpl := range List() {
		names = append(names, tmpl.Name)
		if tmpl.Description == "" || (tmpl.Hint == "") != (tmpl.Kind == Guide) {
			t.Errorf("%s: description %q, hint %q", tmpl.Name, tmpl.Description, tmpl.Hint)
		}
	}
	if want := []string{"ideate", "plan", "build", "ship", "logging"}; !slices.Equal(names, want) {
		t.Errorf("templates are %v, want %v", names, want)
	}
	for _, name := range []string{"lifecycle", "plugin-claude", "none", "../text/plan", ""} {
		if _, ok := Find(name); ok {
			t.Errorf("Find(%q) found a template", name)
		}
	}
}

// TestRendered checks what an agent gets: front matter that a YAML reader takes, no placeholder left, and in a slash
// command no line that could call the command off.
func TestRendered(t *testing.T) {
	frontMatter := regexp.MustCompile(`\A---\n((?:[a-z-]+: .+\n)+)---\n\n# `)
	for _, agent := range append(agents, &agentcli.Opencode, &agentcli.Qwen, &agentcli.Copilot) {
		for _, tmpl := range List() {
			text := string(tmpl.Render(agent))
			if agent.Prompts.Braces && tmpl.Kind == Command {
				text = strings.ReplaceAll(text, "{{args}}", "")
			}
			head := frontMatter.FindStringSubmatch(text)
			if head == nil {
				t.Fatalf("%s for %s begins %q", tmpl.Name, agent.Name, text[:80])
			}
			for line := range strings.Lines(head[1]) {
				_, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				if s := ""; strings.ContainsAny(value, `:[]#`) && !strings.HasPrefix(value, "Bash(") && json.Unmarshal([]byte(value), &s) != nil {
					t.Errorf("%s for %s: %q is no quoted YAML string", tmpl.Name, agent.Name, value)
				}
			}
			if strings.Contains(text, "!`") && (tmpl.Kind == Guide || !agent.Prompts.Slash) {
				t.Errorf("%s for %s holds a line that Claude Code runs when it loads the skill", tmpl.Name, agent.Name)
			}
			if strings.Contains(text, "{{") {
				t.Errorf("%s for %s holds a placeholder: %q", tmpl.Name, agent.Name, text[strings.Index(text, "{{"):][:40])
			}
			if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
				t.Errorf("%s for %s does not end in one newline", tmpl.Name, agent.Name)
			}
		}
	}
}

func TestSlashCommands(t *testing.T) {
	for _, tmpl := range List() {
		if tmpl.Kind != Command {
			continue
		}
		text := string(tmpl.Render(&agentcli.Claude))
		for _, want := range []string{
			"\nallowed-tools: Bash(aburn log:*), Bash(aburn chain:*)\n", "\nargument-hint: \"[", "$ARGUMENTS",
			"aburn log " + tmpl.Name + " START", "aburn log " + tmpl.Name + " COMPLETE --summary", "aburn log " + tmpl.Name + " FAILED --error",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("/%s lacks %q", tmpl.Name, want)
			}
		}
		bangs := 0
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "!`") {
				continue
			}
			bangs++
			if !strings.HasPrefix(line, "!`aburn chain ") || !strings.Contains(line, ` --or "`) || !strings.HasSuffix(line, "`\n") {
				t.Errorf("/%s: the client would refuse or call off at %q", tmpl.Name, line)
			}
		}
		if bangs == 0 {
			t.Errorf("/%s does not begin with the chain", tmpl.Name)
		}
		if n := strings.Count(text, "$"); n != 1 {
			t.Errorf("/%s: %d signs that the client may replace, want only $ARGUMENTS", tmpl.Name, n)
		}
		if got := strings.Contains(text, "disable-model-invocation: true"); got != tmpl.Explicit {
			t.Errorf("/%s: model may start it: %v", tmpl.Name, !got)
		}
	}
	build, _ := Find("build")
	for _, phase := range []string{"RED", "GREEN", "REFACTOR"} {
		for _, event := range []string{"PHASE_START", "PHASE_COMPLETE"} {
			if want := "`aburn log build " + event + " --phase " + phase; !strings.Contains(string(build.Render(&agentcli.Claude)), want) {
				t.Errorf("/build lacks %s", want)
			}
		}
	}
}

// TestSkills checks what Codex gets: nothing that only Claude Code replaces.
func TestSkills(t *testing.T) {
	for _, tmpl := range List() {
		text := string(tmpl.Render(&agentcli.Codex))
		folder := strings.TrimSuffix(tmpl.Path(&agentcli.Codex), "/SKILL.md")
		if want := "\nname: \"" + folder[strings.LastIndex(folder, "/")+1:] + "\"\n"; !strings.Contains(text, want) {
			t.Errorf("%s: the skill's name is not its folder's: %s", tmpl.Name, want)
		}
		if tmpl.Kind == Guide {
			continue
		}
		for _, bad := range []string{"$ARGUMENTS", "allowed-tools"} {
			if strings.Contains(text, bad) {
				t.Errorf("skill %s holds %s", tmpl.Name, bad)
			}
		}
		if !strings.Contains(text, "Run this now and read what it prints:\n\n    aburn chain ") {
			t.Errorf("skill %s does not begin with the chain", tmpl.Name)
		}
	}
}

// TestShown: nothing in what agents are given is unseen by people who read it.
func TestShown(t *testing.T) {
	err := fs.WalkDir(texts, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(texts, path)
		if plain.ModelText(string(text)) != string(text) {
			t.Errorf("%s holds a character that is not shown to a model", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A command of Gemini CLI is a TOML file: its prompt is a literal string, which nothing in it may end. The client runs what
// stands in balanced braces.
func TestTOMLCommands(t *testing.T) {
	form := regexp.MustCompile(`\Adescription = ("[^"\\]+")\n\nprompt = '''\n((?s:.*))'''\n\z`)
	for _, tmpl := range List() {
		if tmpl.Kind != Command {
			continue
		}
		parts := form.FindStringSubmatch(string(tmpl.Render(&agentcli.Gemini)))
		if parts == nil {
			t.Fatalf("%s is %q", tmpl.Name, tmpl.Render(&agentcli.Gemini))
		}
		prompt := parts[2]
		if strings.Contains(prompt, "'''") || !strings.Contains(prompt, "{{args}}") || !strings.Contains(prompt, "\n!{aburn chain ") ||
			strings.Contains(prompt, "$ARGUMENTS") {
			t.Errorf("%s: %s", tmpl.Name, prompt)
		}
		if open, closed := strings.Count(prompt, "{"), strings.Count(prompt, "}"); open != closed {
			t.Errorf("%s: %d braces are opened, %d closed", tmpl.Name, open, closed)
		}
		if tmpl.Path(&agentcli.Gemini) != "commands/"+tmpl.Name+".toml" || tmpl.Path(&agentcli.Qwen) != "commands/"+tmpl.Name+".md" {
			t.Errorf("%s is at %s, and at %s", tmpl.Name, tmpl.Path(&agentcli.Gemini), tmpl.Path(&agentcli.Qwen))
		}
	}
}
