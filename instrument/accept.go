package instrument

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/instrument/telemetry"
)

func (f *FileResult) note(dropped []edit.Dropped) {
	for _, d := range dropped {
		f.drop(d)
	}
}

func (f *FileResult) drop(d edit.Dropped) {
	f.Drops, f.Dropped = append(f.Drops, d), append(f.Dropped, d.String())
}

// Of a file's functions at most every fifth should get a span; so few as these are never too many.
const fewSpans = 3

// looks notes what a person should look at: spans in many of a file's functions, and a large file. Many spans that a
// model wants are a person's to decide where reviewSensitivity is strict.
func (w *applying) looks(f *FileResult, m *jsast.Module) {
	if lines, limit := bytes.Count(m.Source, []byte("\n")), w.Config.LargeFileThresholdLines; limit > 0 && lines > limit {
		f.Notes = append(f.Notes, fmt.Sprintf("a large file, of %d lines: look at its spans closely", lines))
	}
	if f.SpansAdded <= fewSpans || f.SpansAdded*5 <= len(m.Functions) {
		return
	}
	many := fmt.Sprintf("%d of %d functions get a span, more than every fifth: the file does much, or some of these say little", f.SpansAdded, len(m.Functions))
	f.Notes = append(f.Notes, many)
	if w.Attempt && w.Config.ReviewSensitivity == "strict" {
		f.Status, f.Reason, f.After, f.SpansAdded, f.AttributesUsed = NeedsHuman, many+"; reviewSensitivity is strict, so a person decides", nil, 0, 0
	}
}

func blocking(list []rules.Finding) []rules.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f rules.Finding) bool { return f.Severity != rules.Blocking })
}

// dropOne takes out of a plan what the first blocking finding is about.
func (f *FileResult) dropOne(m *jsast.Module, plan *edit.Plan, source []byte) bool {
	finding := f.Blocking[0]
	lines := bytes.Split(source, []byte("\n"))
	text := ""
	if finding.Line >= 1 && finding.Line <= len(lines) {
		text = string(lines[finding.Line-1])
	}
	for i, c := range plan.Functions {
		if c.Action != "span" || !isNamed(m, c.ID, finding.Function) {
			continue
		}
		for j, a := range c.Attributes {
			if strings.Contains(text, "'"+a.Key+"'") || strings.Contains(finding.Message, a.Key) {
				plan.Functions[i].Attributes = slices.Delete(slices.Clone(c.Attributes), j, j+1)
				f.drop(edit.Dropped{Function: c.ID, Attribute: a.Key, Reason: finding.Rule + ": " + finding.Message})
				return true
			}
		}
		plan.Functions = slices.Delete(slices.Clone(plan.Functions), i, i+1)
		f.drop(edit.Dropped{Function: c.ID, Reason: finding.Rule + ": " + finding.Message})
		return true
	}
	return false
}

func isNamed(m *jsast.Module, id, name string) bool {
	i := slices.IndexFunc(m.Functions, func(f jsast.Function) bool { return f.ID == id })
	return i >= 0 && m.Functions[i].Label() == name
}

func (w *applying) judge(ctx context.Context, m *jsast.Module, source []byte, name string, extended *extension) ([]rules.Finding, error) {
	ctx, span := w.Trace.Start(ctx, telemetry.Check)
	defer span.End(nil)
	pair, err := w.pair(ctx, m, source, name)
	if err != nil {
		return nil, err
	}
	return w.rule(pair, extended), nil
}

// pair is what rules judge, without the registry.
func (w *applying) pair(ctx context.Context, m *jsast.Module, source []byte, name string) (*rules.Pair, error) {
	pair := &rules.Pair{Orig: m, Config: rules.Config{File: name, TracerName: w.Config.TracerName, Chosen: true}}
	if err := parseLater(ctx, w.engine, pair, name, source); err != nil {
		return nil, err
	}
	if pair.Broken == nil {
		pair.Broken = nodeRefuses(ctx, w.engine, pair)
	}
	return pair, nil
}

func (w *applying) rule(pair *rules.Pair, extended *extension) []rules.Finding {
	if extended.contract != nil {
		pair.Config.Contract = extended.contract.Spans
	}
	return rules.Judge(pair, w.Config.Rules)
}

// accept takes the result of a plan.
func (w *applying) accept(ctx context.Context, f *FileResult, m *jsast.Module, plan edit.Plan, source []byte, dropped []edit.Dropped, list []rules.Finding,
	extended *extension) {
	f.note(dropped)
	var made added
	for _, c := range plan.Functions {
		if c.Action != "span" || slices.ContainsFunc(dropped, func(d edit.Dropped) bool { return d.Function == c.ID && d.Attribute == "" }) {
			continue
		}
		made.spans++
		for _, a := range c.Attributes {
			if !slices.ContainsFunc(dropped, func(d edit.Dropped) bool { return d.Function == c.ID && d.Attribute == a.Key }) {
				made.attributes++
			}
		}
	}
	w.take(ctx, f, m, source, list, extended, made)
}

// added counts what a file gets.
type added struct{ spans, attributes int }

// take takes a file that passed the rules into the result, unless the project's linter
// refuses it. The project's formatter may print it anew; its text counts only if it
// passes the same rules.
func (w *applying) take(ctx context.Context, f *FileResult, m *jsast.Module, source []byte, list []rules.Finding, extended *extension, made added) {
	if text, why := w.Formatter.format(ctx, f.Path, m.Source, source); why != "" {
		f.Notes = append(f.Notes, why)
	} else if text != nil {
		if again, err := w.judge(ctx, m, text, f.Path, extended); err == nil && !rules.Blocks(again) {
			source, list = text, again
		} else {
			f.Notes = append(f.Notes, "the formatter's text does not pass the rules; the file is as aburn wrote it")
		}
	}
	linted, why := w.Linter.judge(ctx, f.Path, m.Source, source, w.Config.Rules)
	if why != "" {
		f.Notes = append(f.Notes, why)
	}
	if rules.Blocks(linted) {
		f.Status, f.Blocking, f.Reason = Failed, blocking(linted), "the project's linter refuses it: "+linted[0].Message
		return
	}
	list = append(list, linted...)
	f.Status, f.After, f.Blocking, f.Advisory = Success, source, []rules.Finding{}, append(f.Advisory, list...)
	f.SpansAdded, f.AttributesUsed = made.spans, made.attributes
	if w.looks(f, m); f.Status != Success || len(extended.names) == 0 {
		return
	}
	f.SchemaExtensions, f.AttributesCreated = extended.names, extended.attributes
	f.SchemaHashAfter = extended.contract.Resolved.Hash
	w.contract = extended.contract
	w.created += extended.attributes
	for name, text := range extended.files {
		w.result.Registry[name], w.result.Had[name] = text, append([]byte{}, w.before.Registry.Text(name)...)
		if file := path.Join(filepath.ToSlash(w.Config.SchemaPath), name); !slices.Contains(w.result.RegistryFiles, file) {
			w.result.RegistryFiles = append(w.result.RegistryFiles, file)
		}
	}
}
