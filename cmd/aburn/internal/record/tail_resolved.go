package record

import (
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/entries"
	"aburn/logfmt"
)

// resolutions are the issues that were shown as resolved, by signature. The log has an entry for the advice about an issue and one for the
// user's notification of it; people read once that it is resolved.
type resolutions struct{ shown map[string]bool }

// once prints entries, but for a second one about the same resolution.
func (r *resolutions) once(print func(entries.Record, time.Time) error) func(entries.Record, time.Time) error {
	r.shown = map[string]bool{}
	return func(e entries.Record, now time.Time) error {
		signature := gjson.GetBytes(e.Data, "signature").String()
		switch {
		case signature == "":
		case e.Event != logfmt.Resolved:
			delete(r.shown, signature) // it is open again
		case r.shown[signature]:
			return nil
		default:
			r.shown[signature] = true
		}
		return print(e, now)
	}
}
