package why

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/conversation"
	"aburn/archive/story"
	"aburn/history"
	"aburn/internal/shell"
	"aburn/trace"
)

// session is a session of the repository, which is read when it is first needed.
type session struct {
	archive.Session
	trace *trace.SessionTrace
	texts *conversation.Texts
	work  *history.Session // nil until it is read
}

// clockSlack is how much a session's recorded times may differ from git's.
const clockSlack = 2 * time.Second

// active are the sessions of the repository that worked at a time.
func (a *Asker) active(ctx context.Context, t time.Time) (list []*history.Session) {
	for _, s := range a.sessions {
		if s.Start.IsZero() || s.Start.Add(-clockSlack).After(t) || s.End.Add(clockSlack).Before(t) {
			continue
		}
		if err := a.read(ctx, s); err != nil {
			a.unreadable++
			continue
		}
		list = append(list, s.work)
	}
	return list
}

func (a *Asker) read(ctx context.Context, s *session) error {
	if s.work != nil {
		return nil
	}
	t, err := a.arch.Trace(ctx, s.Key)
	if err != nil {
		return err
	}
	s.trace = t
	s.work = &history.Session{Key: s.Key, Source: s.Source, ID: s.ID, Dir: a.worktreeOf(s.Project.Path), Turns: turnsOf(t)}
	calls := t.Calls()
	for i := range calls {
		c := &calls[i]
		if c.Call.Type != trace.ShellTool || !c.Counts() || c.Event.Time.IsZero() {
			continue
		}
		end, failed := s.End, false
		if last := c.Last(); last != nil {
			if last.Denied != "" {
				continue
			}
			end, failed = last.Time, last.Failed()
		}
		s.work.Calls = append(s.work.Calls, history.Call{Event: c.Event.Seq, Start: c.Event.Time, End: end, Head: c.Call.Head, Failed: failed})
	}
	return nil
}

// worktreeOf is the worktree that a folder is in, or the folder where its worktree is gone.
func (a *Asker) worktreeOf(dir string) (root string) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, r := range a.repo.Worktrees() {
		if (dir == r || strings.HasPrefix(dir, r+string(filepath.Separator))) && len(r) > len(root) {
			root = r
		}
	}
	if root == "" {
		return dir
	}
	return root
}

// turnsOf are the turns of a session: from each prompt to the last event before the next one.
func turnsOf(t *trace.SessionTrace) (turns []history.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Time.IsZero() || e.Copied != "" {
			continue
		}
		if story.IsPrompt(e) {
			turns = append(turns, history.Turn{Start: e.Time, End: e.Time})
		} else if n := len(turns); n > 0 && e.Time.After(turns[n-1].End) {
			turns[n-1].End = e.Time
		}
	}
	return turns
}

// textsOf reads a call's command line and output from the agent's own files.
func (a *Asker) textsOf(ctx context.Context, work *history.Session, c *history.Call) (t history.Texts) {
	key := [2]int64{work.Key, int64(c.Event)}
	if t, known := a.texts[key]; known {
		return t
	}
	defer func() { a.texts[key] = t }()
	s := a.sessions[work.Key]
	if s.texts == nil {
		s.texts = conversation.TextsOf(&s.Session, s.trace, a.dir)
	}
	events := s.texts.Events(c.Event)
	if len(events) < 2 || s.texts.Read(ctx, events) != nil {
		return t
	}
	input, ok1 := s.texts.Found(events[0])
	output, ok2 := s.texts.Found(events[1])
	if !ok1 || !ok2 || input.Text == nil || output.Text == nil {
		return t
	}
	return history.Texts{Command: commandOf(input.Text), Output: outputOf(output.Text), Whole: true}
}

// commandOf is the command line in a call's input, in the forms that agents have: a member "command" or "cmd", a text or a list of words.
func commandOf(input []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		return string(input)
	}
	for _, name := range []string{"command", "cmd"} {
		var line string
		if json.Unmarshal(members[name], &line) == nil && line != "" {
			return line
		}
		var words []string
		if json.Unmarshal(members[name], &words) == nil && len(words) > 0 {
			if script := shell.DashC(words[1:]); script != "" {
				return script
			}
			return strings.Join(words, " ")
		}
	}
	return string(input)
}

// outputOf is what a command printed: a text, or the member "output" of an object.
func outputOf(text []byte) string {
	var object struct{ Output, Stdout string }
	if json.Unmarshal(text, &object) == nil && object.Output+object.Stdout != "" {
		return object.Output + object.Stdout
	}
	return string(text)
}
