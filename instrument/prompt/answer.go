package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/scan"
	"aburn/internal/plain"
)

// Bounds of an answer.
const (
	maxAnswerBytes = 1 << 20
	maxAttributes  = 16 // of a span
	maxExpr        = 400
	maxText        = 300 // of a reason, brief or note
	maxNotes       = 5
)

// schema is strict and has no recursion: each member is required, none beside them.
const schema = `{"type":"object","additionalProperties":false,"required":["functions","newSpans","newAttributes","libraries","notes"],"properties":{` +
	`"functions":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["id","action","span","tier","reason","attributes"],` +
	`"properties":{` +
	`"id":{"type":"string"},"action":{"type":"string","enum":["span","skip"]},"span":{"type":"string"},"tier":{"type":"integer"},"reason":{"type":"string"},` +
	`"attributes":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["key","expr","at"],"properties":{"key":{"type":"string"},` +
	`"expr":{"type":"string"},"at":{"type":"string"}}}}}}},` +
	newNames

// newNames are the members that each form of an answer has, and its end.
const newNames = `"newSpans":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["id","kind","brief","attributes"],"properties":{` +
	`"id":{"type":"string"},"kind":{"type":"string","enum":["internal","server","client","producer","consumer"]},"brief":{"type":"string"},` +
	`"attributes":{"type":"array","items":{"type":"string"}}}}},` +
	`"newAttributes":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["key","type","brief","examples"],"properties":{` +
	`"key":{"type":"string"},"type":{"type":"string","enum":["string","int","double","boolean","string[]","int[]","double[]","boolean[]"]},` +
	`"brief":{"type":"string"},"examples":{"type":"array","items":{"type":"string"}}}}},` +
	`"libraries":{"type":"array","items":{"type":"string"}},"notes":{"type":"array","items":{"type":"string"}}}}`

// Schema is the form of an answer, as JSON Schema.
func Schema() json.RawMessage { return json.RawMessage(schema) }

var (
	nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)
	atForm   = regexp.MustCompile(`^(start|after:[0-9]{1,6})?$`)
)

// Read takes an answer apart. A plan has only what is within the grammar; facts say
// what was left out, in words for the next attempt. The error says that the answer has
// not the form at all.
func Read(answer json.RawMessage, f *scan.File) (plan edit.Plan, facts []string, err error) {
	if len(answer) > maxAnswerBytes {
		return plan, nil, fmt.Errorf("the answer has %d KB", len(answer)>>10)
	}
	var got edit.Plan
	if err := decode(answer, &got); err != nil {
		return plan, nil, err
	}
	r := &reading{file: f, seen: map[string]bool{}}
	for _, c := range got.Functions {
		if c, ok := r.choice(c); ok {
			plan.Functions = append(plan.Functions, c)
		}
	}
	plan.NewSpans, plan.NewAttributes = r.newNames(got.NewSpans, got.NewAttributes)
	plan.Libraries, plan.Notes = r.libraries(got.Libraries), notes(got.Notes)
	return plan, r.facts, nil
}

// decode reads an answer. The error says which place doesn't match.
func decode[T any](answer json.RawMessage, into *T) error {
	const mismatch = "the model's answer doesn't match the schema: "
	if bad := edit.CheckForm(answer, reflect.TypeFor[T]()); bad != nil {
		return errors.New(mismatch + plain.OneLine(bad.Says("it"), 200))
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errors.New(mismatch + plain.OneLine(strings.TrimPrefix(err.Error(), "json: "), 200))
	}
	return nil
}

// newNames keeps what is within the grammar, with its texts cut.
func (r *reading) newNames(spans []edit.NewSpan, attributes []edit.NewAttribute) (s []edit.NewSpan, a []edit.NewAttribute) {
	for _, n := range spans {
		if r.name("newSpans", n.ID) {
			n.Brief = plain.OneLine(n.Brief, maxText)
			s = append(s, n)
		}
	}
	for _, n := range attributes {
		if r.name("newAttributes", n.Key) {
			n.Brief = plain.OneLine(n.Brief, maxText)
			for i := range n.Examples {
				n.Examples[i] = plain.OneLine(n.Examples[i], 100)
			}
			n.Examples = n.Examples[:min(len(n.Examples), 5)]
			a = append(a, n)
		}
	}
	return s, a
}

func notes(list []string) (out []string) {
	for _, n := range list[:min(len(list), maxNotes)] {
		out = append(out, plain.OneLine(n, maxText))
	}
	return out
}

type reading struct {
	file  *scan.File
	seen  map[string]bool
	facts []string
}

func (r *reading) wrong(format string, args ...any) bool {
	r.facts = append(r.facts, plain.OneLine(fmt.Sprintf(format, args...), 400))
	return false
}

func (r *reading) name(where, name string) bool {
	if len(name) > 100 || !nameForm.MatchString(name) {
		return r.wrong("%s: %q is no name of the form a.b.c", where, name)
	}
	return true
}

func (r *reading) choice(c edit.Choice) (edit.Choice, bool) {
	i := slices.IndexFunc(r.file.Functions, func(f scan.Function) bool { return f.ID == c.ID })
	switch {
	case i < 0:
		return c, r.wrong("the file has no function %q", c.ID)
	case r.seen[c.ID]:
		return c, r.wrong("function %s stands twice", c.ID)
	case c.Action != "span" && c.Action != "skip":
		return c, r.wrong("function %s: the action is %q; it is span or skip", c.ID, c.Action)
	}
	r.seen[c.ID] = true
	fn := r.file.Functions[i]
	out := edit.Choice{ID: c.ID, Name: fn.Name, Action: c.Action, Reason: plain.OneLine(c.Reason, maxText), Tier: fn.Tier}
	if c.Action == "skip" {
		return out, true
	}
	if fn.Verdict != scan.Candidate {
		return c, r.wrong("function %s is no candidate: %s", c.ID, fn.Reason)
	}
	if !r.name("function "+c.ID, c.Span) {
		return c, false
	}
	out.Span = c.Span
	for i, a := range c.Attributes {
		switch {
		case i == maxAttributes:
			r.wrong("function %s: more than %d attributes", c.ID, maxAttributes)
			return out, true
		case !r.name("function "+c.ID, a.Key):
		case len(a.Expr) > maxExpr || strings.ContainsAny(a.Expr, "\n\r"):
			r.wrong("function %s, attribute %s: the expression is longer than %d bytes or one line", c.ID, a.Key, maxExpr)
		case !atForm.MatchString(a.At):
			r.wrong("function %s, attribute %s: at is %q; it is start or after:LINE", c.ID, a.Key, a.At)
		default:
			out.Attributes = append(out.Attributes, a)
		}
	}
	return out, true
}

// libraries gives the instrumentations that the table has for what the file imports,
// whether the answer names them or what they cover.
func (r *reading) libraries(named []string) (list []string) {
	for _, name := range named {
		i := slices.IndexFunc(r.file.Libraries, func(l scan.Library) bool { return l.Package == name || slices.Contains(l.Covers, name) })
		if i < 0 {
			r.wrong("libraries: none is known for %q in this file", name)
			continue
		}
		if p := r.file.Libraries[i].Package; !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
