package logfmt

import (
	"errors"
	"time"

	"github.com/tidwall/gjson"
)

// Parse reads one JSON line (without its newline; a trailing CR is tolerated).
// The error names the reason in words; nothing of the line is kept by the Entry.
func Parse(line []byte) (Entry, error) {
	line = trimLine(line)
	if !gjson.ValidBytes(line) || len(line) == 0 || line[0] != '{' {
		return Entry{}, errors.New("not a JSON object")
	}
	var e Entry
	var err error
	gjson.ParseBytes(line).ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "ts":
			e.Time, err = time.Parse(time.RFC3339Nano, v.Str)
		case "cmd":
			e.Cmd = v.Str
		case "phase":
			e.Phase = v.Str
		case "event":
			e.Event = Event(v.Str)
		case "session":
			e.Session = SessionID(v.Str)
		case "seq":
			e.Seq = Seq(v.Uint())
		case "id":
			e.ID = v.Str
		case "agent":
			e.Agent = &Agent{v.Get("type").Str, v.Get("id").Str, v.Get("parent_cmd").Str}
		case "source":
			e.Source = v.Str
		case "wt":
			e.Wt = v.Str
		case "branch":
			e.Branch = v.Str
		case "data":
			e.Data = []byte(v.Raw)
		case "crc":
		default:
			e.Extra = append(e.Extra, Member{k.Str, []byte(v.Raw)})
		}
		return err == nil
	})
	if err == nil && (e.Time.IsZero() || e.Cmd == "" || e.Event == "") {
		err = errors.New("ts, cmd and event are required")
	}
	return e, err
}
