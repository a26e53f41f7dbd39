package story

import (
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/shell"
)

// ContinueCommand is the shell command with which a person continues a session in its folder. It is "" if the agent has none, or
// if a name has characters that a terminal may not show as they are.
func ContinueCommand(source, id, dir string) string {
	with := agentcli.Of(source).Resume
	if with == "" || id == "" || plain.Line(id) != id || plain.Line(dir) != dir {
		return ""
	}
	text := with + " " + shell.Quote(id)
	if dir != "" {
		text = "cd " + shell.Quote(dir) + " && " + text
	}
	return text
}
