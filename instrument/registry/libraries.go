package registry

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// LibrariesFile is what aburn writes about libraries that make spans by themselves: references to attributes of the
// semantic conventions. Without them the attributes of such spans count as missing from the registry.
const LibrariesFile = "aburn-libraries.yaml"

// Emitter is a library and the attributes that its spans can have.
type Emitter struct {
	Library    string // its package
	Attributes []string
}

// Cover gives the text of [LibrariesFile] with a group for each library that has none, nil if nothing is to be added. A
// group refers to what is in the registry's reach, its dependencies included; left are the other names. It proves, as
// [Registry.Extend] does, that nothing but additions happens.
func (r *Registry) Cover(list []Emitter) (text []byte, left []string, err error) {
	if r.source == nil {
		return nil, nil, &LoadError{r.Dir, "was not read from files", ""}
	}
	base, _, err := r.Resolve()
	if err != nil {
		return nil, nil, err
	}
	var groups []*yaml.Node
	for _, e := range list {
		id := "registry.aburn.library." + shortName(e.Library)
		if slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.ID == id }) {
			continue
		}
		var refs []*yaml.Node
		for _, name := range slices.Compact(slices.Sorted(slices.Values(e.Attributes))) {
			if a, ok := base.Attributes[name]; !ok {
				left = append(left, name)
			} else if a.Deprecated == nil {
				refs = append(refs, mappingOf("ref", name))
			}
		}
		if len(refs) > 0 {
			groups = append(groups, mappingOf("id", id, "type", "attribute_group", "stability", "development",
				"brief", fmt.Sprintf("Attributes that spans of %s can have.", e.Library), "attributes", sequence(refs)))
		}
	}
	slices.Sort(left)
	left = slices.Compact(left)
	if len(groups) == 0 {
		return nil, left, nil
	}
	if text, err = r.insert(LibrariesFile, addition{"groups", "id", groups}, addition{"attribute_groups", "id", public(groups)}); err != nil {
		return nil, nil, err
	}
	return text, left, r.onlyAdds(base, map[string][]byte{LibrariesFile: text})
}

// public are groups of attributes in the form definition/2.
func public(groups []*yaml.Node) (list []*yaml.Node) {
	for _, n := range groups {
		list = append(list, mappingOf("id", child(n, "id").Value, "visibility", "public", "stability", "development", "brief", child(n, "brief").Value,
			"attributes", child(n, "attributes")))
	}
	return list
}

// shortName is pg of @opentelemetry/instrumentation-pg, fastify_otel of @fastify/otel.
func shortName(pkg string) string {
	_, short, ok := strings.Cut(pkg, "/instrumentation-")
	if !ok {
		short = strings.TrimPrefix(pkg, "@")
	}
	return strings.ToLower(strings.NewReplacer("-", "_", "/", "_", ".", "_").Replace(short))
}
