package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/registry"
)

// Level is how much a finding weighs. The first three are Weaver's.
type Level string

const (
	Violation   Level = "violation"
	Improvement Level = "improvement"
	Information Level = "information"
	// NotJudged is what may be right: the registry alone cannot tell.
	NotJudged Level = "not-judged"
)

// Finding is one kind of trouble of one span or attribute, however often it came.
type Finding struct {
	ID        string `json:"id"` // aburn's own begin with "aburn."; all others are Weaver's
	Level     Level  `json:"level"`
	Span      string `json:"span,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Count     int    `json:"count"` // of spans
	Message   string `json:"message"`
}

// Contract is a registry as spans are judged against it.
type Contract struct {
	*registry.Resolved
	// Whole says that nothing of the registry is missing here, so that a name that it
	// does not have does not exist.
	Whole bool
}

// Judge gives what is wrong with the recorded spans, worst first. c may be nil.
func Judge(r *Recording, c *Contract) []Finding {
	j := &judge{recording: r, at: map[Finding]int{}}
	j.run()
	if len(r.Spans) == 0 {
		j.nothing()
	}
	for i := range r.Spans {
		j.form(&r.Spans[i])
	}
	if c != nil {
		j.contract(c)
	}
	return sorted(j.list)
}

func sorted(list []Finding) []Finding {
	levels := []Level{Violation, Improvement, NotJudged, Information}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Span, b.Span),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Attribute, b.Attribute), cmp.Compare(a.Message, b.Message))
	})
	return list
}

type judge struct {
	recording *Recording
	list      []Finding
	at        map[Finding]int // place in list, by all but the count
}

// add counts a finding that is already there.
func (j *judge) add(f Finding) {
	if i, ok := j.at[f]; ok {
		j.list[i].Count++
		return
	}
	j.at[f] = len(j.list)
	f.Count = 1
	j.list = append(j.list, f)
}

func (j *judge) about(s *Span, id string, level Level, attribute, format string, args ...any) {
	j.add(Finding{ID: id, Level: level, Span: s.Name, Attribute: attribute, File: s.File, Line: s.Line, Message: fmt.Sprintf(format, args...)})
}

// run says what is to be known of the run itself.
func (j *judge) run() {
	r := j.recording
	for i := range r.Refused {
		s := &r.Refused[i]
		j.add(Finding{ID: "aburn.provider_refused", Level: Information, File: s.Test.File,
			Message: "registers an SDK of its own, which the recorder stands in for: what that SDK would see, it does not see here"})
	}
	if r.Again != nil && *r.Again == 0 {
		j.add(Finding{ID: "aburn.fails_recorded_only", Level: Improvement,
			Message: fmt.Sprintf("the command failed with %s (exit code %d) and succeeded without it: nothing is known against the tests", r.Mode.Tool(), r.Exit)})
	}
	if r.Mode == Tap && r.Providers == 0 && len(r.Processes) > 0 {
		j.add(Finding{ID: "aburn.no_provider", Level: Violation, Message: "no process registered an SDK, so there was nothing to listen to"})
	}
	for _, why := range r.Rejected {
		j.add(Finding{ID: "aburn.request_refused", Level: Violation, Message: "the receiver refused a request: " + why})
	}
	if r.Cut {
		j.add(Finding{ID: "aburn.incomplete", Level: NotJudged, Message: "there were more spans than a recording holds; the rest was dropped"})
	}
}

// nothing says why no span may have arrived: each way has another cure.
func (j *judge) nothing() {
	r := j.recording
	own := slices.DeleteFunc(slices.Clone(r.Processes), Process.Manager)
	f := Finding{ID: "aburn.no_span", Level: Violation}
	switch {
	case r.Mode == OTLP && r.Requests == 0:
		f.Message = "no span arrived: nothing was sent to the receiver"
	case r.Mode == OTLP:
		f.Message = fmt.Sprintf("no span arrived: %s came, and none held a span", countOf(r.Requests, "request"))
	case len(r.Processes) == 0:
		f.ID, f.Message = "aburn.never_loaded", "no span arrived: no node process loaded the recorder"
	case len(own) == 0:
		f.ID, f.Message = "aburn.never_loaded", fmt.Sprintf("no span arrived: only the package manager loaded the recorder (%s), no node process of the project",
			r.Processes[0].Script)
	default:
		f.Message = fmt.Sprintf("no span arrived: %s loaded the recorder, and none made a span", countOf(len(own), "process"))
	}
	j.add(f)
}

// form is what is wrong with a span whatever the registry says.
func (j *judge) form(s *Span) {
	if !s.Ended {
		j.about(s, "aburn.span_never_ended", Violation, "", "began and did not end before its process did; no exporter would send it")
	}
	if s.EndedAgain > 0 {
		j.about(s, "aburn.span_ended_twice", Improvement, "", "was ended again after its end")
	}
	for _, a := range s.Attributes {
		if a.Kind == "undefined" || a.Kind == "null" {
			j.about(s, "aburn.undefined_value", Violation, a.Key, "%s was set to %s", a.Key, a.Kind)
		} else if !attributeKind(a.Kind) {
			j.about(s, "aburn.invalid_value", Violation, a.Key, "%s was set to a value of type %s, which no attribute can have", a.Key, a.Kind)
		}
	}
}

func attributeKind(kind string) bool {
	switch strings.TrimSuffix(kind, "[]") {
	case "string", "int", "double", "boolean", "array":
		return true
	}
	return false
}

func countOf(n int, what string) string {
	switch {
	case n != 1 && strings.HasSuffix(what, "s"):
		what += "es"
	case n != 1:
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// Worst says whether a finding is a violation.
func Worst(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Level == Violation })
}
