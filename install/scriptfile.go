package install

import (
	_ "embed" // of the script
	"encoding/json"
	"strings"

	"aburn/internal/agentcli"
)

// scriptFile is a script that an agent without commands as hooks loads: it calls the hook. It is the same for everybody but for two lines,
// which say what it calls.
type scriptFile struct {
	agent *agentcli.Agent
	code  string   // its comment, then what follows forward.js
	notes []string // what the user should know about it
}

// forward is what all scripts share: how a payload gets to the hook.
//
//go:embed forward.js
var forward string

// The two lines. Their values are JSON, which is JavaScript too.
const (
	programLine = "\nconst program = "
	argsLine    = "\nconst args = "
)

func (f scriptFile) text(c call) []byte {
	at := 0
	for strings.HasPrefix(f.code[at:], "//") {
		at += strings.Index(f.code[at:], "\n") + 1
	}
	text := replaceLine(f.code[:at]+forward+f.code[at:], programLine, quote(c.path))
	return []byte(replaceLine(text, argsLine, style{comma: ", "}.print(c.list(), "")))
}

func replaceLine(text, begin, value string) string {
	before, rest, _ := strings.Cut(text, begin)
	_, rest, _ = strings.Cut(rest, "\n")
	return before + begin + value + "\n" + rest
}

func (f scriptFile) registrations(_ string, data []byte) (out []Registration, _ error) {
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
	for _, ev := range f.agent.Hooks.Events {
		folders, ours := ownCall(f.agent, "", path, args)
		if ours {
			args = append([]string{f.agent.Name}, folders...)
		}
		out = append(out, Registration{Event: ev.Name, Line: at, Path: path, Args: args, Ours: ours, Wrapped: !ours, Guarded: true})
	}
	return out, nil
}

func (f scriptFile) remarks(Scope) []string { return f.notes }
