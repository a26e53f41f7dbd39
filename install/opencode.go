package install

import (
	_ "embed" // of the plugin
	"encoding/json"
	"strings"

	"aburn/internal/agentcli"
)

// Opencode is the adapter for opencode, which has no hooks but plugins.
var Opencode = &Adapter{Agent: &agentcli.Opencode, Canary: opencodeCanary, own: opencodeFile{}}

// opencodeFile is the plugin. It is the same for everybody but for two lines, which say what it calls.
type opencodeFile struct{}

//go:embed opencode.js
var opencodePlugin string

// The two lines. Their values are JSON, which is JavaScript too.
const (
	programLine = "\nconst program = "
	argsLine    = "\nconst args = "
)

func (opencodeFile) text(c call) []byte {
	text := replaceLine(opencodePlugin, programLine, quote(c.path))
	return []byte(replaceLine(text, argsLine, style{comma: ", "}.print(c.list(), "")))
}

func replaceLine(text, begin, value string) string {
	before, rest, _ := strings.Cut(text, begin)
	_, rest, _ = strings.Cut(rest, "\n")
	return before + begin + value + "\n" + rest
}

func (opencodeFile) registrations(_ string, data []byte) (out []Registration, _ error) {
	var path string
	var args []string
	line := func(begin string, v any) (at int, ok bool) {
		before, rest, found := strings.Cut(string(data), begin)
		value, _, _ := strings.Cut(rest, "\n")
		return strings.Count(before, "\n") + 2, found && json.Unmarshal([]byte(value), v) == nil
	}
	at, ok := line(programLine, &path)
	if _, also := line(argsLine, &args); !ok || !also {
		return nil, nil
	}
	for _, ev := range agentcli.Opencode.Hooks.Events {
		folders, ours := ownCall(&agentcli.Opencode, "", path, args)
		if ours {
			args = append([]string{agentcli.Opencode.Name}, folders...)
		}
		out = append(out, Registration{Event: ev.Name, Line: at, Path: path, Args: args, Ours: ours, Wrapped: !ours, Guarded: true})
	}
	return out, nil
}

func (opencodeFile) remarks(Scope) []string {
	return []string{"with any plugin, opencode waits at its first start until npm has brought its library for plugins: without a network that takes about a " +
		"minute and a half",
		"opencode 1.1 does not start with this plugin, and nobody has tried it on OpenCode 2"}
}

// opencodeCanary spells the fields of a payload as the plugin does.
func opencodeCanary(fields map[string]any) map[string]any {
	if fields["tool_name"] != nil {
		fields["tool_name"] = "bash"
	}
	if fields["tool_response"] != nil {
		fields["tool_response"] = map[string]any{"status": "completed", "exit": 0}
	}
	return fields
}
