package queue

import (
	"bytes"
	"time"

	"aburn/logfmt"
)

// document is queue.json in pieces: what is not changed is written back byte for byte, blanks included.
//
//	{"version":"1.0","updated_at":"…","tasks":[ {…} , {…} ]}
//	                             ^updated     ^array       ^
type document struct {
	reading
	version        string
	updatedAt      time.Time
	updated, array span // their values; empty if the member is not there
	items          []item
	others         int   // items that are no objects
	byID           index // nil: not asked for, or not true any more
}

// item is one element of the array.
type item struct {
	lead, raw, trail []byte // blanks before it, itself, blanks behind it
	task             Task
	isTask           bool
}

// parseDocument reads the bytes of a file. The error is ErrBroken or ErrVersion.
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

// setVersion takes the version and reports whether this aburn knows it: none, 1, or anything that begins with "1.".
func (d *document) setVersion(value []byte) bool {
	if s, ok := d.string(value); ok {
		d.version = s
	} else {
		d.version = string(value)
	}
	return value[0] == 'n' || d.version == "1" || len(d.version) > 2 && d.version[:2] == "1."
}

func (d *document) readItems(array []byte) {
	end := d.array.lo + 1                // of what was read
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
	it := item{lead: []byte("\n"), raw: t.encode(), trail: []byte("\n"), task: t, isTask: true}
	if n := len(d.items); n > 0 {
		last := &d.items[n-1]
		it.lead, it.trail = last.lead, last.trail
		last.trail = nil
	}
	d.items = append(d.items, it)
	d.byID = nil
}

// remove takes item i out. What was the last one leaves its blanks to the one that now is.
func (d *document) remove(i int) {
	d.byID = nil
	if i > 0 && i == len(d.items)-1 {
		d.items[i-1].trail = d.items[i].trail
	}
	d.items = append(d.items[:i], d.items[i+1:]...)
}

// bytes is the file with the items as they are now, updated at now.
func (d *document) bytes(now time.Time) []byte {
	stamp := []byte(`"` + formatTime(now) + `"`)
	if d.data == nil {
		b := append([]byte(`{"version":"1.0","updated_at":`), stamp...)
		return append(d.appendItems(append(b, `,"tasks":`...)), "}\n"...)
	}
	b, at := make([]byte, 0, len(d.data)+4096), 0
	replace := func(s span, value []byte) {
		b = append(append(b, d.data[at:s.lo]...), value...)
		at = s.hi
	}
	first, second := d.updated, d.array
	firstValue, secondValue := stamp, d.appendItems(nil)
	if second.lo < first.lo {
		first, second, firstValue, secondValue = second, first, secondValue, firstValue
	}
	if first.hi > 0 {
		replace(first, firstValue)
	}
	if second.hi > 0 {
		replace(second, secondValue)
	}
	b = append(b, d.data[at:]...)
	if d.updated.hi == 0 {
		b = setMember(b, "updated_at", stamp)
	}
	if d.array.hi == 0 && len(d.items) > 0 {
		b = setMember(b, "tasks", d.appendItems(nil))
	}
	return b
}

func (d *document) appendItems(b []byte) []byte {
	b = append(b, '[')
	for i, it := range d.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, it.lead...), it.raw...), it.trail...)
	}
	return append(b, ']')
}

// setMember is the JSON object with a member's value replaced wherever it stands, or appended behind the others; null is
// never appended. Blanks around the object stay.
func setMember(object []byte, key string, value []byte) []byte {
	r := reading{data: object}
	b := make([]byte, 0, len(object)+len(key)+len(value)+4)
	at, found, end := 0, false, bytes.IndexByte(object, '{')+1
	comma := ""
	logfmt.Members(bytes.Trim(object, " \t\r\n"), func(k logfmt.RawString, v []byte) bool {
		s := r.place(v)
		if end, comma = s.hi, ","; string(k) == key {
			b = append(append(b, object[at:s.lo]...), value...)
			at, found = s.hi, true
		}
		return true
	})
	if !found && string(value) == "null" {
		return object
	}
	if !found {
		b = append(append(b, object[:end]...), comma+`"`+key+`":`...)
		b = append(b, value...)
		at = end
	}
	return append(b, object[at:]...)
}
