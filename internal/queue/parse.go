package queue

import (
	"math"
	"time"

	"github.com/tidwall/gjson"

	"aburn/logfmt"
)

// timeLayout is how times are written: RFC 3339, UTC, milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// parseTime reads an RFC 3339 time of any zone.
func parseTime(v gjson.Result) (time.Time, bool) {
	if v.Type != gjson.String {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, v.Str)
	return t.UTC(), err == nil && !t.IsZero()
}

// parseTask reads one object of tasks. It never fails: a known member of an unexpected type counts as unknown.
func parseTask(object gjson.Result) Task {
	var t Task
	object.ForEach(func(key, v gjson.Result) bool {
		if v.Type != gjson.Null && !t.set(key.Str, v) || v.Type == gjson.Null && !isMember(key.Str) {
			t.Extra = append(t.Extra, logfmt.Member{Key: key.Str, Raw: []byte(v.Raw)})
		}
		return true
	})
	return t
}

// set takes one member; false if it is none of ours or not of the type that it should be.
func (t *Task) set(key string, v gjson.Result) (ok bool) {
	switch key {
	case "id":
		return setString(&t.ID, v)
	case "created_at":
		t.CreatedAt, ok = parseTime(v)
	case "priority":
		t.Priority, ok = ParsePriority(v.Str)
	case "source":
		return setString(&t.Source, v)
	case "anomaly_type":
		return setString(&t.Type, v)
	case "prompt":
		return setString(&t.Prompt, v)
	case "suggested_agent":
		return setString(&t.SuggestedAgent, v)
	case "context":
		t.Context, ok = []byte(v.Raw), true
	case "status":
		return setString(&t.Status, v)
	case "attempts":
		t.Attempts, ok = parseCount(v)
	default:
		return t.setAddition(key, v)
	}
	return ok
}

// setAddition is set for the members that are aburn's.
func (t *Task) setAddition(key string, v gjson.Result) (ok bool) {
	switch key {
	case "session":
		return setString(&t.Session, v)
	case "scope":
		return setString(&t.Scope, v)
	case "evidence":
		t.Evidence, ok = parseEvidence(v)
	case "expires_at":
		t.ExpiresAt, ok = parseTime(v)
	case "signature":
		return setString(&t.Signature, v)
	case "lease":
		t.Lease, ok = parseLease(v)
	case "delivered_at":
		t.DeliveredAt, ok = parseTime(v)
	case "seen_at":
		t.SeenAt, ok = parseTime(v)
	case "hmac":
		return setString(&t.HMAC, v)
	}
	return ok
}

// isMember reports whether a task's key is one that set knows.
func isMember(key string) bool {
	switch key {
	case "id", "created_at", "priority", "source", "anomaly_type", "prompt", "suggested_agent", "context", "status", "attempts",
		"session", "scope", "evidence", "expires_at", "signature", "lease", "delivered_at", "seen_at", "hmac":
		return true
	}
	return false
}

func setString[S ~string](to *S, v gjson.Result) bool {
	if v.Type != gjson.String {
		return false
	}
	*to = S(v.Str)
	return true
}

// parseCount reads a number of claims.
func parseCount(v gjson.Result) (int, bool) {
	if v.Type != gjson.Number || v.Num != math.Trunc(v.Num) || v.Num < 0 || v.Num > 1e9 {
		return 0, false
	}
	return int(v.Num), true
}

func parseEvidence(v gjson.Result) (list []uint64, ok bool) {
	if ok = v.IsArray(); !ok {
		return nil, false
	}
	v.ForEach(func(_, n gjson.Result) bool {
		ok = n.Type == gjson.Number && n.Num == math.Trunc(n.Num) && n.Num >= 0 && n.Num <= float64(logfmt.MaxSeq)
		list = append(list, uint64(n.Num))
		return ok
	})
	if !ok {
		return nil, false
	}
	return list, true
}

func parseLease(v gjson.Result) (*Lease, bool) {
	if !v.IsObject() {
		return nil, false
	}
	l, ok := &Lease{}, false
	v.ForEach(func(key, m gjson.Result) bool {
		switch key.Str {
		case "pid":
			l.PID, _ = parseCount(m)
		case "session":
			setString(&l.Session, m)
		case "prompt_id":
			setString(&l.PromptID, m)
		case "until":
			l.Until, ok = parseTime(m)
		}
		return true
	})
	return l, ok
}
