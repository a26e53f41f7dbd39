package registry

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Group is a set of attributes, or a signal: a span, an event, a metric, an entity.
// Its JSON is that of Weaver's resolved registry.
type Group struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"` // "undefined" where none is given
	Brief        string         `json:"brief"`
	Note         string         `json:"note,omitempty"`
	Prefix       string         `json:"-"`
	Extends      string         `json:"-"`
	Stability    string         `json:"stability,omitempty"`
	Deprecated   *Deprecated    `json:"deprecated,omitempty"`
	Attributes   []Attribute    `json:"attributes"`
	SpanKind     string         `json:"span_kind,omitempty"`
	Events       []string       `json:"events,omitempty"`
	MetricName   string         `json:"metric_name,omitempty"`
	Instrument   string         `json:"instrument,omitempty"`
	Unit         string         `json:"unit,omitempty"`
	Name         string         `json:"name,omitempty"`
	DisplayName  string         `json:"display_name,omitempty"`
	Body         any            `json:"body,omitempty"`
	Annotations  map[string]any `json:"annotations,omitempty"`
	Associations []any          `json:"entity_associations,omitempty"`
	Lineage      *Lineage       `json:"lineage,omitempty"` // only of a resolved group
	Place        Place          `json:"-"`

	given    map[string]bool // keys that stand in the file
	second   bool            // it stands in a file of the form definition/2
	internal bool            // only for references: it is not in the resolved form
	includes []include       // groups whose attributes it takes
	unrefs   []include       // attributes of the refined signal that it leaves out
}

// include is a name that a group of definition/2 refers to.
type include struct {
	name  string
	place Place
}

// Attribute is a definition, or a reference to one with what it says otherwise.
type Attribute struct {
	Name        string         `json:"name"`
	Type        Type           `json:"type"`
	Brief       string         `json:"brief"`
	Examples    any            `json:"examples,omitempty"`
	Tag         string         `json:"tag,omitempty"`
	Level       Level          `json:"requirement_level"`
	Sampling    *bool          `json:"sampling_relevant,omitempty"`
	Note        string         `json:"note,omitempty"`
	Stability   string         `json:"stability,omitempty"`
	Deprecated  *Deprecated    `json:"deprecated,omitempty"`
	Annotations map[string]any `json:"annotations,omitempty"`
	Role        string         `json:"role,omitempty"`
	// Unresolved is set on a reference whose definition is not on this disk. Its type
	// is unknown.
	Unresolved bool  `json:"unresolved,omitempty"`
	Place      Place `json:"-"`

	ref      bool // a reference, before it is resolved
	defined  bool // defined in this very group
	prefixed bool // a reference that takes its group's prefix
	given    fields
	local    fields // said by the group itself, where the rest came from elsewhere
}

// fields is a set of those fields that a reference may say otherwise, by their
// place in overridable.
type fields uint16

var overridable = [...]struct {
	key string
	set func(to, from *Attribute)
}{
	{"brief", func(to, from *Attribute) { to.Brief = from.Brief }},
	{"examples", func(to, from *Attribute) { to.Examples = from.Examples }},
	{"tag", func(to, from *Attribute) { to.Tag = from.Tag }},
	{"requirement_level", func(to, from *Attribute) { to.Level = from.Level }},
	{"sampling_relevant", func(to, from *Attribute) { to.Sampling = from.Sampling }},
	{"note", func(to, from *Attribute) { to.Note = from.Note }},
	{"stability", func(to, from *Attribute) { to.Stability = from.Stability }},
	{"deprecated", func(to, from *Attribute) { to.Deprecated = from.Deprecated }},
	{"annotations", func(to, from *Attribute) { to.Annotations = from.Annotations }},
	{"role", func(to, from *Attribute) { to.Role = from.Role }},
}

func (f fields) has(i int) bool { return f&(1<<i) != 0 }

func bit(key string) fields {
	for i, o := range overridable {
		if o.key == key {
			return 1 << i
		}
	}
	return 0
}

func (f fields) key(key string) bool { return f&bit(key) != 0 }

func (f fields) keys() (keys []string) {
	for i, o := range overridable {
		if f.has(i) {
			keys = append(keys, o.key)
		}
	}
	slices.Sort(keys)
	return keys
}

// fill takes from another what a does not say, and tells which fields those are.
func (a *Attribute) fill(from *Attribute) (taken fields) {
	for i, o := range overridable {
		if from.given.has(i) && !a.given.has(i) {
			o.set(a, from)
			taken |= 1 << i
		}
	}
	a.given |= taken
	return taken
}

// Type is a primitive, array or template type by its name, or an enum by its members.
type Type struct {
	Name    string // "" for an enum
	Members []Member
}

// Member is one value of an enum.
type Member struct {
	ID         string      `json:"id"`
	Value      any         `json:"value"` // string, int64, float64 or bool
	Brief      string      `json:"brief,omitempty"`
	Note       string      `json:"note,omitempty"`
	Stability  string      `json:"stability,omitempty"`
	Deprecated *Deprecated `json:"deprecated,omitempty"`
}

type enum struct {
	Members []Member `json:"members"`
}

// MarshalJSON writes Weaver's form: a name, or {"members": […]}.
func (t Type) MarshalJSON() ([]byte, error) {
	if t.Name == "" && t.Members != nil {
		return json.Marshal(enum{t.Members})
	}
	return json.Marshal(t.Name)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Type) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &t.Name) == nil {
		return nil
	}
	var e enum
	err := json.Unmarshal(data, &e)
	t.Members = e.Members
	return err
}

// Level is how much an attribute is wanted. Text is the condition, "" for none.
type Level struct {
	Name string // required, conditionally_required, recommended, opt_in
	Text string
}

// MarshalJSON writes Weaver's form: a name, or {name: text}.
func (l Level) MarshalJSON() ([]byte, error) {
	if l.Text != "" {
		return json.Marshal(map[string]string{l.Name: l.Text})
	}
	return json.Marshal(l.Name)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Level) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &l.Name) == nil {
		return nil
	}
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil || len(m) != 1 {
		return fmt.Errorf("requirement level %.60q", data)
	}
	for name, text := range m {
		l.Name, l.Text = name, text
	}
	return nil
}

// Deprecated says that something is on its way out. Reason is renamed, obsoleted,
// uncategorized, or unspecified for the old form, a bare text.
type Deprecated struct {
	Reason    string `json:"reason"`
	RenamedTo string `json:"renamed_to,omitempty"`
	Note      string `json:"note,omitempty"`
}

// Lineage says where a resolved group has its attributes from.
type Lineage struct {
	Provenance Provenance                  `json:"provenance"`
	Extends    string                      `json:"extends_group,omitempty"`
	Attributes map[string]AttributeLineage `json:"attributes,omitempty"`
}

// Provenance is the registry and the file of a group.
type Provenance struct {
	SchemaURL string `json:"schema_url,omitempty"`
	Path      string `json:"path"`
}

// AttributeLineage is the group of a definition and which fields came from it.
type AttributeLineage struct {
	SourceGroup string   `json:"source_group"`
	Inherited   []string `json:"inherited_fields,omitempty"`
	Overridden  []string `json:"locally_overridden_fields,omitempty"`
}
