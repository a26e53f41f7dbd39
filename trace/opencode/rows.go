package opencode

import (
	"aburn/internal/jsonl"
	"aburn/trace"

	"zombiezen.com/go/sqlite"
)

// tooLarge is why a record was passed over.
const tooLarge = "it is larger than what is held of a record"

// fold folds what the database holds of a session: all that happened to it, in its order, where the event table has it;
// else its messages and parts as they are now. table says which it was.
func (d *database) fold(s session) (t *talk, table string, err error) {
	held, parts, err := d.held(s.id)
	if err != nil {
		return nil, "", err
	}
	if d.hasEvents() {
		t, complete, err := d.foldEvents(s)
		if err != nil {
			return nil, "", err
		}
		if complete && t.holds(held, parts) {
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

// held is the ids of the messages and parts that the session has now.
func (d *database) held(id string) (messages map[string]bool, parts []string, err error) {
	messages = map[string]bool{}
	err = d.query("SELECT id FROM message WHERE session_id = ?", []any{id}, func(row *sqlite.Stmt) error {
		messages[row.ColumnText(0)] = true
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = d.query("SELECT id FROM part WHERE session_id = ?", []any{id}, func(row *sqlite.Stmt) error {
		parts = append(parts, row.ColumnText(0))
		return nil
	})
	return messages, parts, err
}

// holds says whether all of these messages and parts were folded.
func (t *talk) holds(messages map[string]bool, parts []string) bool {
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

// foldEvents folds the rows of the event table. It is not complete if some are missing, as when the session is older than
// the table, or of a kind that is not known.
func (d *database) foldEvents(s session) (t *talk, complete bool, err error) {
	var count, first, last int64
	err = d.query("SELECT count(*), min(seq), max(seq) FROM event WHERE aggregate_id = ?", []any{s.id}, func(row *sqlite.Stmt) error {
		count, first, last = row.ColumnInt64(0), row.ColumnInt64(1), row.ColumnInt64(2)
		return nil
	})
	if err != nil || count == 0 || first != 0 || last != count-1 {
		return nil, false, err
	}
	t, complete = newTalk(s), true
	err = d.query("SELECT seq, id, type, "+bounded("data")+" FROM event WHERE aggregate_id = ? ORDER BY seq", []any{s.id}, func(row *sqlite.Stmt) error {
		r := record{pos: row.ColumnInt64(0), ref: trace.Ref{Table: "event", Key: row.ColumnText(1)}}
		switch row.ColumnText(2) {
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
			complete = false // or another version of one
			return nil
		}
		if row.ColumnIsNull(3) {
			t.damage(r.ref, tooLarge)
			return nil
		}
		r.unwrap(d.bytes(row, 3))
		t.take(r)
		return nil
	})
	return t, complete, err
}

// unwrap takes out of an event what it is about.
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

// foldRows folds the rows of the message and part tables. The order of messages is that of their times, the order of parts
// that of their ids, which begin with one. What a part tells of its beginning and end has one place.
func (d *database) foldRows(s session) (*talk, error) {
	t := newTalk(s)
	var ids []string
	var pos int64
	err := d.query("SELECT id, time_created, "+bounded("data")+" FROM message WHERE session_id = ? ORDER BY time_created, id", []any{s.id}, func(row *sqlite.Stmt) error {
		r := record{kind: ofMessage, id: row.ColumnText(0), at: row.ColumnInt64(1)}
		r.ref = trace.Ref{Table: "message", Key: r.id}
		if row.ColumnIsNull(2) {
			t.damage(r.ref, tooLarge)
			return nil
		}
		r.data = d.bytes(row, 2)
		t.take(r)
		ids = append(ids, r.id)
		return nil
	})
	for _, id := range ids {
		if err != nil {
			break
		}
		pos++
		t.place(id, pos)
		err = d.query("SELECT id, "+bounded("data")+" FROM part WHERE message_id = ? ORDER BY id", []any{id}, func(row *sqlite.Stmt) error {
			pos++
			r := record{kind: ofPart, pos: pos, id: row.ColumnText(0), message: id}
			r.ref = trace.Ref{Table: "part", Key: r.id}
			if row.ColumnIsNull(1) {
				t.damage(r.ref, tooLarge)
				return nil
			}
			r.data = d.bytes(row, 1)
			t.take(r)
			return nil
		})
	}
	return t, err
}

// place sets where a message stands, if it is one.
func (t *talk) place(id string, pos int64) {
	if m := t.byID[id]; m != nil {
		m.pos, m.endAt = pos, pos
	}
}
