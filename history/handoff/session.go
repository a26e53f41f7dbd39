package handoff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/archive/conversation"
	"aburn/archive/story"
	"aburn/history/why"
	"aburn/insight"
	"aburn/insight/failure"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace"
)

// Bounds of texts in a briefing, in bytes.
const (
	mostPrompt = 3000
	mostWords  = 1500
	mostLine   = 200
)

// clean is a text as one line for a model, bounded.
func clean(s string) string { return plain.OneLine(s, mostLine) }

// read reads the texts that the briefing needs: prompts, the last message, lists of tasks.
func (m *maker) read(ctx context.Context) error {
	var events []int
	for i := range m.stored.Events {
		if e := &m.stored.Events[i]; story.IsPrompt(e) {
			events = append(events, e.Seq)
		}
	}
	if n := m.lastMessage(); n != 0 {
		events = append(events, n)
	}
	for i := range m.calls {
		if c := &m.calls[i]; keepsTasks(c.Call.Tool) {
			events = append(events, m.texts.Events(c.Event.Seq)...)
		}
	}
	return m.texts.Read(ctx, events)
}

// text is an event's whole text, scrubbed and without hidden characters; "" if it can't be read any more.
func (m *maker) text(event, most int) string {
	c, ok := m.texts.Found(event)
	if !ok || conversation.WhyNot(c) != "" {
		return ""
	}
	return cut(strings.TrimSpace(plain.ModelText(m.texts.Scrub.Text(string(c.Text)))), most)
}

// cut shortens a text at a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return strings.TrimSpace(s[:end]) + " …"
}

func (m *maker) prompts() (list []Statement) {
	unread := 0
	for i := len(m.stored.Events) - 1; i >= 0; i-- {
		e := &m.stored.Events[i]
		if !story.IsPrompt(e) || e.Abandoned {
			continue
		}
		text := m.text(e.Seq, mostPrompt)
		if text == "" {
			b := e.Body.(*trace.UserMessage)
			if text = clean(b.Head); int64(len(text)) < b.Length {
				unread++
				text += " …"
			}
		}
		list = append(list, Statement{Text: text, From: FromSession, Event: e.Seq, Time: e.Time})
	}
	if unread > 0 {
		m.missing(plain.Plural(int64(unread), "prompt") + ": only the first line is known")
	}
	return list
}

// completed are the commands and phases that hooks recorded as complete, the newest first.
func completed(hooks *trace.SessionTrace) (list []Statement) {
	if hooks == nil {
		return nil
	}
	for i := len(hooks.Events) - 1; i >= 0; i-- {
		if b, ok := hooks.Events[i].Body.(*trace.Session); ok && (b.Marker == trace.CommandCompleted || b.Marker == trace.PhaseCompleted) {
			list = append(list, Statement{Text: units.Join(clean(b.Command), clean(b.Phase), clean(b.Detail)), From: FromHooks, Time: hooks.Events[i].Time})
		}
	}
	return list
}

// files are the last change of each file, with the file's state now.
func (m *maker) files() (list []Statement) {
	seen := map[string]bool{}
	for i := len(m.stored.Events) - 1; i >= 0; i-- {
		e := &m.stored.Events[i]
		b, ok := e.Body.(*trace.FileChange)
		if !ok || e.Copied != "" || seen[b.Path] {
			continue
		}
		seen[b.Path] = true
		text := plain.CodePath(b.Path) + " " + b.Action
		if state := m.stateOf(b); state != "" {
			text += ", " + state
		}
		list = append(list, Statement{Text: text, From: FromSession, Event: e.Seq, Time: e.Time})
	}
	return list
}

// mostHashed bounds the size of files that are compared, in bytes.
const mostHashed = 16 << 20

// stateOf compares a file with what the session wrote; "" if that isn't known.
func (m *maker) stateOf(b *trace.FileChange) string {
	path := b.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.session.Project.Path, filepath.FromSlash(path))
	}
	info, err := os.Lstat(path)
	switch {
	case m.folderGone:
		return ""
	case os.IsNotExist(err) && b.Action == "deleted":
		return "and is still gone"
	case os.IsNotExist(err):
		return "and is gone now"
	case err != nil || b.Hash == "" || !info.Mode().IsRegular() || info.Size() > mostHashed:
		return ""
	case b.Action == "deleted":
		return "and is there again"
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, mostHashed)); err != nil {
		return ""
	}
	if hex.EncodeToString(sum.Sum(nil)) == b.Hash {
		return "unchanged since"
	}
	return "changed again since"
}

func (m *maker) checks() (list []Statement) {
	for _, c := range slices.Backward(why.ChecksOf(m.stored, 0, len(m.stored.Events))) {
		text := plain.Code(c.Command) + " " + c.Result
		if n := m.changesAfter(c.Event); n > 0 {
			text += ", before " + plain.Plural(int64(n), "later change") + " of files"
		}
		list = append(list, Statement{Text: text, From: FromSession, Event: c.Event, Time: c.Time})
	}
	return list
}

func (m *maker) changesAfter(event int) (n int) {
	for i := event; i < len(m.stored.Events); i++ {
		if _, ok := m.stored.Events[i].Body.(*trace.FileChange); ok && m.stored.Events[i].Copied == "" {
			n++
		}
	}
	return n
}

// failures are calls that failed and that the session never got over, the newest first.
func (m *maker) failures() (list []Statement) {
	for _, e := range insight.Make(m.stored, false).Errors {
		if e.Type == "" || e.Class == failure.Cancelled || e.Solved != 0 {
			continue // an error event is in open
		}
		c := m.callAt(e.Last)
		if r := c.Last(); r.Denied == "" {
			failed := callName(c.Call) + " failed"
			if e.Count > 1 {
				failed += " " + strconv.Itoa(e.Count) + " times, the last time"
			}
			list = append(list, m.at(c.Event, units.Join(failed, story.CallState(r), plain.CodeMax(r.Head, mostLine))))
		}
	}
	slices.SortFunc(list, func(x, y Statement) int { return y.Event - x.Event })
	return list
}

func callName(c *trace.ToolCall) string {
	words := c.Head
	if words == "" {
		words = strings.TrimSpace(c.Tool + " " + c.Path)
	}
	return plain.CodeMax(words, mostLine)
}

// lastMessage is the number of the agent's last message, 0 if there is none.
func (m *maker) lastMessage() int {
	for i := len(m.stored.Events) - 1; i >= 0; i-- {
		e := &m.stored.Events[i]
		if b, ok := e.Body.(*trace.AgentMessage); ok && !b.Thought && b.Length > 0 && e.Copied == "" {
			return e.Seq
		}
	}
	return 0
}

func (m *maker) lastWords() []Statement {
	n := m.lastMessage()
	if n == 0 {
		return nil
	}
	text := m.text(n, mostWords)
	if text == "" {
		m.missing("the agent's last message")
		return nil
	}
	return []Statement{{Text: text, From: FromSession, Event: n, Time: m.stored.Events[n-1].Time}}
}
