package queue

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/logfmt"
)

// document is queue.json in pieces: what is not changed is written back byte for byte, blanks included.
//
//	{"version":"1.0","updated_at":"…","tasks":[ {…} , {…} ]}
//	                             ^updated     ^array       ^
type document struct {
	text           string // the whole file; "" if there is none
	version        string
	updatedAt      time.Time
	updated, array span // their values in text; empty if the member is not there
	items          []item
	others         int // items that are no objects
}

type span struct{ lo, hi int }

// item is one element of the array.
type item struct {
	lead, raw, trail string // blanks before it, itself, blanks behind it
	task             Task
	isTask           bool
}

// parseDocument reads the bytes of a file. The error is ErrBroken or ErrVersion.
func parseDocument(data []byte) (*document, error) {
	if !logfmt.Valid(data) { // which bounds the depth, too
		return nil, ErrBroken
	}
	d := &document{text: string(data)}
	root := gjson.Parse(d.text)
	if !root.IsObject() {
		return nil, ErrBroken
	}
	broken, known := false, true
	var tasks gjson.Result
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "version":
			known = d.setVersion(value)
		case "updated_at":
			d.updated = spanOf(value)
			d.updatedAt, _ = parseTime(value)
		case "tasks":
			broken = broken || d.array.hi > 0 || !value.IsArray() && value.Type != gjson.Null
			d.array, tasks = spanOf(value), value
		}
		return true
	})
	switch {
	case !known:
		return nil, ErrVersion
	case broken:
		return nil, ErrBroken
	}
	if tasks.IsArray() {
		d.readItems(tasks)
	}
	return d, nil
}

// setVersion takes the version and reports whether this aburn knows it: none, 1, or anything that begins with "1.".
func (d *document) setVersion(v gjson.Result) bool {
	d.version = v.String()
	return v.Type == gjson.Null || d.version == "1" || strings.HasPrefix(d.version, "1.")
}

func spanOf(v gjson.Result) span { return span{v.Index, v.Index + len(v.Raw)} }

func (d *document) readItems(array gjson.Result) {
	end := d.array.lo + 1 // of what was read
	array.ForEach(func(_, value gjson.Result) bool {
		at := spanOf(value)
		before := d.text[end:at.lo]
		if n := len(d.items); n > 0 {
			d.items[n-1].trail, before, _ = strings.Cut(before, ",")
		}
		it := item{lead: before, raw: d.text[at.lo:at.hi], isTask: value.IsObject()}
		if it.isTask {
			it.task = parseTask(value)
		} else {
			d.others++
		}
		d.items = append(d.items, it)
		end = at.hi
		return true
	})
	if n := len(d.items); n > 0 {
		d.items[n-1].trail = d.text[end : d.array.hi-1]
	}
}

// tasks are the items that are tasks.
func (d *document) tasks() []Task {
	list := make([]Task, 0, len(d.items))
	for i := range d.items {
		if d.items[i].isTask {
			list = append(list, d.items[i].task)
		}
	}
	return list
}

// add appends a task. It stands on a line of its own, or as the items before it do.
func (d *document) add(t Task) {
	it := item{lead: "\n", raw: string(t.encode()), trail: "\n", task: t, isTask: true}
	if n := len(d.items); n > 0 {
		last := &d.items[n-1]
		it.lead, it.trail = last.lead, last.trail
		last.trail = ""
	}
	d.items = append(d.items, it)
}

// remove takes item i out. What was the last one leaves its blanks to the one that now is.
func (d *document) remove(i int) {
	if i > 0 && i == len(d.items)-1 {
		d.items[i-1].trail = d.items[i].trail
	}
	d.items = append(d.items[:i], d.items[i+1:]...)
}

// bytes is the file with the items as they are now, updated at now.
func (d *document) bytes(now time.Time) []byte {
	stamp := `"` + formatTime(now) + `"`
	var b bytes.Buffer
	b.Grow(len(d.text) + 4096)
	if d.text == "" {
		b.WriteString(`{"version":"1.0","updated_at":` + stamp + `,"tasks":`)
		d.writeItems(&b)
		b.WriteString("}\n")
		return b.Bytes()
	}
	at := 0
	replace := func(s span, write func()) {
		b.WriteString(d.text[at:s.lo])
		write()
		at = s.hi
	}
	putStamp := func() { b.WriteString(stamp) }
	putItems := func() { d.writeItems(&b) }
	switch u, a := d.updated, d.array; {
	case u.hi == 0 && a.hi == 0:
	case u.hi == 0:
		replace(a, putItems)
	case a.hi == 0:
		replace(u, putStamp)
	case u.lo < a.lo:
		replace(u, putStamp)
		replace(a, putItems)
	default:
		replace(a, putItems)
		replace(u, putStamp)
	}
	b.WriteString(d.text[at:])
	return d.addMissing(b.Bytes(), stamp)
}

// addMissing appends the members that the file did not have.
func (d *document) addMissing(text []byte, stamp string) []byte {
	s := string(text)
	if d.updated.hi == 0 {
		s = setMember(s, "updated_at", stamp)
	}
	if d.array.hi == 0 && len(d.items) > 0 {
		var b bytes.Buffer
		d.writeItems(&b)
		s = setMember(s, "tasks", b.String())
	}
	return []byte(s)
}

func (d *document) writeItems(b *bytes.Buffer) {
	b.WriteByte('[')
	for i, it := range d.items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(it.lead)
		b.WriteString(it.raw)
		b.WriteString(it.trail)
	}
	b.WriteByte(']')
}

// setMember is the JSON object with a member's value replaced wherever it stands, or appended behind the others; null is
// never appended.
func setMember(object, key, value string) string {
	var b strings.Builder
	at, end, found := 0, 0, false
	root := gjson.Parse(object)
	root.ForEach(func(k, v gjson.Result) bool {
		s := spanOf(v)
		if end = s.hi; k.Str == key {
			b.WriteString(object[at:s.lo])
			b.WriteString(value)
			at, found = s.hi, true
		}
		return true
	})
	if !found && value == "null" {
		return object
	}
	if !found {
		comma := ","
		if end == 0 {
			end, comma = strings.IndexByte(object, '{')+1, ""
		}
		b.WriteString(object[:end])
		b.WriteString(comma + `"` + key + `":` + value)
		at = end
	}
	b.WriteString(object[at:])
	return b.String()
}
