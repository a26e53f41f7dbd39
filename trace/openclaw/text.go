package openclaw

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace/draft"
)

// The texts of a record are parts of it: what is kept is copied, or the trace would hold all records.

// token is draft.Token.
func token(s string) string { return strings.Clone(draft.Token(s)) }

// head is draft.Head.
func head(text string, max int) string { return strings.Clone(draft.Head(text, max)) }

// path is a path as the trace keeps it.
func (s *session) path(path string) string { return strings.Clone(draft.Path(path, s.dir)) }

// text is what a content says: a string, or the text parts of a list.
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

// manyValues is how many lists and objects a record may have for gjson to check it: it calls itself for each that is
// within another, and a stack that grows too large ends the process.
const manyValues = 100_000

// valid says whether data is JSON. Of large records it refuses what is nested more than 10,000 deep.
func valid(data []byte) bool {
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > manyValues {
		return json.Valid(data)
	}
	return gjson.ValidBytes(data)
}
