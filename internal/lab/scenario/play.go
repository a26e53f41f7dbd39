package scenario

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

// recordings caches the logs of one folder.
type recordings struct {
	dir  string
	read map[string][]logfmt.Entry
}

func (r *recordings) entries(name string) ([]logfmt.Entry, error) {
	if entries, ok := r.read[name]; ok {
		return entries, nil
	}
	text, err := os.ReadFile(filepath.Join(r.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	var entries []logfmt.Entry
	for line := range bytes.Lines(text) {
		if logfmt.Classify(line) != logfmt.EntryLine {
			continue
		}
		e, err := logfmt.Parse(bytes.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		entries = append(entries, e)
	}
	if r.read == nil {
		r.read = map[string][]logfmt.Entry{}
	}
	r.read[name] = entries
	return entries, nil
}

// playback is one play operation.
type playback struct {
	names    []string
	from, to int
	pace     float64
	beside   time.Duration // negative: append
}

func (w *editor) play(args []string) error {
	if !slices.Contains(w.allowed, args[0]) {
		return fmt.Errorf("origin does not name the recording %s", args[0])
	}
	recorded, err := w.known.entries(args[0])
	if err != nil {
		return err
	}
	p, err := readPlay(args[1:], len(recorded))
	if err != nil {
		return err
	}
	if p.beside >= 0 && len(w.log) == 0 {
		return fmt.Errorf("beside what?")
	}
	sessions, procs := map[logfmt.SessionID]string{"": ""}, map[string]int{}
	for _, e := range recorded {
		if _, ok := sessions[e.Session]; !ok {
			if len(sessions) > len(p.names) {
				return fmt.Errorf("%s has more sessions than names", args[0])
			}
			sessions[e.Session] = p.names[len(sessions)-1]
		}
	}
	part := recorded[p.from-1 : p.to]
	at := w.start(p)
	var lines []drawn.Line
	for _, e := range part {
		copied := e
		copied.Time = at.Add(time.Duration(p.pace * float64(e.Time.Sub(part[0].Time)))).Truncate(time.Millisecond)
		copied.Session, copied.ID = logfmt.SessionID(sessions[e.Session]), w.id(0, e.ID)
		copied.Data = answered(e.Event, w.neutral(e.Data, p.pace, procs))
		lines = append(lines, drawn.Line{Entry: &copied})
	}
	w.log = append(w.log, lines...)
	if p.beside >= 0 {
		w.sort()
	}
	return nil
}

// start is the time of a playback's first entry.
func (w *editor) start(p playback) time.Time {
	switch {
	case len(w.log) == 0:
		return drawn.Epoch
	case p.beside >= 0:
		return w.log[0].Entry.Time.Add(p.beside)
	}
	return w.log[len(w.log)-1].Entry.Time.Add(time.Second)
}

// neutral adapts data: durations to the pace, process ids to ones that no other playback has.
func (w *editor) neutral(data []byte, pace float64, procs map[string]int) []byte {
	if took := gjson.GetBytes(data, "duration_ms"); took.Exists() {
		data = member(data, "duration_ms", strconv.FormatInt(int64(math.Round(pace*took.Num)), 10))
	}
	if pid := gjson.GetBytes(data, "proc.pid"); pid.Exists() {
		if procs[pid.Raw] == 0 {
			procs[pid.Raw] = 100*w.ops + len(procs) + 1
		}
		n := int64(procs[pid.Raw])
		var o logfmt.Object
		data = member(data, "proc", string(o.Int("pid", n).Int("start", 1000+n).Str("host", "here").Bytes()))
	}
	return data
}

// answered adds what a call answered, which hooks did not record yet when the recordings were made: calls that are alike
// answered alike, as in a drawing.
func answered(ev logfmt.Event, data []byte) []byte {
	input := gjson.GetBytes(data, "input").Str
	if ev != logfmt.Tool && ev != logfmt.ToolFailed || input == "" || gjson.GetBytes(data, "result").Exists() ||
		gjson.GetBytes(data, "background").Bool() || gjson.GetBytes(data, "outcome").Str == "unknown" {
		return data
	}
	return member(data, "result", strconv.Quote(drawn.Result(input, "")))
}

func readPlay(args []string, most int) (playback, error) {
	p := playback{from: 1, to: most, pace: 1, beside: -1}
	if len(args) < 2 || args[0] != "as" {
		return p, fmt.Errorf("play NAME as A")
	}
	args = args[1:]
	for len(args) > 0 && !slices.Contains([]string{"from", "to", "pace", "beside"}, args[0]) {
		p.names = append(p.names, args[0])
		args = args[1:]
	}
	if len(args)%2 != 0 {
		return p, fmt.Errorf("what is the last word for?")
	}
	for ; len(args) > 0; args = args[2:] {
		var err error
		switch args[0] {
		case "from":
			p.from, err = strconv.Atoi(args[1])
		case "to":
			p.to, err = strconv.Atoi(args[1])
		case "pace":
			p.pace, err = strconv.ParseFloat(args[1], 64)
		case "beside":
			p.beside, err = time.ParseDuration(args[1])
		default:
			err = fmt.Errorf("what is %q?", args[0])
		}
		if err != nil {
			return p, err
		}
	}
	if p.from < 1 || p.to > most || p.from > p.to || !(p.pace > 0) {
		return p, fmt.Errorf("there are %d entries", most)
	}
	return p, nil
}

// draw inserts a drawing at the end, or after one entry and in its session.
func (w *editor) draw(text string) error {
	at, session := len(w.log)-1, ""
	if rest, ok := strings.CutPrefix(text, "after "); ok {
		sel, drawing, ok := cutSelector(rest)
		if !ok {
			return fmt.Errorf("draw after SEL: DRAWING")
		}
		i, err := w.find(sel)
		if err != nil {
			return err
		}
		at, text, session = i, drawing, "@"+string(w.log[i].Entry.Session)+" "
	}
	var before []*logfmt.Entry
	known := map[string]bool{}
	for _, l := range w.log[:at+1] {
		before = append(before, l.Entry)
		known[gjson.GetBytes(l.Entry.Data, "tool_use_id").Str] = true
	}
	d, err := drawn.Draw(before, session+text)
	if err != nil {
		return err
	}
	if len(d.Lines) == 0 {
		return fmt.Errorf("nothing is drawn")
	}
	for _, l := range d.Lines {
		if l.Entry == nil {
			return fmt.Errorf("a line that is no entry belongs into a drawn scenario")
		}
		if l.Entry.ID != "" {
			l.Entry.ID = w.id(0, l.Entry.ID)
		}
		if id := gjson.GetBytes(l.Entry.Data, "tool_use_id").Str; id != "" && !known[id] {
			l.Entry.Data = member(l.Entry.Data, "tool_use_id", strconv.Quote(fmt.Sprint(id, "-", w.ops)))
		}
	}
	for name, n := range d.Marks {
		if err := w.name(name, d.Lines[n-len(before)-1].Entry); err != nil {
			return err
		}
	}
	later := time.Duration(0)
	if at >= 0 {
		later = max(0, d.End.Sub(w.log[at].Entry.Time)-time.Second)
	}
	w.insert(at, d.Lines, later)
	return nil
}

// cutSelector splits "SEL: …" at the first colon outside of quotes.
func cutSelector(s string) (sel, rest string, ok bool) {
	quoted := false
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\'' {
			quoted = !quoted
		}
		if !quoted && s[i] == ':' && s[i+1] == ' ' {
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}
