package install

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Copilot is the adapter for the Copilot CLI's settings.
var Copilot = &Adapter{Agent: &agentcli.Copilot, Session: copilotSession, Likely: copilotLikely, Canary: copilotCanary, own: copilotFile{}}

// copilotFile is one of the files in a folder of hooks. Copilot 1.0.102 drops a file with comments as a whole, without a
// word, and denies a tool if a hook of preToolUse fails, also because its program is missing. So each command succeeds
// whatever happens.
type copilotFile struct{}

func (copilotFile) text(c call) []byte {
	windows := runtime.GOOS == "windows"
	everybody := len(c.folders) == 0 && !filepath.IsAbs(c.path)
	var b strings.Builder
	b.WriteString("{\n  \"version\": 1,\n  \"hooks\": {\n")
	for i, ev := range c.agent.events() {
		b.WriteString("    " + quote(ev.Name) + ": [\n      {\"type\": \"command\"")
		if everybody || !windows {
			b.WriteString(", \"bash\": " + quote(shGuard.around(c.of(ev.Name).bare(false))))
		}
		if everybody || windows {
			b.WriteString(", \"powershell\": " + quote(powershellGuard.around(c.of(ev.Name).powerShell())))
		}
		b.WriteString(", \"timeoutSec\": " + strconv.Itoa(ev.Timeout) + "}\n    ]")
		if i < len(c.agent.events())-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("  }\n}\n")
	return []byte(b.String())
}

func (c call) powerShell() string {
	line := powerShellQuote(c.path)
	for _, arg := range c.args() {
		line += " " + powerShellQuote(arg)
	}
	return line
}

func powerShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (copilotFile) registrations(path string, data []byte) (out []Registration, err error) {
	d, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	all := d.root.last("hooks")
	if all == nil {
		return nil, nil
	}
	for _, event := range all.value.members {
		for _, v := range event.value.elems {
			out = append(out, d.copilotHandler(event.key, v))
		}
	}
	return out, nil
}

// copilotHandler reads the command of one handler, for this system if there are several.
func (d *document) copilotHandler(event string, v value) Registration {
	r := Registration{Event: event}
	r.Line, _ = place(d.data, v.start)
	if t := v.last("timeoutSec"); t != nil {
		r.Timeout = d.text(t.value.start, t.value.end)
	}
	keys := []string{"bash", "command", "powershell"}
	if runtime.GOOS == "windows" {
		keys = []string{"powershell", "command", "bash"}
	}
	for _, key := range keys {
		if r.Shell = d.str(v.last(key)); r.Shell != "" {
			break
		}
	}
	line, guarded := unguarded(r.Shell)
	words, ok := shellWords(line)
	if !ok || len(words) == 0 {
		r.Wrapped = strings.Contains(r.Shell, hookName)
		return r
	}
	r.Path, r.Args, r.Guarded = words[0], words[1:], guarded
	if folders, ok := ownCall(&agentcli.Copilot, event, r.Path, r.Args); ok {
		r.Ours, r.Args = true, append([]string{agentcli.Copilot.Name}, folders...)
	}
	r.Wrapped = !r.Ours && strings.Contains(r.Shell, hookName)
	return r
}

func (copilotFile) remarks(scope Scope) []string {
	if scope != Project {
		return nil
	}
	return []string{"Copilot CLI runs a project's hooks only in folders that its user trusts, and silently skips them in others"}
}

// copilotLikely: project files are read only in the folder in which a session starts, and only if it is trusted.
func copilotLikely(x Exam, s *Session) string {
	for _, own := range x.Own {
		if own.Scope == User {
			return ""
		}
	}
	if s.Cwd != x.Root {
		return "it was started in " + s.Cwd + ", and Copilot CLI reads a project's hooks only in the folder that it is started in"
	}
	return "Copilot CLI did not trust the folder: it runs a project's hooks only in trusted ones"
}

// copilotSession reads a session's events, of which the first names its folder.
func copilotSession(s *Session, r gjson.Result) {
	at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str)
	if err != nil {
		return
	}
	switch r.Get("type").Str {
	case "session.start":
		s.ID, s.Cwd = filepath.Base(filepath.Dir(s.Path)), r.Get("data.context.cwd").Str
	case "session.shutdown", "hook.end": // also without any activity of the session's
		return
	}
	s.See(at)
}

// copilotCanary spells the fields of a payload as Copilot does.
func copilotCanary(fields map[string]any) map[string]any {
	keys := map[string]string{
		"session_id": "sessionId", "transcript_path": "transcriptPath", "tool_name": "toolName", "tool_input": "toolArgs", "tool_response": "toolResult",
	}
	own := map[string]any{"timestamp": time.Now().UnixMilli()}
	for k, v := range fields {
		switch k {
		case "hook_event_name", "permission_mode", "tool_use_id":
			continue
		case "tool_response":
			v = map[string]any{"resultType": "success", "textResultForLlm": ""}
		}
		if name := keys[k]; name != "" {
			k = name
		}
		own[k] = v
	}
	return own
}
