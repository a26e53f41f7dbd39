package opencode

import (
	"aburn/internal/jsonl"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// tooLarge is the reason of damage for a record that was passed over.
const tooLarge = "it is larger than what is held of a record"

// fold reads a session from the event table, which has its whole history in order. If the table is incomplete it reads
// the messages and parts as they are now. table names the tables it used.
func (d *database) fold(s session) (t *conversation, table string, err error) {
	if s.v2 {
		return d.foldV2(s)
	}
	held, parts, err := d.currentIDs(s.id)
	if err != nil {
		return nil, "", err
	}
	if d.hasEvents() {
		t, complete, err := d.foldEvents(s)
		if err != nil {
			return nil, "", err
		}
		if complete && t.hasAll(held, parts) {
			t.settle(held)
			return t, "event", nil
		}
	}
	if t, err = d.foldRows(s); err != nil {
		return nil, "", err
	}
	t.settle(nil)
	return t, "message, part", nil
}

// currentIDs returns the messages and parts that the session has now.
func (d *database) currentIDs(id string) (messages map[string]bool, parts []string, err error) {
	messages = map[string]bool{}
	err = d.query("SELECT id FROM message WHERE session_id = ?", []any{id}, func(row *sqlite.Row) error {
		messages[row.Text(0)] = true
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = d.query("SELECT id FROM part WHERE session_id = ?", []any{id}, func(row *sqlite.Row) error {
		parts = append(parts, row.Text(0))
		return nil
	})
	return messages, parts, err
}

func (t *conversation) hasAll(messages map[string]bool, parts []string) bool {
	for id := range messages {
		if t.byID[id] == nil {
			return false
		}
	}
	for _, id := range parts {
		if t.parts[id] == nil {
			return false
		}
	}
	return true
}

// foldEvents folds the rows of the event table. complete is false if rows are missing, as in sessions older than the
// table, or if a row is of an unknown type.
func (d *database) foldEvents(s session) (t *conversation, complete bool, err error) {
	var count, first, last int64
	err = d.query("SELECT count(*), min(seq), max(seq) FROM event WHERE aggregate_id = ?", []any{s.id},
		func(row *sqlite.Row) error {
			count, first, last = row.Int64(0), row.Int64(1), row.Int64(2)
			return nil
		})
	if err != nil || count == 0 || first != 0 || last != count-1 {
		return nil, false, err
	}
	t, complete = newConversation(s), true
	err = d.query("SELECT seq, id, type, "+bounded("data")+" FROM event WHERE aggregate_id = ? ORDER BY seq",
		[]any{s.id}, func(row *sqlite.Row) error {
			r := record{pos: row.Int64(0), ref: trace.Ref{Table: "event", Key: row.Text(1)}}
			switch row.Text(2) {
			case "message.updated.1":
				r.kind = ofMessage
			case "message.part.updated.1":
				r.kind = ofPart
			case "message.removed.1":
				r.kind = messageGone
			case "message.part.removed.1":
				r.kind = partGone
			case "session.created.1", "session.updated.1", "session.deleted.1":
				if r.pos == 0 {
					t.session.ref = r.ref
				}
				return nil
			default:
				complete = false // unknown, or a newer version
				return nil
			}
			if row.Null(3) {
				t.damage(r.ref, tooLarge)
				return nil
			}
			r.unwrap(d.bytes(row, 3))
			t.apply(r)
			return nil
		})
	return t, complete, err
}

// unwrap takes the message or part out of an event.
func (r *record) unwrap(event []byte) {
	jsonl.Members(event, func(key, v []byte) bool {
		switch string(key) {
		case "info":
			r.data, r.id = v, text(v, "id")
		case "part":
			r.data, r.id, r.message = v, text(v, "id"), text(v, "messageID")
		case "messageID":
			if r.kind == messageGone {
				r.id = jsonl.Text(v)
			}
		case "partID":
			r.id = jsonl.Text(v)
		}
		return true
	})
}

// foldRows folds the rows of the message and part tables. Messages are ordered by time, parts by id, which begins with
// a time. A part's beginning and end share one position.
func (d *database) foldRows(s session) (*conversation, error) {
	t := newConversation(s)
	var ids []string
	var pos int64
	err := d.query("SELECT id, time_created, "+bounded("data")+" FROM message WHERE session_id = ? ORDER BY time_created, id", []any{s.id},
		func(row *sqlite.Row) error {
			r := record{kind: ofMessage, id: row.Text(0), at: row.Int64(1)}
			r.ref = trace.Ref{Table: "message", Key: r.id}
			if row.Null(2) {
				t.damage(r.ref, tooLarge)
				return nil
			}
			r.data = d.bytes(row, 2)
			t.apply(r)
			ids = append(ids, r.id)
			return nil
		})
	for _, id := range ids {
		if err != nil {
			break
		}
		pos++
		t.place(id, pos)
		err = d.query("SELECT id, "+bounded("data")+" FROM part WHERE message_id = ? ORDER BY id", []any{id},
			func(row *sqlite.Row) error {
				pos++
				r := record{kind: ofPart, pos: pos, id: row.Text(0), message: id}
				r.ref = trace.Ref{Table: "part", Key: r.id}
				if row.Null(1) {
					t.damage(r.ref, tooLarge)
					return nil
				}
				r.data = d.bytes(row, 1)
				t.apply(r)
				return nil
			})
	}
	return t, err
}

func (t *conversation) place(id string, pos int64) {
	if m := t.byID[id]; m != nil {
		m.pos, m.endAt = pos, pos
	}
}
