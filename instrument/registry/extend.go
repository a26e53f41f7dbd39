package registry

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The files that an extension writes, in the registry's folder. Nobody else's file is
// changed.
const (
	AttributesFile = "aburn-attributes.yaml"
	SpansFile      = "aburn-spans.yaml"
)

// Extension is what a registry does not have yet. All of it is new: what exists is
// never changed.
type Extension struct {
	Attributes []NewAttribute
	Spans      []NewSpan
}

// NewAttribute is an attribute to be defined.
type NewAttribute struct {
	Name     string
	Type     string   // one of Weaver's type names; "" for an enum
	Members  []string // of an enum
	Brief    string
	Examples []any
}

// NewSpan is a span to be defined. Its attributes are recommended.
type NewSpan struct {
	ID         string // with "span." before its name
	Kind       string
	Brief      string
	Attributes []string // names of attributes that exist or are new
}

// ExtendError says why an extension is refused. Nothing was written.
type ExtendError struct {
	Name string // of the attribute or span
	Msg  string
	Hint string
}

func (e *ExtendError) Error() string { return e.Name + ": " + e.Msg }

// Text is what a file in the registry's folder had when it was read; nil where it was not there.
func (r *Registry) Text(name string) []byte {
	if r.source == nil {
		return nil
	}
	return r.source.texts[name]
}

// Extend gives the text of those files that change, by name. It writes none. It
// proves before that the registry then has no new error, and that nothing but
// additions happened; namespace is what all new names have to begin with. An error is
// an *ExtendError, or a *LoadError.
func (r *Registry) Extend(namespace string, e Extension) (map[string][]byte, error) {
	if r.source == nil {
		return nil, &LoadError{r.Dir, "was not read from files", ""}
	}
	base, _, err := r.Resolve()
	if err != nil {
		return nil, err
	}
	if err := e.check(namespace, base); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range []struct {
		name       string
		old, today addition
		any        bool
	}{
		{AttributesFile, addition{"groups", "id", e.attributeGroups(namespace)}, addition{"attributes", "key", e.attributes2()}, len(e.Attributes) > 0},
		{SpansFile, addition{"groups", "id", e.spanGroups()}, addition{"spans", "type", e.spans2()}, len(e.Spans) > 0},
	} {
		if !f.any {
			continue
		}
		if files[f.name], err = r.insert(f.name, f.old, f.today); err != nil {
			return nil, err
		}
	}
	return files, r.onlyAdds(base, files)
}

// nameForm is what a new name looks like: two parts or more, in lower case.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

func (e Extension) check(namespace string, base *Resolved) error {
	known := map[string]bool{}
	for name := range base.Attributes {
		known[name] = true
	}
	for _, a := range e.Attributes {
		if err := a.check(namespace); err != nil {
			return err
		}
		if known[a.Name] {
			return &ExtendError{a.Name, "is defined already", "use it as it is: an extension changes nothing"}
		}
		known[a.Name] = true
	}
	ids := map[string]bool{}
	for _, g := range base.Groups {
		ids[g.ID] = true
	}
	for _, s := range e.Spans {
		if err := s.check(namespace, known); err != nil {
			return err
		}
		if ids[s.ID] {
			return &ExtendError{s.ID, "is defined already", "use it as it is: an extension changes nothing"}
		}
		ids[s.ID] = true
	}
	return nil
}

func inNamespace(name, namespace string) error {
	switch {
	case len(name) > 200 || !nameForm.MatchString(name):
		return &ExtendError{name, "is no name", "names are words in lower case with dots between, such as shop.order.id"}
	case !strings.HasPrefix(name, namespace+"."):
		return &ExtendError{name, fmt.Sprintf("does not begin with %s.", namespace), "other namespaces belong to others"}
	}
	return nil
}

func (a NewAttribute) check(namespace string) error {
	if err := inNamespace(a.Name, namespace); err != nil {
		return err
	}
	switch {
	case a.Type == "" && len(a.Members) == 0:
		return &ExtendError{a.Name, "has neither a type nor members", "type: string"}
	case a.Type != "" && (!slices.Contains(typeNames, a.Type) || len(a.Members) > 0):
		return &ExtendError{a.Name, fmt.Sprintf("has no type that can be used: %.40q", a.Type), "one of " + strings.Join(typeNames[:9], ", ")}
	case strings.TrimSpace(a.Brief) == "":
		return &ExtendError{a.Name, "has no brief", "say in a sentence what the value is"}
	case len(a.Examples) == 0 && a.Type != "" && a.Type != "boolean":
		return &ExtendError{a.Name, "has no example", "give a value as it would be recorded"}
	}
	return nil
}

func (s NewSpan) check(namespace string, known map[string]bool) error {
	name, ok := strings.CutPrefix(s.ID, "span.")
	if !ok {
		return &ExtendError{s.ID, "does not begin with span.", "span." + s.ID}
	}
	if err := inNamespace(name, namespace); err != nil {
		return err
	}
	switch {
	case !slices.Contains(spanKinds, s.Kind):
		return &ExtendError{s.ID, fmt.Sprintf("has no kind that can be used: %.40q", s.Kind), "one of " + strings.Join(spanKinds, ", ")}
	case strings.TrimSpace(s.Brief) == "":
		return &ExtendError{s.ID, "has no brief", "say in a sentence what the span measures"}
	}
	for _, a := range s.Attributes {
		if !known[a] {
			return &ExtendError{s.ID, fmt.Sprintf("refers to %q, which is not defined", a), "define the attribute beside it, or give the dependency that has it"}
		}
	}
	return nil
}

// With is the registry as it would be with these files, by name. Nothing is written.
func (r *Registry) With(files map[string][]byte) (*Registry, error) {
	if r.source == nil {
		return nil, &LoadError{r.Dir, "was not read from files", ""}
	}
	texts := maps.Clone(r.source.texts)
	maps.Copy(texts, files)
	l := &loader{}
	later := l.parse(&source{texts: texts, policies: r.policies}, r.Dir)
	later.uses, later.missing, later.findings = r.uses, r.missing, l.findings
	return later, nil
}

// onlyAdds reads the registry as it would be, and compares it with what it is.
func (r *Registry) onlyAdds(base *Resolved, files map[string][]byte) error {
	later, err := r.With(files)
	if err != nil {
		return err
	}
	head, _, err := later.Resolve()
	if err != nil {
		return err
	}
	if not := NotAdded(Diff(base, head)); len(not) > 0 {
		return &ExtendError{not[0].Name, fmt.Sprintf("%s would be %s", cmp.Or(not[0].Field, "it"), not[0].Kind), "an extension only adds"}
	}
	before, err := r.Check()
	if err != nil {
		return err
	}
	after, err := later.Check()
	if err != nil {
		return err
	}
	had := map[string]int{}
	for _, f := range before {
		had[path.Join(f.Rule, f.Message)]++
	}
	for _, f := range after {
		key := path.Join(f.Rule, f.Message)
		mine := f.File == AttributesFile || f.File == SpansFile || f.File == LibrariesFile
		if had[key]--; had[key] < 0 && (f.Severity == Error || f.Rule == "DuplicateGroupId") && mine {
			return &ExtendError{f.File, fmt.Sprintf("line %d: %s", f.Line, f.Message), f.Why}
		}
	}
	return nil
}
