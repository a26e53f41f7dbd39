package openclaw

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace/draft"
)

// token, head and path copy what they return: it is part of a record, which the trace would keep in memory.
func token(s string) string { return strings.Clone(draft.Token(s)) }

func head(text string, max int) string { return strings.Clone(draft.Head(text, max)) }

// head is the function head, which also hides what other texts of the session gave away.
func (s *session) head(text string, max int) string { return strings.Clone(s.b.Head(text, max)) }

func (s *session) path(path string) string { return strings.Clone(draft.Path(path, s.dir)) }

// text returns the text of a content: a string, or the text parts of a list.
func text(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	var b strings.Builder
	v.ForEach(func(_, part gjson.Result) bool {
		if part.Get("type").Str == "text" {
			b.WriteString(part.Get("text").Str)
		}
		return true
	})
	return b.String()
}

// manyValues is the number of lists and objects from which gjson does not validate a record. It recurses for each
// nested one, and a stack that grows too large ends the process.
const manyValues = 100_000

// valid reports whether data is JSON. encoding/json checks records with many values, and refuses what is nested more
// than 10,000 deep.
func valid(data []byte) bool {
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > manyValues {
		return json.Valid(data)
	}
	return gjson.ValidBytes(data)
}
