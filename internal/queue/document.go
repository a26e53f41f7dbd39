package queue

import (
	"bytes"
	"time"

	"aburn/logfmt"
)

// document is queue.json in pieces. Unchanged pieces are written back byte for byte, including
// blanks.
//
//	{"version":"1.0","updated_at":"…","tasks":[ {…} , {…} ]}
//	                             ^updated     ^array       ^
type document struct {
	reading
	version        string
	updatedAt      time.Time
	updated, array span // the members' values; empty if missing
	items          []item
	others         int   // items of tasks that are no objects
	byID           index // nil: not built yet, or outdated
}

type item struct {
	lead, raw, trail []byte // blanks before it, the item, blanks after it
	task             Task
	isTask           bool
}

// parseDocument parses the bytes of a file. The error is ErrBroken or ErrVersion.
func parseDocument(data []byte) (*document, error) {
	d := &document{reading: newReading(data)}
	known, lists := true, 0
	var tasks []byte
	ok := logfmt.Members(bytes.Trim(data, " \t\r\n"), func(key logfmt.RawString, value []byte) bool {
		switch string(key) {
		case "version":
			known = d.setVersion(value)
		case "updated_at":
			d.updated = d.place(value)
			d.updatedAt, _ = d.time(value)
		case "tasks":
			d.array, tasks = d.place(value), value
			lists++
		}
		return true
	})
	switch {
	case !ok || lists > 1 || lists == 1 && tasks[0] != '[' && tasks[0] != 'n':
		return nil, ErrBroken
	case !known:
		return nil, ErrVersion
	}
	if lists == 1 && tasks[0] == '[' {
		d.readItems(tasks)
	}
	return d, nil
}

// setVersion sets the version and reports whether this aburn knows it: none, 1, or anything that
// begins with "1.".
func (d *document) setVersion(value []byte) bool {
	if s, ok := d.string(value); ok {
		d.version = s
	} else {
		d.version = string(value)
	}
	return value[0] == 'n' || d.version == "1" || len(d.version) > 2 && d.version[:2] == "1."
}

func (d *document) readItems(array []byte) {
	end := d.array.lo + 1                // how far data is read
	d.items = make([]item, 0, MaxOpen+8) // mostly enough
	logfmt.Elements(array, func(value []byte) bool {
		at := d.place(value)
		before := d.data[end:at.lo]
		if n := len(d.items); n > 0 {
			d.items[n-1].trail, before, _ = bytes.Cut(before, []byte{','})
		}
		it := item{lead: before, raw: value, isTask: value[0] == '{'}
		if it.isTask {
			it.task = d.task(value)
		} else {
			d.others++
		}
		d.items = append(d.items, it)
		end = at.hi
		return true
	})
	if n := len(d.items); n > 0 {
		d.items[n-1].trail = d.data[end : d.array.hi-1]
	}
}

// tasks returns the items that are tasks.
func (d *document) tasks() []Task {
	list := make([]Task, 0, len(d.items))
	for i := range d.items {
		if d.items[i].isTask {
			list = append(list, d.items[i].task)
		}
	}
	return list
}

// add appends a task, on a line of its own or in the style of the items before it.
func (d *document) add(t Task) {
	it := item{lead: []byte("\n"), raw: t.encode(), trail: []byte("\n"), task: t, isTask: true}
	if n := len(d.items); n > 0 {
		last := &d.items[n-1]
		it.lead, it.trail = last.lead, last.trail
		last.trail = nil
	}
	d.items = append(d.items, it)
	d.byID = nil
}

// remove removes item i. The last item's trailing blanks move to the new last one.
func (d *document) remove(i int) {
	d.byID = nil
	if i > 0 && i == len(d.items)-1 {
		d.items[i-1].trail = d.items[i].trail
	}
	d.items = append(d.items[:i], d.items[i+1:]...)
}

// bytes is the file with the current items, updated at now.
func (d *document) bytes(now time.Time) []byte {
	stamp := []byte(`"` + formatTime(now) + `"`)
	b := make([]byte, 0, d.size())
	if d.data == nil {
		b = append(append(append(b, `{"version":"1.0","updated_at":`...), stamp...), `,"tasks":`...)
		return append(d.appendItems(b), "}\n"...)
	}
	at := 0 // how much of the old file is copied
	updated := func() {
		if d.updated.hi > 0 {
			b = append(append(b, d.data[at:d.updated.lo]...), stamp...)
			at = d.updated.hi
		}
	}
	array := func() {
		if d.array.hi > 0 {
			b = d.appendItems(append(b, d.data[at:d.array.lo]...))
			at = d.array.hi
		}
	}
	if d.updated.lo < d.array.lo {
		updated()
		array()
	} else {
		array()
		updated()
	}
	b = append(b, d.data[at:]...)
	if d.updated.hi == 0 {
		b = setMembers(b, member{"updated_at", stamp})
	}
	if d.array.hi == 0 && len(d.items) > 0 {
		b = setMembers(b, member{"tasks", d.appendItems(nil)})
	}
	return b
}

// size estimates the file's size in bytes.
func (d *document) size() int {
	n := len(d.data) - (d.array.hi - d.array.lo) + 128
	for i := range d.items {
		it := &d.items[i]
		n += len(it.lead) + len(it.raw) + len(it.trail) + 1
	}
	return n
}

func (d *document) appendItems(b []byte) []byte {
	b = append(b, '[')
	for i := range d.items {
		it := &d.items[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, it.lead...), it.raw...), it.trail...)
	}
	return append(b, ']')
}

type member struct {
	key  string
	json []byte
}

// setMembers returns the JSON object with the given members replaced wherever they occur, or
// appended. A null is never appended. Blanks around the object stay.
func setMembers(object []byte, members ...member) []byte {
	size := len(object)
	for _, m := range members {
		size += len(m.key) + len(m.json) + 4
	}
	r := reading{data: object}
	b := make([]byte, 0, size)
	at, end, comma := 0, bytes.IndexByte(object, '{')+1, ""
	found := make([]bool, len(members))
	logfmt.Members(bytes.Trim(object, " \t\r\n"), func(k logfmt.RawString, v []byte) bool {
		s := r.place(v)
		end, comma = s.hi, ","
		for i, m := range members {
			if string(k) == m.key {
				b = append(append(b, object[at:s.lo]...), m.json...)
				at, found[i] = s.hi, true
			}
		}
		return true
	})
	b = append(b, object[at:end]...)
	for i, m := range members {
		if !found[i] && string(m.json) != "null" {
			b = append(append(b, comma+`"`+m.key+`":`...), m.json...)
			comma = ","
		}
	}
	return append(b, object[end:]...)
}
