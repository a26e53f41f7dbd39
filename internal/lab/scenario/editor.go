package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

// editor makes a log from recordings. Its operations, one a line:
//
//	play NAME as A B… [from N] [to N] [pace X] [beside D]
//	                 append a recording; call its sessions A, B… in the order of their appearance; from, to: only these of its
//	                 entries, counted from 1; pace: X times as slow; beside: do not append, but begin D after the log's first
//	                 entry
//	drop SEL         remove one entry; drop all SEL: every match; drop SEL..SEL: the session's entries from one to the other
//	drop call SEL    remove a tool call: its start, questions about it and its end
//	drop before SEL  begin the log with SEL
//	cut SEL          end the session after SEL, as if its process was killed
//	stretch SEL D [only]  let D pass before SEL, for all sessions or only for its own
//	clock SEL D      set the clock forward (with -D back) before SEL
//	repeat SEL..SEL N  append the session's entries of the range N more times
//	twice SEL        record the entry once more, with the same id
//	set SEL KEY=VALUE…  change members of data; event, cmd and phase are the entry's own; KEY= removes a member; set all SEL: every match
//	draw [after SEL:] DRAWING  add a drawing (see internal/lab/drawn) at the end, or after SEL as its session's continuation
//	mark NAME SEL    name an entry for labels
//
// SEL is SESSION:EVENT'TEXT'#N, the Nth entry (counted from 1, negative: from the end, 1 if not said) of the session
// with that event (* is any) whose JSON contains TEXT ('TEXT' may be left out). Drawings name entries of their own
// with [NAME].
type editor struct {
	known   *recordings
	allowed []string
	log     []drawn.Line // each has an entry
	marks   map[string]*logfmt.Entry
	ops     int
}

func (w *editor) line(line string) error {
	w.ops++
	op, rest, _ := strings.Cut(line, " ")
	if op == "draw" {
		return w.draw(strings.TrimSpace(rest))
	}
	args, err := words(rest)
	if err != nil {
		return err
	}
	run := map[string]func([]string) error{
		"play": w.play, "drop": w.drop, "cut": w.cut, "stretch": w.stretch, "clock": w.clock, "repeat": w.repeat, "twice": w.twice, "set": w.set, "mark": w.mark,
	}[op]
	if run == nil {
		return fmt.Errorf("no such operation")
	}
	if len(args) == 0 {
		return fmt.Errorf("to what?")
	}
	return run(args)
}

// words splits a line at its blanks, except inside single quotes.
func words(line string) ([]string, error) {
	quoted := false
	list := strings.FieldsFunc(line, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	if quoted {
		return nil, fmt.Errorf("a quote is never closed")
	}
	return list, nil
}

// lines numbers the log.
func (w *editor) lines() ([]drawn.Line, error) {
	seq := logfmt.Seq(0)
	for _, l := range w.log {
		if !l.Other {
			seq++
			l.Entry.Seq = seq
		}
	}
	return w.log, nil
}

// numbers returns the marked entries' numbers.
func (w *editor) numbers() map[string]int {
	numbers := map[string]int{}
	for name, e := range w.marks {
		numbers[name] = 1 + slices.IndexFunc(w.log, func(l drawn.Line) bool { return l.Entry == e })
	}
	return numbers
}

// find returns the position of the entry that SEL selects.
func (w *editor) find(sel string) (int, error) {
	all, n, err := w.matches(sel)
	if err != nil {
		return 0, err
	}
	if n < 0 {
		n += len(all) + 1
	}
	if n < 1 || n > len(all) {
		return 0, fmt.Errorf("%s: %d entries are so", sel, len(all))
	}
	return all[n-1], nil
}

// matches returns the positions of all matches of SEL, and which of them #N chooses.
func (w *editor) matches(sel string) (all []int, n int, err error) {
	session, rest, ok := strings.Cut(sel, ":")
	if !ok {
		return nil, 0, fmt.Errorf("%q is not SESSION:EVENT", sel)
	}
	text, n := "", 1
	if i := strings.LastIndexByte(rest, '#'); i >= 0 && !strings.Contains(rest[i:], "'") {
		if n, err = strconv.Atoi(rest[i+1:]); err != nil {
			return nil, 0, fmt.Errorf("%q: which one?", sel)
		}
		rest = rest[:i]
	}
	if i := strings.IndexByte(rest, '\''); i >= 0 {
		rest, text = rest[:i], strings.Trim(rest[i:], "'")
	}
	for i, l := range w.log {
		if string(l.Entry.Session) != session || rest != "*" && string(l.Entry.Event) != rest {
			continue
		}
		if text != "" && !strings.Contains(searchable(l.Entry), text) {
			continue
		}
		all = append(all, i)
	}
	return all, n, nil
}

// searchable is the text in which TEXT is searched.
func searchable(e *logfmt.Entry) string {
	agent := ""
	if e.Agent != nil {
		agent = "agent:" + e.Agent.Type
	}
	return e.Cmd + ":" + e.Phase + " " + agent + " " + string(e.Data)
}

// between returns the positions of one session's entries in SEL..SEL.
func (w *editor) between(sels string) ([]int, error) {
	a, b, ok := strings.Cut(sels, "..")
	if !ok {
		return nil, fmt.Errorf("%q is not SEL..SEL", sels)
	}
	from, err := w.find(a)
	if err != nil {
		return nil, err
	}
	to, err := w.find(b)
	if err != nil {
		return nil, err
	}
	var places []int
	for i := from; i <= to; i++ {
		if w.log[i].Entry.Session == w.log[from].Entry.Session {
			places = append(places, i)
		}
	}
	if len(places) == 0 || w.log[to].Entry.Session != w.log[from].Entry.Session {
		return nil, fmt.Errorf("%s: nothing is between", sels)
	}
	return places, nil
}

func (w *editor) remove(places []int) error {
	if len(places) == 0 {
		return fmt.Errorf("nothing is so")
	}
	gone := map[int]bool{}
	for _, i := range places {
		gone[i] = true
	}
	var left []drawn.Line
	for i, l := range w.log {
		if !gone[i] {
			left = append(left, l)
		}
	}
	w.log = left
	return nil
}

// sort orders the entries by time, stably.
func (w *editor) sort() {
	slices.SortStableFunc(w.log, func(a, b drawn.Line) int { return a.Entry.Time.Compare(b.Entry.Time) })
}

// id replaces an id that an operation brings in. Equal ids stay equal.
func (w *editor) id(salt int, before string) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(w.ops, ".", salt, ".", before)))
	return hex.EncodeToString(sum[:8])
}

func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time", s)
	}
	return d, nil
}
