package instrument

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
)

// Rewritten is a file as a model wrote it, whole, with what its spans need beside it.
type Rewritten struct {
	Path          string
	Source        string // SHA-256 of the file that it was made from
	Code          []byte
	NewSpans      []edit.NewSpan
	NewAttributes []edit.NewAttribute
	Libraries     []string
	Notes         []string
}

// Rewrite judges a file that a model wrote, in memory, by the rules that judge the
// result of a plan: nothing of it is in the result unless it passes all blocking ones.
// made says which spans it got, as choices of a plan. Errors are a *PathError, a
// *RegistryError, or the context's.
func (a Applying) Rewrite(ctx context.Context, engine jsast.Engine, r Rewritten) (result *RunResult, made Planned, err error) {
	made = Planned{Path: r.Path, Source: r.Source, Plan: edit.Plan{NewSpans: r.NewSpans, NewAttributes: r.NewAttributes, Libraries: r.Libraries, Notes: r.Notes}}
	w, err := a.begin(engine)
	if err != nil {
		return nil, made, err
	}
	defer w.root.Close()
	w.Config.TracerName = w.tracer // a model chose the tracer's name: it has to be the project's
	f := w.newResult(r.Path, r.Notes)
	if err := w.rewritten(ctx, f, r.Code, &made); err != nil {
		return nil, made, err
	}
	w.result.Files = append(w.result.Files, f)
	w.wants(r.Libraries)
	return w.end(), made, nil
}

func (w *applying) rewritten(ctx context.Context, f *FileResult, code []byte, made *Planned) error {
	m, err := w.open(ctx, f)
	if m == nil {
		return err
	}
	if !strings.EqualFold(made.Source, SourceHash(m.Source)) {
		f.fail("the file has changed since the model wrote it anew")
		return nil
	}
	f.Attempts = 1
	code = asWritten(code, m)
	pair, err := w.pair(ctx, m, code, f.Path)
	if err != nil {
		return w.engineError(ctx, f, err)
	}
	extended := &extension{contract: w.contract}
	if pair.New != nil {
		var keys []string
		made.Functions, keys = chosen(pair)
		f.onlyUsed(&made.Plan, keys)
		if extended = w.extended(f, *made); extended == nil {
			return nil
		}
	}
	list := w.rule(pair, extended)
	switch {
	case rules.Blocks(list):
		f.Blocking = blocking(list)
		f.fail("a rule blocks it: %s: %s", f.Blocking[0].Rule, f.Blocking[0].Message)
	case len(made.Functions) == 0:
		f.Status, f.Reason = Unchanged, "the model put no span into it"
	default:
		count := added{spans: len(made.Functions)}
		for _, c := range made.Functions {
			count.attributes += len(c.Attributes)
		}
		w.take(ctx, f, m, code, list, extended, count)
	}
	return nil
}

// asWritten gives a model's text the ends of lines, the byte order mark and the last
// newline of the original. A model is shown none of them.
func asWritten(code []byte, m *jsast.Module) []byte {
	const mark = "\uFEFF"
	text := strings.TrimPrefix(strings.ReplaceAll(string(code), "\r\n", "\n"), mark)
	if bytes.HasSuffix(m.Source, []byte("\n")) && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if m.NewLine == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if bytes.HasPrefix(m.Source, []byte(mark)) {
		text = mark + text
	}
	return []byte(text)
}

// chosen are the spans of a file that a model wrote, as choices of a plan. keys are all
// attributes that it sets.
func chosen(pair *rules.Pair) (list []edit.Choice, keys []string) {
	added, keys := pair.Added()
	for _, s := range added {
		c := edit.Choice{Action: "span", Span: s.Name}
		if s.Function != nil {
			c.ID, c.Name = s.Function.ID, s.Function.Label()
		}
		for _, key := range s.Attributes {
			c.Attributes = append(c.Attributes, edit.Attribute{Key: key})
		}
		list = append(list, c)
	}
	return list, keys
}

// onlyUsed leaves those new names in a plan that the code uses: the registry gets no others.
func (f *FileResult) onlyUsed(p *edit.Plan, keys []string) {
	unused := func(name string) bool {
		f.drop(edit.Dropped{Function: "registry", Attribute: name, Reason: "the code does not use it"})
		return true
	}
	p.NewSpans = slices.DeleteFunc(slices.Clone(p.NewSpans), func(s edit.NewSpan) bool {
		id := strings.TrimPrefix(s.ID, "span.")
		return !slices.ContainsFunc(p.Functions, func(c edit.Choice) bool { return c.Span == id }) && unused(s.ID)
	})
	p.NewAttributes = slices.DeleteFunc(slices.Clone(p.NewAttributes), func(a edit.NewAttribute) bool { return !slices.Contains(keys, a.Key) && unused(a.Key) })
	for i, s := range p.NewSpans { // what a span lists has to be there
		p.NewSpans[i].Attributes = slices.DeleteFunc(slices.Clone(s.Attributes), func(key string) bool {
			return slices.ContainsFunc(f.Drops, func(d edit.Dropped) bool { return d.Function == "registry" && d.Attribute == key })
		})
	}
}

// Facts are what blocks a file, in words for the next attempt.
func (f *FileResult) Facts() (facts []string) {
	for _, b := range f.Blocking {
		where := fmt.Sprintf("line %d", b.Line)
		if b.Function != "" {
			where += ", " + b.Function
		}
		facts = append(facts, fmt.Sprintf("%s: %s: %s; %s; like this: %s", where, b.Rule, b.Message, b.Why, b.Example))
	}
	return facts
}
