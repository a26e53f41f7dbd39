package templates

import (
	"strconv"
	"strings"

	"aburn/internal/agentcli"
)

// allowedTools spares the client's question before each of the two commands that templates run.
const allowedTools = "Bash(aburn log:*), Bash(aburn chain:*)"

// Render is the template as the agent reads it, front matter included.
func (t Template) Render(agent *agentcli.Agent) []byte {
	if t.slash(agent) {
		return t.slashCommand()
	}
	return t.skill(agent)
}

// slash says that the template is a slash command of the agent's, and not a skill.
func (t Template) slash(agent *agentcli.Agent) bool { return agent.Prompts.Slash && t.Kind == Command }

// slashCommand is the form of .claude/commands/NAME.md. A `!` line is run by the client before the model reads the
// prompt; if it exits with anything but 0 the client calls the whole command off, hence every one has --or.
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

// skill is the form of SKILL.md, which all agents know. Nothing in it is run or replaced, so it asks the model to.
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

// skillName is the folder's and the skill's name. A command keeps its own, so that $build in Codex is /build in Claude
// Code; the guide is named after aburn, because an agent lists it among all others.
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

// placeholder is what stands in a line {{kind…}}.
func placeholder(line, kind string) (string, bool) {
	inner, ok := strings.CutPrefix(line, "{{"+kind)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, "}}")
}

// field writes one line of YAML; a quoted Go string of these texts is a quoted YAML string.
func field(b *strings.Builder, key, value string) {
	b.WriteString(key + ": " + strconv.Quote(value) + "\n")
}

// File is one file to be written: Path with forward slashes, relative to the folder it is written into.
type File struct {
	Path string
	Data []byte
}

// ProjectFiles is what `aburn templates write` puts into a project, or into a home folder, for the given agent.
func ProjectFiles(agent *agentcli.Agent) []File {
	var files []File
	for _, t := range List() {
		files = append(files, t.files(agent, agent.Prompts.Folder)...)
	}
	return files
}

// Path is where the template stands below the agent's folder or a plugin's root.
func (t Template) Path(agent *agentcli.Agent) string {
	if t.slash(agent) {
		return "commands/" + t.Name + ".md"
	}
	return "skills/" + t.skillName() + "/SKILL.md"
}

// ProjectPath is Path in a project.
func (t Template) ProjectPath(agent *agentcli.Agent) string {
	return agent.Prompts.Folder + t.Path(agent)
}

// files is the template with what belongs to it, below the given folder.
func (t Template) files(agent *agentcli.Agent, below string) []File {
	files := []File{{below + t.Path(agent), t.Render(agent)}}
	if p := agent.Prompts; p.Explicit != "" && t.Explicit {
		files = append(files, File{below + "skills/" + t.skillName() + "/" + p.Explicit, []byte(p.ExplicitText)})
	}
	return files
}
