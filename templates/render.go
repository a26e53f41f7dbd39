package templates

import (
	"strconv"
	"strings"

	"aburn/internal/agentcli"
)

// allowedTools lets the client run the templates' two commands without asking.
const allowedTools = "Bash(aburn log:*), Bash(aburn chain:*)"

// Render returns the template in the agent's form, with front matter.
func (t Template) Render(agent *agentcli.Agent) []byte {
	switch {
	case !t.slash(agent):
		return t.skill(agent)
	case agent.Prompts.TOML:
		return t.tomlCommand()
	case agent.Prompts.Braces:
		return t.bracesCommand()
	}
	return t.slashCommand()
}

// slash reports whether the template is a slash command for the agent, not a skill.
func (t Template) slash(agent *agentcli.Agent) bool { return agent.Prompts.Slash && t.Kind == Command }

// slashCommand is the form of .claude/commands/NAME.md. The client runs a `!` line before the model reads the prompt.
// If the exit code is not 0, it cancels the whole command; hence every line has --or.
func (t Template) slashCommand() []byte {
	var b strings.Builder
	b.WriteString("---\n")
	field(&b, "description", t.Description)
	field(&b, "argument-hint", t.Hint)
	b.WriteString("allowed-tools: " + allowedTools + "\n")
	if t.Explicit {
		b.WriteString("disable-model-invocation: true\n")
	}
	b.WriteString("---\n\n")
	b.WriteString(t.expand("$ARGUMENTS", func(cmd string) string { return "!`" + cmd + "`" }))
	return []byte(b.String())
}

// braces is the body for an agent that fills in {{args}} and runs !{…}. It asks the user before it does.
func (t Template) braces() string {
	return t.expand("{{args}}", func(cmd string) string { return "!{" + cmd + "}" })
}

// tomlCommand is the form of .gemini/commands/NAME.toml. No text holds what ends a literal string (TestRendered).
func (t Template) tomlCommand() []byte {
	return []byte("description = " + strconv.Quote(t.Description) + "\n\nprompt = '''\n" + t.braces() + "'''\n")
}

// bracesCommand is the form of .qwen/commands/NAME.md.
func (t Template) bracesCommand() []byte {
	var b strings.Builder
	b.WriteString("---\n")
	field(&b, "description", t.Description)
	b.WriteString("---\n\n")
	b.WriteString(t.braces())
	return []byte(b.String())
}

// skill is the form of SKILL.md, which all agents know. Agents run and replace nothing in it, so it asks the model to.
func (t Template) skill(agent *agentcli.Agent) []byte {
	mention := agent.Prompts.Mention + t.Name
	var b strings.Builder
	b.WriteString("---\n")
	field(&b, "name", t.skillName())
	description := t.Description
	if t.Kind == Command {
		description += " Use when the user writes " + mention + " or asks for the " + t.Name + " step of the workflow."
	}
	field(&b, "description", description)
	b.WriteString("---\n\n")
	b.WriteString(t.expand("what the user wrote along with `"+mention+"`.", func(cmd string) string {
		return "Run this now and read what it prints:\n\n    " + cmd
	}))
	return []byte(b.String())
}

// skillName is the name of the skill and its folder. A command keeps its own, so that $build in Codex is /build in
// Claude Code. The guide's begins with aburn, because agents list it among all other skills.
func (t Template) skillName() string {
	if t.Kind == Guide {
		return "aburn-" + t.Name
	}
	return t.Name
}

// expand fills the body's placeholders.
func (t Template) expand(args string, run func(cmd string) string) string {
	var b strings.Builder
	for line := range strings.Lines(t.body) {
		bare := strings.TrimSpace(line)
		if part, ok := placeholder(bare, "include: "); ok {
			text, _ := read(part)
			b.WriteString(text)
			continue
		}
		if cmd, ok := placeholder(bare, "run: "); ok {
			line = run(cmd) + "\n"
		}
		b.WriteString(line)
	}
	return strings.NewReplacer("{{args}}", args, "{{name}}", t.Name).Replace(b.String())
}

// placeholder returns the argument of a line {{kind…}}.
func placeholder(line, kind string) (string, bool) {
	inner, ok := strings.CutPrefix(line, "{{"+kind)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, "}}")
}

// field writes one line of YAML. For these texts a quoted Go string is a quoted YAML string.
func field(b *strings.Builder, key, value string) {
	b.WriteString(key + ": " + strconv.Quote(value) + "\n")
}

// File is a file to write. Path has forward slashes and is relative to the target folder.
type File struct {
	Path string
	Data []byte
}

// ProjectFiles returns the files that `aburn templates write` puts into a project or a home folder for the agent.
func ProjectFiles(agent *agentcli.Agent) []File {
	var files []File
	for _, t := range List() {
		files = append(files, t.files(agent, agent.Prompts.Folder)...)
	}
	return files
}

// Path returns the template's path below the agent's folder or a plugin's root.
func (t Template) Path(agent *agentcli.Agent) string {
	if t.slash(agent) {
		if agent.Prompts.TOML {
			return "commands/" + t.Name + ".toml"
		}
		return "commands/" + t.Name + ".md"
	}
	return "skills/" + t.skillName() + "/SKILL.md"
}

// ProjectPath returns the template's path in a project.
func (t Template) ProjectPath(agent *agentcli.Agent) string {
	return agent.Prompts.Folder + t.Path(agent)
}

// files returns the template and its companion file, below the given folder.
func (t Template) files(agent *agentcli.Agent, below string) []File {
	files := []File{{below + t.Path(agent), t.Render(agent)}}
	if p := agent.Prompts; p.Explicit != "" && t.Explicit {
		files = append(files, File{below + "skills/" + t.skillName() + "/" + p.Explicit, []byte(p.ExplicitText)})
	}
	return files
}
