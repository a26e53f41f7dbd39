package registry

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	for name, groups := range map[string][]*yaml.Node{AttributesFile: e.attributeGroups(namespace), SpansFile: e.spanGroups()} {
		if len(groups) == 0 {
			continue
		}
		if files[name], err = insert(name, r.source.texts[name], groups); err != nil {
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

// attributeGroups makes one group for each namespace: the name without its last part.
func (e Extension) attributeGroups(namespace string) (groups []*yaml.Node) {
	by := map[string][]*yaml.Node{}
	for _, a := range slices.SortedFunc(slices.Values(e.Attributes), func(a, b NewAttribute) int { return cmp.Compare(a.Name, b.Name) }) {
		space := a.Name[:strings.LastIndexByte(a.Name, '.')]
		by[space] = append(by[space], a.node())
	}
	for _, space := range sortedKeys(by) {
		groups = append(groups, mappingOf("id", "registry.aburn."+space, "type", "attribute_group", "stability", "development",
			"brief", "Attributes of "+space+".", "attributes", sequence(by[space])))
	}
	return groups
}

func (a NewAttribute) node() *yaml.Node {
	n := mappingOf("id", a.Name, "type", a.Type, "stability", "development", "brief", a.Brief)
	if a.Type == "" {
		var members []*yaml.Node
		for _, m := range a.Members {
			members = append(members, mappingOf("id", m, "value", m, "stability", "development"))
		}
		n.Content[3] = mappingOf("members", sequence(members))
	}
	if len(a.Examples) > 0 {
		var examples yaml.Node
		_ = examples.Encode(a.Examples) // plain values always encode; others fail the proof below
		n.Content = append(n.Content, stringNode("examples"), &examples)
	}
	return n
}

func (e Extension) spanGroups() (groups []*yaml.Node) {
	for _, s := range slices.SortedFunc(slices.Values(e.Spans), func(a, b NewSpan) int { return cmp.Compare(a.ID, b.ID) }) {
		var refs []*yaml.Node
		for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Attributes))) {
			refs = append(refs, mappingOf("ref", name, "requirement_level", "recommended"))
		}
		n := mappingOf("id", s.ID, "type", "span", "stability", "development", "span_kind", s.Kind, "brief", s.Brief)
		if len(refs) > 0 {
			n.Content = append(n.Content, stringNode("attributes"), sequence(refs))
		}
		groups = append(groups, n)
	}
	return groups
}

func stringNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s) // quotes what would be read as something else
	return n
}

func mappingOf(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, p := range pairs {
		if s, ok := p.(string); ok {
			p = stringNode(s)
		}
		n.Content = append(n.Content, p.(*yaml.Node))
	}
	return n
}

func sequence(items []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

const heading = "aburn writes this file. Edit what stands here; aburn only adds to it.\nfile_format: definition/1 of OpenTelemetry Weaver."

// insert puts groups into a file's text, each at its place by id. Groups that are
// there get the new attributes.
func insert(name string, text []byte, groups []*yaml.Node) ([]byte, error) {
	doc := yaml.Node{Kind: yaml.DocumentNode, HeadComment: heading, Content: []*yaml.Node{mappingOf("groups", sequence(nil))}}
	if len(bytes.TrimSpace(text)) > 0 {
		doc = yaml.Node{}
		if err := yaml.Unmarshal(text, &doc); err != nil {
			line, why := NoYAML(err, text)
			return nil, &LoadError{name, fmt.Sprintf("line %d: is no YAML: %s", line, why), "repair it, or move it away"}
		}
	}
	if len(doc.Content) == 0 {
		return nil, &LoadError{name, "holds only comments", "move it away"}
	}
	list := child(doc.Content[0], "groups")
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, &LoadError{name, "has no list of groups", "repair it, or move it away"}
	}
	for _, g := range groups {
		list.Content = insertByKey(list.Content, g, "id")
	}
	list.Style = 0
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, &LoadError{name, "cannot be written: " + err.Error(), ""}
	}
	return out.Bytes(), enc.Close()
}

func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func insertByKey(list []*yaml.Node, add *yaml.Node, key string) []*yaml.Node {
	id := child(add, key).Value
	for i, n := range list {
		had := child(n, key)
		switch {
		case had == nil || had.Value < id:
			continue
		case had.Value == id:
			if to, from := child(n, "attributes"), child(add, "attributes"); to != nil && from != nil {
				for _, a := range from.Content {
					to.Content = insertByKey(to.Content, a, key)
				}
			}
			return list
		}
		return slices.Insert(list, i, add)
	}
	return append(list, add)
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
