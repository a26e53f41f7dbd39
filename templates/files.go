package templates

// File is one file to be written: Path with forward slashes, relative to the folder it is written into.
type File struct {
	Path string
	Data []byte
}

// ProjectFiles is what `aburn templates write` puts into a project, or into a home folder, for the given agent.
func ProjectFiles(agent Agent) []File {
	var files []File
	for _, t := range List() {
		files = append(files, t.files(agent, projectHome(agent))...)
	}
	return files
}

// projectHome is the folder in a project, or in a home folder, where the agent looks for commands and skills.
func projectHome(agent Agent) string {
	if agent == Claude {
		return ".claude/"
	}
	return ".agents/"
}

// Path is where the template stands below the agent's folder or a plugin's root.
func (t Template) Path(agent Agent) string {
	if agent == Claude && t.Kind == Command {
		return "commands/" + t.Name + ".md"
	}
	return "skills/" + t.skillName() + "/SKILL.md"
}

// ProjectPath is Path in a project.
func (t Template) ProjectPath(agent Agent) string { return projectHome(agent) + t.Path(agent) }

// files is the template with what belongs to it, below the given folder.
func (t Template) files(agent Agent, below string) []File {
	files := []File{{below + t.Path(agent), t.Render(agent)}}
	if agent == Codex && t.Explicit {
		files = append(files, File{below + "skills/" + t.skillName() + "/agents/openai.yaml", []byte(explicitOnly)})
	}
	return files
}

// explicitOnly keeps Codex from choosing a skill by itself.
const explicitOnly = "policy:\n  allow_implicit_invocation: false\n"
