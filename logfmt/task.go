package logfmt

import "strconv"

// TaskFacts is the data of an INTERVENTION, DELIVERED or RESOLVED. Zero fields are left out.
type TaskFacts struct {
	Task       string // its id in the queue; "" if only the user was notified
	Type       string
	Signature  string
	Confidence float64
	Evidence   []uint64 // seqs
	Level      string
	PromptID   string
	InTurn     bool // printed inside of a turn, after a tool call
	Seen       bool
	Reason     string
}

// TaskEntry is the entry of ev about a task, without its time. A task has one entry of each
// event, so the entry's id is made of both. Where only the user was notified, the caller sets an
// id, or none.
func TaskEntry(ev Event, s SessionID, f TaskFacts) *Entry {
	e := &Entry{Cmd: SupervisorCmd, Event: ev, Session: s, Source: "aburn"}
	if f.Task != "" {
		key := f.Task
		if f.Seen {
			key += ":seen"
		}
		e.ID = ToolID(e.Source, "", "", ev, key)
	}
	var o Object
	o.StrIf("task_id", f.Task).StrIf("type", f.Type).StrIf("signature", f.Signature)
	if f.Confidence > 0 {
		o.Float("confidence", f.Confidence)
	}
	if len(f.Evidence) > 0 {
		b := []byte{'['}
		for i, seq := range f.Evidence {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendUint(b, seq, 10)
		}
		o.Raw("evidence", append(b, ']'))
	}
	o.StrIf("level", f.Level).StrIf("prompt_id", f.PromptID)
	if f.InTurn {
		o.Bool("in_turn", true)
	}
	if f.Seen {
		o.Bool("seen", true)
	}
	e.Data = o.StrIf("reason", f.Reason).Bytes()
	return e
}
