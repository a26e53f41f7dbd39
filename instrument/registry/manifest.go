package registry

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	manifestName = "manifest.yaml"
	legacyName   = "registry_manifest.yaml"
)

// Manifest is what a registry says of itself.
type Manifest struct {
	File         string // its name in the folder; "" where the registry has none
	SchemaURL    string
	Name         string // host and path of the schema URL; "default" without a manifest
	Version      string // "0.1.0" without a manifest
	Dependencies []Dependency
	// Resolved is where the resolved file of a packaged registry (manifest/2) lies; "" for others.
	Resolved string
}

// Dependency is a registry that another one stands on.
type Dependency struct {
	SchemaURL string
	Name      string // the old form; "" in the new one
	Path      string // registry_path, "" where the schema URL is all
	Place     Place
}

// label names a dependency in messages and in Options.Dependencies.
func (d Dependency) label() string {
	for _, s := range []string{d.SchemaURL, d.Path, d.Name} {
		if s != "" {
			return s
		}
	}
	return "a dependency"
}

// manifest reads the manifest of a source. A registry without one has the name
// default and the version 0.1.0.
func (r *reader) manifest(s *source) Manifest {
	m := Manifest{Name: "default", Version: "0.1.0"}
	for _, name := range []string{manifestName, legacyName} {
		if text, ok := s.texts[name]; ok {
			m.File, r.file = name, name
			if name == legacyName {
				r.report(found("LegacyRegistryManifest", Place{name, 1, 1}, "the manifest has its old name"))
			}
			r.fillManifest(&m, text)
			break
		}
	}
	return m
}

func (r *reader) fillManifest(m *Manifest, text []byte) {
	start := Place{r.file, 1, 1}
	doc := r.document(text)
	if doc == nil {
		if len(*r.findings) == 0 || (*r.findings)[len(*r.findings)-1].Severity != Error {
			r.report(found("InvalidRegistryManifest", start, "the manifest is empty"))
		}
		return
	}
	top := r.mapping(doc, "the manifest") // Weaver refuses no unknown keys here
	if top == nil || !r.knownManifest(top) {
		return
	}
	m.SchemaURL = r.schemaURL(top)
	base, version := top["schema_base_url"], top["semconv_version"]
	switch {
	case m.SchemaURL != "":
	case top["schema_url"] != nil: // is no URL, and was told
	case base != nil && version != nil:
		r.report(found("DeprecatedSyntaxInRegistryManifest", r.place(base), "schema_base_url and semconv_version are the old form"))
		m.SchemaURL = strings.TrimSuffix(r.text(base, "schema_base_url"), "/") + "/" + r.text(version, "semconv_version")
	default:
		r.report(found("InvalidRegistryManifest", r.place(doc), "has neither schema_url nor both schema_base_url and semconv_version"))
	}
	if m.SchemaURL != "" {
		m.Name, m.Version = splitURL(m.SchemaURL)
	}
	if top["file_format"] != nil {
		r.require(doc, top, "the manifest", "schema_url", "resolved_registry_uri")
		m.Resolved = r.text(top["resolved_registry_uri"], "resolved_registry_uri")
		return // the resolved file has what it takes of its dependencies
	}
	for _, n := range r.list(top["dependencies"], "dependencies") {
		m.Dependencies = append(m.Dependencies, r.dependency(n, top["schema_url"] != nil))
	}
}

// knownManifest says whether the manifest is one of a registry in the making, which names no
// form, or of a packaged one.
func (r *reader) knownManifest(top map[string]*yaml.Node) bool {
	n := top["file_format"]
	if n == nil || n.Value == "manifest/2" || strings.HasPrefix(n.Value, "manifest/2.") {
		return true
	}
	r.wrong(n, "unknown file_format %s; aburn reads manifest/2", describe(n))
	return false
}

func (r *reader) schemaURL(m map[string]*yaml.Node) string {
	n := m["schema_url"]
	if n == nil {
		return ""
	}
	text := r.text(n, "schema_url")
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || path.Base(u.Path) == "." || path.Base(u.Path) == "/" {
		if text != "" {
			r.wrong(n, "schema_url is %s, and has to be http(s)://host/path/<version>", describe(n))
		}
		return ""
	}
	return text
}

func splitURL(schema string) (name, version string) {
	schema = strings.TrimSuffix(schema, "/")
	i := strings.LastIndexByte(schema, '/')
	_, name, _ = strings.Cut(schema[:max(i, 0)], "://")
	return name, schema[i+1:]
}

func (m Manifest) sameSchema(other Manifest) bool {
	return m.SchemaURL != "" && m.Name == other.Name
}

// olderThan compares versions by their numbers. One that has none is older.
func (m Manifest) olderThan(other Manifest) bool {
	a, _ := numbers(m.Version)
	b, _ := numbers(other.Version)
	return slices.Compare(a[:], b[:]) < 0
}

// dependency reads one entry. strict is whether the manifest has a schema_url: then
// no version of Weaver takes a dependency without one. Otherwise most do; 0.25.0 and
// 0.25.1 do not.
func (r *reader) dependency(n *yaml.Node, strict bool) Dependency {
	m := r.mapping(n, "the dependency")
	d := Dependency{Place: r.place(n), SchemaURL: r.schemaURL(m), Name: r.text(m["name"], "name"), Path: r.text(m["registry_path"], "registry_path")}
	switch {
	case m == nil || m["schema_url"] != nil:
	case strict:
		r.wrong(n, "dependency %q is missing the required field schema_url: the manifest has one", d.label())
	case d.Name == "" || d.Path == "":
		r.wrong(n, "the dependency has neither schema_url nor both name and registry_path")
	}
	return d
}
