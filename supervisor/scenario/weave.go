package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
	"aburn/logfmt/drawn"
)

// weave makes a log from recordings. Its operations, one a line:
//
//	play NAME as A B… [from N] [to N] [pace X] [beside D]
//	                 the recording behind what is there; its sessions, in the order in which they appear, are called A, B…; only its
//	                 entries from and to a number, counted from 1 and of those; X times as slow; beside: not behind, but beginning D
//	                 after the first entry that is there
//	drop SEL         takes one entry out; drop all SEL every one; drop SEL..SEL those of the session between, both too
//	drop call SEL    takes a tool call out, its start, questions about it and its end
//	drop before SEL  the log begins with SEL
//	cut SEL          SEL is the last entry of its session: the process was killed then
//	stretch SEL D [only]  so much time passes before SEL: for everybody, or only for its session
//	clock SEL D      the clock is set forward (or, with -D, back) before SEL
//	repeat SEL..SEL N  what the session did between comes N times more, behind
//	twice SEL        the entry was recorded once more, with the same id
//	set SEL KEY=VALUE…  changes members of data; event, cmd, phase are the entry's own; KEY= takes a member out; set all SEL of every one
//	draw [after SEL:] DRAWING  a drawing (see logfmt/drawn) behind all, or behind SEL, as if its session had gone on so
//	mark NAME SEL    gives SEL a name for labels
//
// SEL is SESSION:EVENT'TEXT'#N, the Nth entry (counted from 1, negative: from the end, 1 if not said) of the session with that event (* is any)
// whose JSON contains TEXT ('TEXT' may be left out). Drawings name entries of their own with [NAME].
type weave struct {
	known   *recordings
	allowed []string
	log     []drawn.Line // each has an entry
	marks   map[string]*logfmt.Entry
	ops     int
}

func (w *weave) line(line string) error {
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

// words takes a line apart at its blanks, but for those inside single quotes.
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

// lines is the log, numbered.
func (w *weave) lines() ([]drawn.Line, error) {
	seq := logfmt.Seq(0)
	for _, l := range w.log {
		if !l.Other {
			seq++
			l.Entry.Seq = seq
		}
	}
	return w.log, nil
}

// numbers is the marks as numbers of entries.
func (w *weave) numbers() map[string]int {
	numbers := map[string]int{}
	for name, e := range w.marks {
		numbers[name] = 1 + slices.IndexFunc(w.log, func(l drawn.Line) bool { return l.Entry == e })
	}
	return numbers
}

// find is the place of what SEL selects.
func (w *weave) find(sel string) (int, error) {
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

// matches is every place that SEL could mean, and which of them it does.
func (w *weave) matches(sel string) (all []int, n int, err error) {
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
		if text != "" && !strings.Contains(described(l.Entry), text) {
			continue
		}
		all = append(all, i)
	}
	return all, n, nil
}

// described is what TEXT is looked for in.
func described(e *logfmt.Entry) string {
	agent := ""
	if e.Agent != nil {
		agent = "agent:" + e.Agent.Type
	}
	return e.Cmd + ":" + e.Phase + " " + agent + " " + string(e.Data)
}

// between is the places of one session's entries from SEL..SEL.
func (w *weave) between(sels string) ([]int, error) {
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

// remove takes the entries at these places out.
func (w *weave) remove(places []int) error {
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

// sort puts the entries in the order of their times; those of one time stay as they are.
func (w *weave) sort() {
	slices.SortStableFunc(w.log, func(a, b drawn.Line) int { return a.Entry.Time.Compare(b.Entry.Time) })
}

// id is a new one for what had the id before in what an operation brings in: equal ones stay equal.
func (w *weave) id(salt int, before string) string {
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
