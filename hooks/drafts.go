package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
	"unsafe"

	"aburn/internal/project"
	"aburn/internal/recent"
	"aburn/internal/scrub"
	"aburn/logfmt"
)

// Head is text as an entry keeps it: scrubbed, on one line, cut.
func Head(text string) string { return scrub.Head(strings.TrimSpace(text), HeadMax) }

// CommandHead is the head of a shell command. If a long one runs `aburn log` far from
// its beginning, the head keeps that call too: the running `aburn log` looks for it.
func CommandHead(command string) string {
	const shown = 64
	i := strings.Index(command, "aburn log ")
	if i < HeadMax-shown || !recent.RunsLog(command) {
		return Head(command)
	}
	return scrub.Head(command, HeadMax-shown-1) + " " + scrub.Head(command[i:], shown)
}

// Path is a relative path as an entry keeps it: scrubbed and cut.
func Path(rel string) string { return scrub.Head(rel, PathMax) }

// NewDraft is a draft without data.
func NewDraft(ev logfmt.Event) Draft { return Draft{Event: ev, Data: new(logfmt.Object)} }

// SessionStart is the draft of a session's start.
func (p *Payload) SessionStart(client, version string) Draft {
	d := NewDraft(logfmt.SessionStart)
	d.Data.StrIf("source", Head(p.Str("source"))).StrIf("client", Head(client)).StrIf("client_version", Head(version))
	return d
}

// Opened is the plan of a session's start, by how the payload says it began.
func (p *Payload) Opened(client, version string) Plan {
	plan := Plan{Drafts: []Draft{p.SessionStart(client, version)}}
	switch p.Str("source") {
	case "startup", "clear", "fork":
		plan.New = true
	case "compact", "resume":
		plan.Resumed = p.AgentID == ""
	}
	return plan
}

// SessionEnd is the draft of a session's end.
func (p *Payload) SessionEnd() Draft {
	d := NewDraft(logfmt.SessionEnd)
	d.Data.StrIf("reason", Head(p.Str("reason")))
	return d
}

// Prompt is the draft of a prompt; with machine, no person typed it.
func (p *Payload) Prompt(machine bool) Draft {
	d := NewDraft(logfmt.Prompt)
	text := p.Str("prompt")
	d.Data.StrIf("head", Head(text)).Int("chars", int64(utf8.RuneCountInString(text)))
	if machine {
		d.Data.Bool("machine", true)
	}
	return d
}

// Compact is the draft of a compaction; stage is before or after.
func (p *Payload) Compact(stage string) Draft {
	d := NewDraft(logfmt.Compact)
	d.Data.StrIf("trigger", Head(p.Str("trigger"))).Str("stage", stage)
	return d
}

// AgentEvent is the draft of a sub-agent's start or end.
func (p *Payload) AgentEvent(ev logfmt.Event) Draft {
	d := NewDraft(ev)
	d.Data.Str("agent_id", Head(p.AgentID)).StrIf("agent_type", Head(p.AgentType))
	return d
}

// ToolCall is the draft of an event of the payload's tool call; describe adds the
// command, path or task of the call.
func (p *Payload) ToolCall(ev logfmt.Event, describe func(o *logfmt.Object)) Draft {
	d := Draft{Event: ev, Once: p.ToolUseID, Data: new(logfmt.Object)}
	d.Data.Str("tool", Head(p.Tool)).StrIf("tool_use_id", Head(p.ToolUseID))
	describe(d.Data)
	d.Data.StrIf("input", InputKey(p.Input))
	return d
}

// Permission is the draft of a question to the user; it has no call id.
func (p *Payload) Permission(describe func(o *logfmt.Object)) Draft {
	d := p.ToolCall(logfmt.Permission, describe)
	d.Once = ""
	return d
}

// TurnFailed is the draft of a turn that ended in an error.
func (p *Payload) TurnFailed(code, text string) Draft {
	d := NewDraft(logfmt.TurnFailed)
	d.Data.StrIf("error", Head(code)).StrIf("reason", Head(text))
	return d
}

// InputKey identifies a call's whole input, of which an entry keeps only the beginning:
// 8 hex digits of the hash of the input as the client wrote it, or "" without one. It
// is short so that it gives away next to nothing about a secret in the input. A shell
// command's description does not count: it changes while the command stays, and
// Codex's permission has one where its call has none.
func InputKey(input JSON) string {
	s := string(input)
	if s == "" {
		return ""
	}
	if strings.Contains(s, described) {
		s = undescribed(input)
	}
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(s), len(s)))
	return hex.EncodeToString(sum[:4])
}

const described = `"description"`

// undescribed removes the description from a shell call's input; other inputs stay.
func undescribed(input JSON) string {
	shell := false
	b := make([]byte, 0, len(input))
	input.Members(func(key string, value JSON) bool {
		switch key {
		case "command":
			shell = true
		case "description":
			return true
		}
		if len(b) > 0 {
			b = append(b, ',')
		} else {
			b = append(b, '{')
		}
		b = append(append(append(append(b, '"'), key...), `":`...), value...)
		return true
	})
	if !shell {
		return string(input)
	}
	return string(append(b, '}'))
}

// maxContent is how large a file may be to be hashed by a hook, in bytes.
const maxContent = 4 << 20

// Content adds a file's size after an edit, in bytes, and up to 4 MiB its hash. It
// reads only regular files inside the worktree and follows no link out of it. rel is
// the path as the entry has it.
func Content(o *logfmt.Object, proj *project.Project, rel string) {
	root, err := os.OpenRoot(proj.Worktree)
	if err != nil {
		return
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not hang us
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	if st.Size() > maxContent {
		o.Int("bytes", st.Size())
		return
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxContent))
	if err != nil {
		return
	}
	o.Int("bytes", n).Str("sha256", hex.EncodeToString(h.Sum(nil)))
}
