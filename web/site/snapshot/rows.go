package snapshot

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/plain"
	"aburn/web"

	"aburn/insight"
	"aburn/insight/cost"
	"aburn/web/pages"
)

// Cursor is a place in a list: the row after which it goes on. It stays where it is when newer rows come.
func Cursor(r *Row) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(MillisOf(r), 10) + " " + r.Source + " " + r.ID))
}

func MillisOf(r *Row) int64 {
	if r.End.IsZero() {
		return 0
	}
	return r.End.UnixMilli()
}

// After are the rows of a list behind a cursor. One that means nothing begins at the start. A row that is not there any more has a place only
// in a list with the newest first.
func After(list []*Row, at string) []*Row {
	text, err := base64.RawURLEncoding.DecodeString(at)
	parts := strings.SplitN(string(text), " ", 3)
	if at == "" || err != nil || len(parts) != 3 {
		return list
	}
	end, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return list
	}
	if i := slices.IndexFunc(list, func(r *Row) bool { return r.Source == parts[1] && r.ID == parts[2] && MillisOf(r) == end }); i >= 0 {
		return list[i+1:]
	}
	i := slices.IndexFunc(list, func(r *Row) bool {
		if n := MillisOf(r); n != end {
			return n < end
		}
		if r.Source != parts[1] {
			return r.Source > parts[1]
		}
		return r.ID > parts[2]
	})
	if i < 0 {
		return nil
	}
	return list[i:]
}

// SumOf is what some sessions' own answers cost.
func SumOf(list []*Row) (sum cost.Sum) {
	for _, r := range list {
		sum.Add(r.Cost)
	}
	return sum
}

// OutcomeOf is how a session ended, for people.
func OutcomeOf(v insight.Verdict) pages.Outcome {
	o := pages.Outcome{Mark: "?", Word: v.Outcome.Word(), Class: "open"}
	switch v.Outcome {
	case insight.Completed:
		o.Mark, o.Class = "✔", "good"
	case insight.Interrupted:
		o.Mark, o.Class = "‖", "held"
	case insight.Errored:
		o.Mark, o.Class = "✖", "bad"
	case insight.GaveUp:
		o.Mark, o.Class = "…", "bad"
	case insight.Killed, insight.Crashed:
		o.Mark, o.Class = "†", "cut"
	case insight.Running:
		o.Mark, o.Class = "▶", "live"
	default:
		o.Word = "unknown"
	}
	return o
}

// ProjectLink is a project's name, with the list of its sessions.
func ProjectLink(r *Row) pages.Link {
	if r.Root == "" {
		return pages.Link{Text: NameOf("")}
	}
	name := filepath.Base(r.Root)
	if sub := strings.TrimPrefix(r.Project.Key, r.Root); sub != "" && sub != r.Project.Key {
		name += filepath.ToSlash(sub)
	}
	return pages.Link{Text: plain.Line(name), Href: Filter{Project: r.Root}.Address("/sessions")}
}

// Address is the page of a session.
func (r *Row) Address() string { return web.SessionPath(r.Source, r.ID) }

// EventAt is the address of an event of a session. It works without a script, too: the page begins near it.
func (r *Row) EventAt(n int) string { return fmt.Sprintf("%s?at=%d#e%d", r.Address(), n, n) }

// Title is a session's first prompt, or what else names it.
func (r *Row) Title() string {
	if text := plain.Cut(plain.Line(r.Ask), 160); strings.TrimSpace(text) != "" {
		return text
	}
	return "without a prompt: " + plain.Line(r.AgentTitle()+" "+r.ID)
}

// RawPart stands in an address between a session and the number of an event.
const RawPart = "/raw/"
