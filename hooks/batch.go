package hooks

import "github.com/tidwall/gjson"

// Batch is all calls of one message of the model, which its agent names after every other event about them. It is a Closer.
type Batch struct {
	Calls []gjson.Result
	ID    string // the member of a call that is its id
	// End is the end of the call c, which no event told. p has its tool, id and input; begun is nil if the log has no beginning.
	End func(p Payload, c gjson.Result, begun *Call) Draft
}

// Wants are the calls of the message.
func (b *Batch) Wants() []string {
	ids := make([]string, 0, len(b.Calls))
	for _, c := range b.Calls {
		if id := c.Get(b.ID).Str; id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Prepare reports whether a call has no end.
func (b *Batch) Prepare(calls *Calls) bool {
	for _, id := range b.Wants() {
		if !calls.Ended(id) {
			return true
		}
	}
	return false
}

// Close ends the calls that have no end.
func (b *Batch) Close(calls *Calls) []Draft {
	var drafts []Draft
	for _, c := range b.Calls {
		id := c.Get(b.ID).Str
		if id == "" || calls.Ended(id) {
			continue
		}
		d := b.End(Payload{Tool: c.Get("tool_name").Str, ToolUseID: id, Input: JSON(c.Get("tool_input").Raw)}, c, calls.Find(id))
		d.Data.Str("inferred", "batch")
		drafts = append(drafts, d)
	}
	return drafts
}
