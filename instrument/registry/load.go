package registry

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Options are what a person gives beside a registry's folder.
type Options struct {
	// Root is the folder that dependencies on disk and links must stay in: a project.
	// "" is the registry's own folder.
	Root string
	// Dependencies says where a dependency lies on this disk, a folder or an archive,
	// possibly with [folder] at its end. The key is its schema URL, registry_path or
	// name. It may lie outside of Root.
	Dependencies map[string]string
}

// Registry is what stands in the files of a folder.
type Registry struct {
	Dir      string // as it was named
	Manifest Manifest
	Groups   []*Group // in the order of files, then as they stand there

	uses     []*Registry // dependencies that were read
	missing  []string    // dependencies that were not
	imports  []imported
	policies []string
	findings []Finding
	source   *source
}

// loader reads a registry and what it stands on. All share the bounds.
type loader struct {
	options  Options
	root     *os.Root
	rootPath string
	findings []Finding
	nodes    int
	known    map[string]*Registry // by what identifies a dependency
	open     []string             // identities of those that are being read, outermost first
}

// Load reads the registry in dir. What is wrong in its files is no error but a
// finding of [Registry.Check]. The error is a *LoadError where the whole cannot be
// read: no folder, too much of it, too many mistakes.
func Load(dir string, o Options) (*Registry, error) {
	l, sub, err := newLoader(dir, o)
	if err != nil {
		return nil, err
	}
	defer l.root.Close()
	s, err := readFolder(l.root, sub, dir)
	if err != nil {
		return nil, err
	}
	return l.whole(s, dir, sub)
}

func newLoader(dir string, o Options) (*loader, string, error) {
	root := o.Root
	if root == "" {
		root = dir
	}
	absRoot, errRoot := filepath.Abs(root)
	abs, errDir := filepath.Abs(dir)
	if errRoot != nil || errDir != nil {
		return nil, "", &LoadError{dir, "has no path", ""}
	}
	rel, err := filepath.Rel(absRoot, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, "", &LoadError{dir, "lies outside of " + root, "a registry is a folder of the project"}
	}
	r, err := os.OpenRoot(absRoot)
	if err != nil {
		return nil, "", noFolder(root, err)
	}
	return &loader{options: o, root: r, rootPath: absRoot, known: map[string]*Registry{}}, filepath.ToSlash(rel), nil
}

// whole reads the registry that the caller asked for. Its findings are those of its
// own files, and of dependencies that cannot be used.
func (l *loader) whole(s *source, dir, sub string) (*Registry, error) {
	l.open = []string{"folder " + sub}
	r := l.read(s, dir, sub)
	r.findings = l.findings
	switch {
	case l.nodes > maxNodes:
		return nil, &LoadError{dir, fmt.Sprintf("unfolds into more than %d YAML nodes", maxNodes), "look for aliases (*name) that repeat themselves"}
	case len(l.findings) > maxFindings:
		return nil, &LoadError{dir, fmt.Sprintf("has more than %d findings", maxFindings), "is it a registry? The first: " + l.findings[0].Message}
	case len(s.texts) == 0 && len(s.outside) == 0 && len(s.policies) == 0:
		return nil, &LoadError{dir, "holds no YAML file", "a registry is a folder with manifest.yaml and definition files"}
	}
	return r, nil
}

// read reads one registry with what it stands on. sub is its folder below the root,
// "" where it lies elsewhere.
func (l *loader) read(s *source, dir, sub string) *Registry {
	r := l.parse(s, dir)
	for _, d := range r.Manifest.Dependencies {
		l.dependency(r, d, sub)
	}
	return r
}

// parse reads a registry's own files.
func (l *loader) parse(s *source, dir string) *Registry {
	r := &Registry{Dir: dir, source: s, policies: s.policies}
	in := &reader{findings: &l.findings, nodes: &l.nodes, spec: "InvalidRegistryManifest"}
	r.Manifest = in.manifest(s)
	in.spec = "InvalidSemConvSpec"
	if r.Manifest.Resolved != "" {
		r.Groups = in.published(s, r.Manifest)
		return r
	}
	for _, name := range s.names() {
		if base := path.Base(name); base == manifestName || base == legacyName {
			continue
		}
		if l.nodes > maxNodes || len(l.findings) > maxFindings {
			break // the whole is refused: the rest is not worth its time
		}
		in.file = name
		groups, imports := in.definitions(s.texts[name])
		r.Groups, r.imports = append(r.Groups, groups...), append(r.imports, imports...)
	}
	for _, name := range s.outside {
		in.report(found(NeedsWeaver, Place{name, 1, 1}, "is a link that leads out of the folder: aburn does not follow it"))
	}
	return r
}

// dependency finds one dependency and reads it, once for all that name it.
func (l *loader) dependency(r *Registry, d Dependency, sub string) {
	where, identity, remote := l.locate(d, sub)
	switch {
	case slices.Contains(l.open, identity):
		l.report(found("CircularDependency", d.Place, "%s stands on itself", d.label()))
		return
	case len(l.open) > 16:
		l.report(found("CircularDependency", d.Place, "more than 16 registries stand on one another"))
		return
	case l.known[identity] != nil:
		r.uses = append(r.uses, l.known[identity])
		return
	case remote && l.conventionsFor(r, d):
		return
	case remote:
		r.missing = append(r.missing, d.label())
		l.report(found(NeedsWeaver, d.Place, "%s is not on this disk, and aburn fetches nothing; weaver on PATH would fetch it", d.label()))
		return
	}
	s, err := l.readAt(where)
	if err != nil {
		r.missing = append(r.missing, d.label())
		l.report(found(NeedsWeaver, d.Place, "dependency %s: %v", d.label(), err))
		return
	}
	l.open = append(l.open, identity)
	before := len(l.findings)
	dep := l.read(s, d.label(), where.sub())
	l.open = l.open[:len(l.open)-1]
	l.keepUnusable(before, d)
	l.known[identity] = dep
	r.uses = append(r.uses, dep)
}

func (l *loader) report(f Finding) {
	if len(l.findings) <= maxFindings {
		l.findings = append(l.findings, f)
	}
}

// keepUnusable replaces the findings of a dependency by one that stands where it is
// named. Its warnings are not this registry's.
func (l *loader) keepUnusable(before int, d Dependency) {
	inner := slices.Clone(l.findings[before:])
	l.findings = l.findings[:before]
	for _, severity := range []Severity{Error, NotJudged} {
		i := slices.IndexFunc(inner, func(f Finding) bool { return f.Severity == severity })
		if i < 0 {
			continue
		}
		f := inner[i]
		message := fmt.Sprintf("in the dependency %s, %s:%d: %s", d.label(), f.File, f.Line, f.Message)
		l.report(found(f.Rule, d.Place, "%s", message))
	}
}

// location is a folder below the root, or a path that the person gave.
type location struct {
	given  bool
	path   string // below the root with /, or of the system
	folder string // inside of an archive
}

func (w location) sub() string {
	if w.given || isArchive(w.path) {
		return ""
	}
	return w.path
}

func (l *loader) locate(d Dependency, sub string) (w location, identity string, remote bool) {
	for _, key := range []string{d.SchemaURL, d.Path, d.Name} {
		if p, ok := l.options.Dependencies[key]; ok && key != "" {
			w.path, w.folder = splitFolder(p)
			w.given = true
			return w, "given " + p, false
		}
	}
	p, folder := splitFolder(d.Path)
	if p == "" || strings.Contains(p, "://") || strings.HasPrefix(p, "git@") || strings.Contains(p, ".git@") || strings.HasSuffix(p, ".git") {
		return w, "remote " + d.label(), true
	}
	if sub == "" && !filepath.IsAbs(p) { // named by a registry that lies outside of the root, or in an archive
		return w, "remote " + d.label(), true
	}
	w = location{path: p, folder: folder}
	if !filepath.IsAbs(p) {
		w.path = l.relative(filepath.ToSlash(p), sub)
	} else if rel, err := filepath.Rel(l.rootPath, p); err == nil {
		w.path = filepath.ToSlash(rel)
	}
	if folder != "" && !isArchive(w.path) {
		w.path, w.folder = path.Join(w.path, folder), ""
	}
	return w, "folder " + w.path + " " + w.folder, false
}

// relative finds a path that a manifest names. In Weaver it counts from the folder
// that Weaver is started in, which is the root here. Manifests that count from their
// own folder are common too, and taken where the other way leads nowhere.
func (l *loader) relative(p, sub string) string {
	fromRoot := path.Clean(p)
	if filepath.IsLocal(filepath.FromSlash(fromRoot)) {
		if _, err := l.root.Stat(fromRoot); err == nil {
			return fromRoot
		}
	}
	return path.Join(sub, p)
}

// splitFolder parts v1.37.0.zip[model] into path and folder.
func splitFolder(p string) (string, string) {
	if before, rest, ok := strings.Cut(p, "["); ok && strings.HasSuffix(rest, "]") {
		return before, strings.TrimSuffix(rest, "]")
	}
	return p, ""
}

func (l *loader) readAt(w location) (*source, error) {
	if w.given {
		return readGiven(w)
	}
	if !filepath.IsLocal(filepath.FromSlash(w.path)) {
		return nil, &LoadError{w.path, "lies outside of the project", ""}
	}
	if !isArchive(w.path) {
		return readFolder(l.root, w.path, w.path)
	}
	if st, err := l.root.Stat(w.path); err != nil || !st.Mode().IsRegular() {
		return nil, &LoadError{w.path, "there is no such archive", ""}
	}
	f, err := l.root.Open(w.path)
	if err != nil {
		return nil, &LoadError{w.path, "may not be read", ""}
	}
	defer f.Close()
	return readArchive(f, w.path, w.folder)
}

func readGiven(w location) (*source, error) {
	if !isArchive(w.path) {
		root, err := os.OpenRoot(filepath.Join(w.path, filepath.FromSlash(w.folder)))
		if err != nil {
			return nil, noFolder(w.path, err)
		}
		defer root.Close()
		return readFolder(root, ".", w.path)
	}
	if st, err := os.Stat(w.path); err != nil || !st.Mode().IsRegular() {
		return nil, &LoadError{w.path, "there is no such archive", ""}
	}
	f, err := os.Open(w.path)
	if err != nil {
		return nil, &LoadError{w.path, "may not be read", ""}
	}
	defer f.Close()
	return readArchive(f, w.path, w.folder)
}
