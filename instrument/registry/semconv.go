package registry

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// semconvTable is the attributes of the semantic conventions by version. Its heading
// says where they come from; semconv.sha256 is its hash.
//
//go:embed semconv.tsv
var semconvTable string

// The versions that the table knows.
const (
	semconvOldest = "1.20.0"
	semconvNewest = "1.43.0"
)

type convention struct {
	attribute   Attribute
	first, last string // last is "" where the newest version has it
}

var conventions = sync.OnceValue(func() (list []convention) {
	for line := range strings.Lines(semconvTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 8 {
			continue
		}
		c := convention{Attribute{Name: f[0], Brief: strings.TrimPrefix(f[7], "-"), Stability: f[3], Level: Level{Name: "recommended"}}, f[4],
			strings.TrimPrefix(f[5], "-")}
		c.attribute.Type.Name = f[1]
		if f[1] == "enum" {
			c.attribute.Type = Type{Members: []Member{}}
			for value := range strings.SplitSeq(f[2], ",") {
				c.attribute.Type.Members = append(c.attribute.Type.Members, Member{ID: value, Value: value, Stability: f[3]})
			}
		}
		if f[6] != "-" {
			c.attribute.Deprecated = &Deprecated{Reason: "obsoleted"}
			if f[6] != "?" {
				c.attribute.Deprecated = &Deprecated{Reason: "renamed", RenamedTo: f[6]}
			}
		}
		c.attribute.given = bit("brief") | bit("stability") | bit("note") | bit("requirement_level")
		list = append(list, c)
	}
	return list
})

var semconvPath = regexp.MustCompile(`^https?://(?:opentelemetry\.io/schemas/|github\.com/open-telemetry/semantic-conventions/(?:archive/refs/tags/v|` +
	`releases/download/v))(\d+\.\d+\.\d+)(?:$|[./@[])`)

// semconv gives the semantic conventions that a dependency names, as far as the table
// knows them: attributes only. It is nil for anything else, and for versions before the
// table's.
func semconv(d Dependency) *Registry {
	version := ""
	for _, text := range []string{d.SchemaURL, d.Path} {
		if m := semconvPath.FindStringSubmatch(text); m != nil {
			version = m[1]
			break
		}
	}
	if version == "" || older(version, semconvOldest) {
		return nil
	}
	label := cmp.Or(d.SchemaURL, d.label())
	r := &Registry{Dir: label, Manifest: Manifest{SchemaURL: d.SchemaURL}, missing: []string{label + " beyond the attributes that aburn knows"}}
	r.Manifest.Name, r.Manifest.Version = "opentelemetry.io/schemas", version
	g := &Group{ID: "registry.semconv", Type: "attribute_group", Brief: "Attributes of the semantic conventions.", Stability: "development",
		Place: Place{File: label}}
	for _, c := range conventions() {
		if older(version, c.first) {
			continue
		}
		a := c.attribute
		if a.Deprecated != nil && (c.last == "" || !older(c.last, version)) { // not yet, as far as is known
			a.Deprecated = nil
		}
		if a.Deprecated != nil {
			a.given |= bit("deprecated")
		}
		g.Attributes = append(g.Attributes, a)
	}
	r.Groups = []*Group{g}
	return r
}

func older(a, b string) bool {
	x, _ := numbers(a)
	y, _ := numbers(b)
	return slices.Compare(x[:], y[:]) < 0
}

// conventionsFor takes the semantic conventions from the table. What only their groups,
// or a newer version, could tell is not judged.
func (l *loader) conventionsFor(r *Registry, d Dependency) bool {
	dep := semconv(d)
	if dep == nil {
		return false
	}
	if older(semconvNewest, dep.Manifest.Version) {
		l.report(found(NeedsWeaver, d.Place, "aburn knows the attributes of the semantic conventions up to %s, and %s is newer", semconvNewest, d.label()))
	}
	for _, i := range r.imports {
		l.report(found(NeedsWeaver, i.place, "aburn knows the attributes of the semantic conventions, not their groups: %q was not looked for in them", i.pattern))
	}
	r.uses = append(r.uses, dep)
	return true
}
