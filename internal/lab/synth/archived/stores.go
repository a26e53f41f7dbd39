package archived

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/logfmt"
	"aburn/trace"
)

// The folders of MakeStores.
const (
	HomeDir = "home" // with the agents' stores
	WorkDir = "work" // with the projects, and aburn's logs in them
)

// MakeStores writes sessions as stores instead of an archive: Claude Code's transcripts in dir/home, and the logs of
// hooks in dir/work. It leaves out other agents, sub-agents, forks, and sessions without times or without events.
func MakeStores(dir string, o Options) (*Truth, error) {
	m := &maker{Options: o, work: filepath.Join(dir, WorkDir), stores: true}
	logs := map[string]*workflowLog{}
	for len(m.sessions) < o.Units {
		if err := m.next(); err != nil {
			return nil, err
		}
		for _, t := range m.traces {
			if t.Source == "own" {
				l := at(logs, t.Project.Path)
				if err := l.add(t); err != nil {
					return nil, err
				}
			} else if err := transcript(filepath.Join(dir, HomeDir), t); err != nil {
				return nil, err
			}
		}
		m.traces = m.traces[:0]
	}
	for project, l := range logs {
		if err := create(filepath.Join(project, ".oss", "workflow.log"), l.text, m.Now.Add(-time.Hour)); err != nil {
			return nil, err
		}
	}
	truth := sum(m.sessions, o)
	return truth, save(dir, truth, m.sessions)
}

// create writes a file with this modification time.
func create(path string, text []byte, changed time.Time) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	return os.Chtimes(path, changed, changed)
}

type object map[string]any

type transcriptWriter struct {
	t      *trace.SessionTrace
	lines  bytes.Buffer
	calls  []trace.Call
	usage  map[string]trace.Usage // by response
	parent any                    // the uuid of the last record
	n      int
}

// transcript writes a trace as a transcript of Claude Code.
func transcript(home string, t *trace.SessionTrace) error {
	w := &transcriptWriter{t: t, calls: t.Calls(), usage: map[string]trace.Usage{}}
	for _, r := range t.Responses {
		w.usage[r.ID] = r.Usage
	}
	for i := range t.Events {
		e := &t.Events[i]
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			w.user(e, b.Head, nil)
		case *trace.AgentMessage:
			w.assistant(e, b.Response, "end_turn", object{"type": "text", "text": "words"})
		case *trace.ToolCall:
			w.assistant(e, b.Response, "tool_use", object{"type": "tool_use", "id": b.Call, "name": b.Tool, "input": w.input(b)})
		case *trace.ToolResult:
			w.result(e, &t.Results[b.Result])
		case *trace.Interrupt:
			w.user(e, []object{{"type": "text", "text": "[Request interrupted by user]"}}, nil)
		case *trace.Error:
			w.record("assistant", e, object{"error": b.Code, "isApiErrorMessage": true, "apiErrorStatus": b.Status,
				"message": object{"id": fmt.Sprint(e.Record), "model": "<synthetic>",
					"role": "assistant", "type": "message", "stop_reason": "stop_sequence", "content": []object{{"type": "text", "text": b.Head}}}})
		}
	}
	slug := strings.NewReplacer("/", "-", ".", "-").Replace(t.Project.Path)
	return create(filepath.Join(home, ".claude", "projects", slug, t.ID+".jsonl"), w.lines.Bytes(), t.End)
}

func (w *transcriptWriter) record(kind string, e *trace.Event, members object) {
	w.n++
	uuid := fmt.Sprintf("%s-0000-4000-8000-%012x", w.t.ID[:8], w.n)
	line := object{"type": kind, "uuid": uuid, "parentUuid": w.parent, "isSidechain": false, "sessionId": w.t.ID, "cwd": w.t.Project.Path,
		"version": "2.1.329", "timestamp": e.Time.UTC().Format("2006-01-02T15:04:05.000Z")}
	for name, value := range members {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // nothing in it can fail
	}
	w.lines.Write(append(text, '\n'))
	w.parent = uuid
}

func (w *transcriptWriter) user(e *trace.Event, content any, members object) {
	line := object{"promptId": "p" + w.t.ID, "message": object{"role": "user", "content": content}}
	for name, value := range members {
		line[name] = value
	}
	w.record("user", e, line)
}

func (w *transcriptWriter) assistant(e *trace.Event, response, stop string, block object) {
	u := w.usage[response]
	w.record("assistant", e, object{"requestId": "req_" + response,
		"message": object{"id": response, "model": "model-1", "role": "assistant", "type": "message", "stop_reason": stop,
			"content": []object{block}, "usage": object{"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
				"output_tokens": u.Output}}})
}

func (w *transcriptWriter) path(p string) string { return filepath.Join(w.t.Project.Path, p) }

// input is a call's input. Equal calls have equal ones.
func (w *transcriptWriter) input(c *trace.ToolCall) object {
	switch c.Type {
	case trace.ShellTool:
		return object{"command": c.Head}
	case trace.EditTool:
		return object{"file_path": w.path(c.Path), "old_string": "a", "new_string": "b " + c.Call}
	case trace.SearchTool:
		return object{"pattern": "x", "path": w.path(c.Path)}
	case trace.WebTool:
		return object{"url": "https://site.example/" + c.Path, "prompt": "look"}
	}
	return object{"file_path": w.path(c.Path)}
}

// result writes a result and the file change that it caused.
func (w *transcriptWriter) result(e *trace.Event, r *trace.ToolResultEvent) {
	text := "fine"
	block := object{"type": "tool_result", "tool_use_id": r.Call}
	members := object{}
	if r.Failed() {
		text = r.Head
		if r.ExitCode != nil {
			text = fmt.Sprintf("Exit code %d\n%s", *r.ExitCode, text)
		}
		block["is_error"] = true
		members["toolUseResult"] = "Error: " + text
		switch r.Denied {
		case "user":
			members["toolDenialKind"], members["toolDenialBeforeRun"] = "user-rejected", true
		case "rule":
			members["toolDenialKind"] = "permission-rule"
		}
	} else {
		members["toolUseResult"] = w.toolUseResult(e, r)
	}
	block["content"] = text
	w.user(e, []object{block}, members)
}

// toolUseResult is the client's own record of a result, which the model does not see.
func (w *transcriptWriter) toolUseResult(e *trace.Event, r *trace.ToolResultEvent) object {
	kept := object{"interrupted": false}
	if r.DurationMS > 0 {
		kept["durationMs"] = r.DurationMS
	}
	if e.Seq == len(w.t.Events) {
		return kept
	}
	c, ok := w.t.Events[e.Seq].Body.(*trace.FileChange)
	if !ok || c.Call != r.Call {
		return kept
	}
	content := c.Hash + "\n" // equal contents are equal strings
	kept["filePath"], kept["originalFile"], kept["oldString"], kept["newString"] = w.path(c.Path), "a\n", "a\n", content
	kept["structuredPatch"] = []object{{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": []string{"-a", "+" + c.Hash}}}
	kept["userModified"], kept["replaceAll"] = false, false
	return kept
}

type workflowLog struct {
	text []byte
	seq  logfmt.Seq
}

func (l *workflowLog) add(t *trace.SessionTrace) error {
	if l.text == nil {
		l.text = []byte(logfmt.FirstLine)
	}
	tools := map[string]*trace.ToolCall{}
	for i := range t.Events {
		e := &t.Events[i]
		entry, data := &logfmt.Entry{Time: e.Time, Cmd: logfmt.SessionCmd, Session: logfmt.SessionID(t.ID), Source: "claude"}, object{}
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			entry.Event, data["head"] = logfmt.Prompt, b.Head
		case *trace.ToolCall:
			tools[b.Call] = b
			entry.Event, data = logfmt.ToolStart, called(b)
		case *trace.ToolResult:
			entry.Event, data = ended(tools[b.Call], &t.Results[b.Result])
		case *trace.Session:
			entry.Event, data = marked(entry, b)
		}
		text, err := json.Marshal(data)
		if err != nil {
			return err
		}
		l.seq++
		entry.Seq, entry.ID, entry.Data = l.seq, fmt.Sprintf("%016x", uint64(l.seq)), text
		if l.text, err = entry.AppendTo(l.text); err != nil {
			return err
		}
	}
	return nil
}

func called(c *trace.ToolCall) object {
	data := object{"tool": c.Tool, "tool_use_id": c.Call}
	if c.Head != "" {
		data["head"] = c.Head
	}
	if c.Path != "" {
		data["path"] = c.Path
	}
	return data
}

func ended(c *trace.ToolCall, r *trace.ToolResultEvent) (logfmt.Event, object) {
	data := called(c)
	if r.DurationMS > 0 {
		data["duration_ms"] = r.DurationMS
	}
	if r.ExitCode != nil {
		data["exit_code"] = *r.ExitCode
	}
	if !r.Failed() {
		return logfmt.Tool, data
	}
	data["error"] = r.Head
	return logfmt.ToolFailed, data
}

// marked is the entry of a marker. Prompts write the markers of commands and phases, hooks all others.
func marked(e *logfmt.Entry, m *trace.Session) (logfmt.Event, object) {
	if m.Command != "" {
		e.Source, e.Cmd, e.Phase = "prompt", m.Command, m.Phase
	}
	data := object{}
	switch m.Marker {
	case trace.Started:
		data["source"], data["client"] = "startup", "claude-code"
		return logfmt.SessionStart, data
	case trace.Stopped:
		return logfmt.Stop, data
	case trace.CommandStarted:
		return logfmt.Start, data
	case trace.PhaseStarted:
		return logfmt.PhaseStart, data
	case trace.PhaseCompleted:
		return logfmt.PhaseComplete, data
	case trace.CommandFailed:
		data["error"] = "it cannot be done"
		return logfmt.Failed, data
	}
	return logfmt.Complete, data
}

// inStores removes the scenarios that MakeStores leaves out.
func inStores(all []scenario) []scenario {
	return slices.DeleteFunc(all, func(p scenario) bool {
		return slices.Contains([]string{"parent", "fork", "empty"}, p.name)
	})
}
