package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

func (w *editor) drop(args []string) error {
	sel := args[len(args)-1]
	if len(args) == 1 {
		places, err := w.between(sel)
		if !strings.Contains(sel, "..") {
			var i int
			i, err = w.find(sel)
			places = []int{i}
		}
		if err != nil {
			return err
		}
		return w.remove(places)
	}
	if args[0] == "all" && len(args) == 2 {
		places, _, err := w.matches(sel)
		if err != nil {
			return err
		}
		return w.remove(places)
	}
	at, err := w.find(sel)
	if err != nil {
		return err
	}
	switch {
	case args[0] == "before" && len(args) == 2 && at > 0:
		w.log = w.log[at:]
		return nil
	case args[0] == "call" && len(args) == 2:
		return w.remove(w.call(at))
	}
	return fmt.Errorf("drop what?")
}

// call finds the positions of all entries about the same call as the entry at a position.
func (w *editor) call(at int) (places []int) {
	e := w.log[at].Entry
	id := gjson.GetBytes(e.Data, "tool_use_id").Str
	about := func(o *logfmt.Entry) string {
		return gjson.GetBytes(o.Data, "tool").Str + "\x00" + gjson.GetBytes(o.Data, "input").Str
	}
	open := false
	for i, l := range w.log {
		if l.Entry.Session != e.Session {
			continue
		}
		same := id != "" && gjson.GetBytes(l.Entry.Data, "tool_use_id").Str == id
		if same {
			open = l.Entry.Event == logfmt.ToolStart
		}
		if same || open && l.Entry.Event == logfmt.Permission && about(l.Entry) == about(e) {
			places = append(places, i)
		}
	}
	return places
}

func (w *editor) cut(args []string) error {
	at, err := w.find(args[0])
	if err != nil || len(args) > 1 {
		return fmt.Errorf("cut where? %v", err)
	}
	session := w.log[at].Entry.Session
	var places []int
	for i := at + 1; i < len(w.log); i++ {
		if w.log[i].Entry.Session == session {
			places = append(places, i)
		}
	}
	return w.remove(places)
}

func (w *editor) stretch(args []string) error {
	only := len(args) == 3 && args[2] == "only"
	if len(args) != 2 && !only {
		return fmt.Errorf("stretch SEL D [only]")
	}
	at, err := w.find(args[0])
	if err != nil {
		return err
	}
	d, err := duration(args[1])
	if err != nil || d <= 0 {
		return fmt.Errorf("%s is no time to wait", args[1])
	}
	session := w.log[at].Entry.Session
	w.lengthen(at, d, session, only)
	for i := at; i < len(w.log); i++ {
		if e := w.log[i].Entry; !only || e.Session == session {
			e.Time = e.Time.Add(d)
		}
	}
	if only {
		w.sort()
	}
	return nil
}

// lengthen adds d to the duration of calls that are open before the position, unless they wait for an answer.
func (w *editor) lengthen(at int, d time.Duration, session logfmt.SessionID, only bool) {
	waits := map[logfmt.SessionID]bool{}
	open := map[string]bool{}
	for i, l := range w.log {
		e := l.Entry
		id := string(e.Session) + "\x00" + gjson.GetBytes(e.Data, "tool_use_id").Str
		switch {
		case e.Event == logfmt.Permission && i < at:
			waits[e.Session] = true
		case e.Event == logfmt.ToolStart && i < at:
			open[id] = true
		case open[id] && (!only || e.Session == session):
			if took := gjson.GetBytes(e.Data, "duration_ms"); took.Exists() && i >= at && !waits[e.Session] {
				e.Data = member(e.Data, "duration_ms", strconv.FormatInt(took.Int()+d.Milliseconds(), 10))
			}
			delete(open, id)
			waits[e.Session] = waits[e.Session] && i >= at
		}
	}
}

func (w *editor) clock(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("clock SEL D")
	}
	at, err := w.find(args[0])
	if err != nil {
		return err
	}
	d, err := duration(args[1])
	if err != nil {
		return err
	}
	for _, l := range w.log[at:] {
		l.Entry.Time = l.Entry.Time.Add(d)
	}
	return nil
}

func (w *editor) repeat(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("repeat SEL..SEL N")
	}
	places, err := w.between(args[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return fmt.Errorf("%q times?", args[1])
	}
	first, last := w.log[places[0]].Entry, places[len(places)-1]
	length := w.log[last].Entry.Time.Sub(first.Time) + time.Second
	var copies []drawn.Line
	for k := 1; k <= n; k++ {
		for _, i := range places {
			e := *w.log[i].Entry
			e.Time, e.ID = e.Time.Add(time.Duration(k)*length), w.id(k, e.ID)
			if id := gjson.GetBytes(e.Data, "tool_use_id").Str; id != "" {
				e.Data = member(e.Data, "tool_use_id", strconv.Quote(fmt.Sprint(id, "-", w.ops, ".", k)))
			}
			copies = append(copies, drawn.Line{Entry: &e, Other: w.log[i].Other})
		}
	}
	w.insert(last, copies, time.Duration(n)*length)
	return nil
}

// insert puts lines after a position and shifts the times of all later lines.
func (w *editor) insert(at int, lines []drawn.Line, later time.Duration) {
	for _, l := range w.log[at+1:] {
		l.Entry.Time = l.Entry.Time.Add(later)
	}
	w.log = slices.Insert(w.log, at+1, lines...)
}

func (w *editor) twice(args []string) error {
	at, err := w.find(args[0])
	if err != nil || len(args) > 1 {
		return fmt.Errorf("twice what? %v", err)
	}
	e := *w.log[at].Entry
	e.Time = e.Time.Add(time.Millisecond)
	w.insert(at, []drawn.Line{{Entry: &e, Other: w.log[at].Other}}, 0)
	return nil
}

func (w *editor) set(args []string) error {
	places, _, err := w.matches(args[min(1, len(args)-1)])
	if args[0] != "all" {
		var at int
		at, err = w.find(args[0])
		places = []int{at}
	} else {
		args = args[1:]
	}
	if err != nil || len(args) < 2 || len(places) == 0 {
		return fmt.Errorf("set SEL KEY=VALUE: %v", err)
	}
	for _, at := range places {
		if err := w.change(w.log[at].Entry, args[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (w *editor) change(e *logfmt.Entry, pairs []string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("%q is not KEY=VALUE", pair)
		}
		value = strings.Trim(value, "'")
		switch key {
		case "event":
			e.Event, e.ID = logfmt.Event(value), w.id(0, e.ID)
		case "cmd":
			e.Cmd = value
		case "phase":
			e.Phase = value
		default:
			e.Data = member(e.Data, key, raw(value))
		}
	}
	return nil
}

// raw returns a value as JSON: unchanged if it is valid JSON, else as a string. "" stays "".
func raw(value string) string {
	if value == "" || logfmt.Valid([]byte(value)) {
		return value
	}
	return strconv.Quote(value)
}

// member sets one member of data, in its old place if there is one. An empty value removes it.
func member(data []byte, key, value string) []byte {
	var o logfmt.Object
	found := false
	gjson.ParseBytes(data).ForEach(func(k, v gjson.Result) bool {
		switch {
		case k.Str != key:
			o.Raw(k.Str, []byte(v.Raw))
		case value != "":
			o.Raw(key, []byte(value))
		}
		found = found || k.Str == key
		return true
	})
	if !found && value != "" {
		o.Raw(key, []byte(value))
	}
	return o.Bytes()
}

func (w *editor) mark(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("mark NAME SEL")
	}
	at, err := w.find(args[1])
	if err != nil {
		return err
	}
	return w.name(args[0], w.log[at].Entry)
}

func (w *editor) name(name string, e *logfmt.Entry) error {
	if w.marks[name] != nil {
		return fmt.Errorf("%s is the name of another entry", name)
	}
	w.marks[name] = e
	return nil
}
