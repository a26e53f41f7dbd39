package hooks

import (
	"os"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/shell"
	"aburn/logfmt"
)

// Moment is why a snapshot of the worktree is taken.
type Moment string

const (
	AtPrompt Moment = "prompt" // before a turn
	AtCall   Moment = "call"   // before a command that may overwrite or delete files
	AtStop   Moment = "stop"   // after a turn
)

// SnapshotOrder is what the helper that takes a snapshot has to know.
type SnapshotOrder struct {
	At       Moment
	Of       string // the id of the prompt's or stop's entry, or of the call
	Session  logfmt.SessionID
	Root     string // of the project
	Worktree string
}

// snapshots reports whether the payload is of a session whose worktree gets snapshots.
func (r *Run) snapshots(rec *recorder, set *settings.Settings) bool {
	return r.Snapshot != nil && set.Snapshots != settings.SnapshotsOff && rec.proj.Marked && rec.payload.Session != ""
}

// beforeCall waits, before a call that may write, until the snapshot that is on its way is complete, at most snapshotPatience. It adds to the
// call's draft what `aburn undo` has to know: that the turn has no snapshot, and the hash of the file that the call is about.
func (r *Run) beforeCall(rec *recorder, oss *os.Root, set *settings.Settings) {
	if n := len(rec.plan.Drafts); n == 0 || rec.plan.Drafts[n-1].Event != logfmt.ToolStart || !r.snapshots(rec, set) {
		return
	}
	p, d := rec.payload, &rec.plan.Drafts[len(rec.plan.Drafts)-1]
	data := gjson.ParseBytes(d.Data.Bytes())
	if agentcli.ReadsOnly(p.Tool) {
		return
	}
	effect := shell.Writes
	if command := commandOf(p); command != "" {
		effect = shell.EffectOf(command)
	}
	if effect == shell.Reads {
		return
	}
	session := string(p.Session)
	if set.Snapshots == settings.SnapshotsRisky && effect == shell.Writes && data.Get("path").Str == "" {
		r.wait(oss, session) // for the prompt's
		order := SnapshotOrder{AtCall, p.ToolUseID, p.Session, rec.proj.Root, rec.proj.Worktree}
		if beginPending(oss, session, order.Of) == nil && !r.Snapshot(r.Env, order) {
			cancelPending(oss, session)
			d.Data.Str("snapshot", "none")
		}
	}
	if !r.wait(oss, session) {
		d.Data.Str("snapshot", "none")
	}
	if path := data.Get("path").Str; path != "" {
		d.Data.StrIf("was", contentBefore(rec.proj, path))
	}
}

// commandOf is the command line of a shell's call.
func commandOf(p *Payload) string {
	if s := p.Input.Get("command").Str; s != "" && p.Input.Get("path").Str == "" && p.Input.Get("file_path").Str == "" && p.Tool != "apply_patch" {
		return s
	}
	return ""
}

func (r *Run) wait(oss *os.Root, session string) (came bool) {
	if !isPending(oss, session) {
		return true
	}
	r.extend(snapshotPatience)
	return waitPending(oss, session, time.Now().Add(snapshotPatience))
}

// contentBefore is the hash of a file of the worktree, "none" if there is no such file, and "" of what is no file or too large.
func contentBefore(proj *project.Project, rel string) string {
	var o logfmt.Object
	Content(&o, proj, rel)
	if sum := gjson.GetBytes(o.Bytes(), "sha256").Str; sum != "" {
		return sum
	}
	root, err := os.OpenRoot(proj.Worktree)
	if err != nil {
		return ""
	}
	defer root.Close()
	if _, err := root.Lstat(rel); os.IsNotExist(err) {
		return "none"
	}
	return ""
}

// afterPrompt starts a helper that takes a snapshot at a prompt, or at the end of a turn, and does not wait for it.
func (r *Run) afterPrompt(rec *recorder, oss *os.Root, set *settings.Settings, entries []*logfmt.Entry) {
	if len(entries) == 0 || !r.snapshots(rec, set) || !rec.agent.Own(rec.payload) {
		return
	}
	e := entries[len(entries)-1]
	order := SnapshotOrder{Of: e.ID, Session: rec.payload.Session, Root: rec.proj.Root, Worktree: rec.proj.Worktree}
	switch e.Event {
	case logfmt.Prompt:
		order.At = AtPrompt
		if beginPending(oss, string(order.Session), order.Of) != nil {
			return
		}
		if !r.Snapshot(r.Env, order) {
			cancelPending(oss, string(order.Session))
		}
	case logfmt.Stop, logfmt.TurnFailed, logfmt.Interrupt:
		order.At = AtStop
		r.Snapshot(r.Env, order)
	}
}
