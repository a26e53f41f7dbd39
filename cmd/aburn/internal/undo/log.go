package undo

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/history/undo"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/shell"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

// prompt is a prompt of a session in the log.
type prompt struct {
	seq  logfmt.Seq
	id   string
	head string
	at   time.Time
}

// taken is a snapshot in the log.
type taken struct {
	undo.Snapshot
	session, at, of string
	reason          string // why there is none
	skipped         []string
}

// record is what the log has of a worktree's last month.
type record struct {
	sessions []string // the newest first
	prompts  map[string][]prompt
	taken    []taken
	calls    []undo.Call
	late     map[string]bool // sessions with a turn whose snapshot came too late
	outside  []string        // paths of edits outside of the worktree, by session and path

	open map[string]int // calls without an end, by session and call
	rel  string         // the project's worktree below git's
}

// oldest is how far back the log is read: older snapshots are gone.
const oldest = 31 * 24 * time.Hour

// readLog reads the entries of a worktree. rel is the folder of the project's worktree below git's, "." or more.
func readLog(w *workspace.Workspace, rel string, now time.Time) (*record, error) {
	var list []logfmt.Entry
	for line, err := range journal.Unique(w.Log.Backward(journal.BackwardOptions{})) {
		if err != nil {
			return nil, err
		}
		if line.Carried {
			continue
		}
		e, err := logfmt.Parse(slices.Clone(line.JSON))
		if err != nil || e.Wt != w.Wt || e.Session == "" {
			continue
		}
		if now.Sub(e.Time) > oldest {
			break
		}
		list = append(list, e)
	}
	r := &record{prompts: map[string][]prompt{}, late: map[string]bool{}, open: map[string]int{}, rel: rel}
	for i := range list {
		if s := string(list[i].Session); !slices.Contains(r.sessions, s) {
			r.sessions = append(r.sessions, s)
		}
	}
	for _, e := range slices.Backward(list) {
		r.add(&e)
	}
	slices.SortStableFunc(r.taken, func(a, b taken) int { return a.Time.Compare(b.Time) })
	for _, i := range r.open {
		r.calls[i].End = now.Add(time.Hour) // it may still run
	}
	return r, nil
}

func (r *record) add(e *logfmt.Entry) {
	d, session := gjson.ParseBytes(e.Data), string(e.Session)
	switch e.Event {
	case logfmt.Prompt:
		r.prompts[session] = append(r.prompts[session], prompt{e.Seq, e.ID, d.Get("head").Str, e.Time})
	case logfmt.Snapshot:
		t := taken{session: session, at: d.Get("at").Str, of: d.Get("of").Str, reason: d.Get("reason").Str}
		t.Ref, t.Commit, t.Time = d.Get("ref").Str, d.Get("commit").Str, e.Time
		if at, err := time.Parse(time.RFC3339, d.Get("taken").Str); err == nil {
			t.Time = at
		}
		for _, s := range d.Get("skipped").Array() {
			t.skipped = append(t.skipped, s.Str)
		}
		r.taken = append(r.taken, t)
	case logfmt.ToolStart:
		r.begin(e, d)
	case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
		r.end(e, d)
	case logfmt.Stop, logfmt.SessionEnd, logfmt.TurnFailed:
		for key, i := range r.open {
			if strings.HasPrefix(key, session+"\x00") {
				r.calls[i].End = e.Time
				delete(r.open, key)
			}
		}
	}
}

func keyOf(e *logfmt.Entry, d gjson.Result) string {
	agent := ""
	if e.Agent != nil {
		agent = e.Agent.ID
	}
	return string(e.Session) + "\x00" + agent + "\x00" + d.Get("tool_use_id").Str
}

// begin notes a call that may write.
func (r *record) begin(e *logfmt.Entry, d gjson.Result) {
	c := undo.Call{Session: string(e.Session), Start: e.Time, Command: d.Get("head").Str, Was: d.Get("was").Str}
	if agentcli.ReadsOnly(d.Get("tool").Str) {
		return
	}
	if p := d.Get("path").Str; p != "" {
		if p, c.Command = r.inside(p), ""; p == "" {
			r.outside = append(r.outside, c.Session+"\x00"+d.Get("path").Str)
			return
		}
		c.Path = p
	} else if c.Command != "" && !isCut(c.Command) && shell.EffectOf(c.Command) != shell.Writes {
		return
	}
	if d.Get("snapshot").Str == "none" {
		r.late[c.Session] = true
	}
	r.open[keyOf(e, d)] = len(r.calls)
	r.calls = append(r.calls, c)
}

// isCut reports whether the log keeps only the beginning of a command.
func isCut(head string) bool { return strings.HasSuffix(head, "…") || len(head) > 150 }

// inside is a path of an entry from the root of git's worktree, "" of one outside of it.
func (r *record) inside(p string) string {
	if strings.HasPrefix(p, "~") || path.IsAbs(p) || filepath.IsAbs(p) {
		return ""
	}
	if p = path.Join(filepath.ToSlash(r.rel), p); p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}

func (r *record) end(e *logfmt.Entry, d gjson.Result) {
	key := keyOf(e, d)
	i, ok := r.open[key]
	if !ok || d.Get("background").Bool() && r.calls[i].Path == "" {
		return
	}
	delete(r.open, key)
	c := &r.calls[i]
	c.End, c.Sum, c.Failed = e.Time, d.Get("sha256").Str, e.Event == logfmt.ToolDenied || e.Event == logfmt.ToolFailed && c.Path != ""
	if c.Sum == "" && c.Path != "" && !d.Get("bytes").Exists() {
		c.Sum = "none" // the file is gone
	}
}

// session resolves the word for a session: its id, the beginning of it, or last. false: it is none.
func (r *record) session(word string) (id string, ok bool, err error) {
	if word == "last" {
		for _, s := range r.sessions {
			if slices.ContainsFunc(r.taken, func(t taken) bool { return t.session == s }) {
				return s, true, nil
			}
		}
		return "", false, fault.Failed("no session has a snapshot in this worktree", "aburn undo --help tells how to switch snapshots on")
	}
	var found []string
	for _, s := range r.sessions {
		if s == word {
			return s, true, nil
		}
		if len(word) >= 4 && strings.HasPrefix(s, word) {
			found = append(found, s)
		}
	}
	if len(found) > 1 {
		return "", false, fault.Usage("several sessions begin with "+fault.Quote(word)+": "+strings.Join(found[:2], ", "), "aburn sessions")
	}
	if len(found) == 1 {
		return found[0], true, nil
	}
	return "", false, nil
}

// target is the snapshot to go back to: of the prompt or entry that --to names, or of the session's last prompt.
func (r *record) target(session, to string) (t taken, p prompt, err error) {
	prompts := r.prompts[session]
	if len(prompts) == 0 {
		return t, p, fault.Failed("the log has no prompt of session "+session+" in this worktree", "aburn query --session "+session)
	}
	p = prompts[len(prompts)-1]
	if to != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(to, "#"))
		i := slices.IndexFunc(prompts, func(o prompt) bool {
			return o.id == to || strings.HasPrefix(to, "#") && err == nil && o.seq == logfmt.Seq(n)
		})
		switch {
		case i >= 0:
			p = prompts[i]
		case err == nil && !strings.HasPrefix(to, "#") && n >= 1 && n <= len(prompts):
			p = prompts[n-1]
		default:
			return t, p, fault.Usage("--to: session "+session+" has no prompt "+fault.Quote(to)+": it has "+strconv.Itoa(len(prompts))+
				" in this worktree", "aburn query --session "+session+" --event PROMPT")
		}
	}
	reason := ""
	for _, one := range r.taken {
		if one.session == session && one.of == p.id {
			if one.Commit != "" {
				return one, p, nil
			}
			reason = one.reason
		}
	}
	if r.late[session] {
		reason = cmp.Or(reason, "the session went on before it was complete")
	}
	msg := "there is no snapshot of this prompt"
	if reason != "" {
		msg += ": " + reason
	}
	return t, p, fault.Failed(msg, r.hintOther(session)...)
}

// hintOther names a prompt that has a snapshot.
func (r *record) hintOther(session string) []string {
	for i, p := range slices.Backward(r.prompts[session]) {
		if slices.ContainsFunc(r.taken, func(t taken) bool { return t.session == session && t.of == p.id && t.Commit != "" }) {
			return []string{"aburn undo " + session + " --to " + strconv.Itoa(i+1) + " goes back to an earlier one"}
		}
	}
	return []string{`set "snapshots": "prompts" in your own settings to have them from the next prompt on`}
}
