package templates

import "aburn/internal/agentcli"

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
