package record

import (
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"aburn/cmd/aburn/internal/rows"
	"aburn/logfmt"
)

// overdueAfter is how long the start of a call waits for its end before it is shown.
const overdueAfter = 5 * time.Second

// calls holds the starts of calls back until it is known whether they end.
type calls struct {
	all   bool             // starts are entries like others
	ended map[callKey]bool // while reading backwards; forwards the starts come first
	open  []openCall
}

// openCall is a start that is held back, since when.
type openCall struct {
	rows.Record
	since time.Time
}

// callKey names a call: clients number them within a session and agent.
type callKey struct {
	session     logfmt.SessionID
	agent, call string
}

func keyOf(e *logfmt.Entry) (callKey, bool) {
	k := callKey{session: e.Session, call: gjson.GetBytes(e.Data, "tool_use_id").String()}
	if e.Agent != nil {
		k.agent = e.Agent.ID
	}
	return k, k.call != ""
}

func endsCall(ev logfmt.Event) bool {
	return ev == logfmt.Tool || ev == logfmt.ToolFailed || ev == logfmt.ToolDenied
}

// backward says, while reading from the newest entry to older ones, whether r is
// to be shown. A start of less than 5 seconds ago waits for its end.
func (c *calls) backward(r *rows.Record, now time.Time) bool {
	k, ok := keyOf(&r.Entry)
	switch {
	case c.all || !ok:
	case endsCall(r.Event):
		c.end(&r.Entry)
	case r.Event == logfmt.ToolStart && c.ended[k]:
		return false
	case r.Event == logfmt.ToolStart:
		r.Open = true
		if age := now.Sub(r.Time); age >= 0 && age < overdueAfter {
			c.open = append(c.open, openCall{*r, r.Time})
			return false
		}
	}
	return true
}

// forward is the same for what is appended: a start always waits, from now on,
// because clocks may differ.
func (c *calls) forward(r rows.Record, now time.Time) bool {
	_, ok := keyOf(&r.Entry)
	switch {
	case c.all || !ok:
	case r.Event == logfmt.ToolStart:
		r.Open = true
		c.open = append(c.open, openCall{r, now})
		return false
	case endsCall(r.Event):
		c.end(&r.Entry)
	}
	return true
}

// end notes that a call has ended.
func (c *calls) end(e *logfmt.Entry) {
	k, ok := keyOf(e)
	if c.all || !ok {
		return
	}
	if c.ended != nil {
		c.ended[k] = true
	}
	c.open = slices.DeleteFunc(c.open, func(o openCall) bool {
		other, _ := keyOf(&o.Entry)
		return other == k
	})
}

// overdue takes out the starts that are to be shown now.
func (c *calls) overdue(now time.Time) (due []rows.Record) {
	c.open = slices.DeleteFunc(c.open, func(o openCall) bool {
		late := now.Sub(o.since) >= overdueAfter
		if late {
			due = append(due, o.Record)
		}
		return late
	})
	return due
}
