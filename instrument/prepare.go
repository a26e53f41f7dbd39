package instrument

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/registry"
	"aburn/internal/git"
)

// State is how a prerequisite stands.
type State string

const (
	Met     State = "met"
	Missing State = "missing" // a run needs it
	Noted   State = "noted"   // a run does without, and says so
)

// Prerequisite is one thing that init looks at.
type Prerequisite struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Says  string `json:"says"`
	Hint  string `json:"hint,omitempty"`
}

// Project is what init found in a folder. Nothing of it was started.
type Project struct {
	Dir           string         `json:"-"`
	Prerequisites []Prerequisite `json:"prerequisites"`
	Package       string         `json:"package"`
	Type          string         `json:"type"`     // service, distributable
	Strategy      string         `json:"strategy"` // dependencies, peerDependencies
	SDK           string         `json:"sdk"`      // major version of the SDK that is installed; "" for none
	SetUp         string         `json:"setUp"`    // the file that sets up telemetry; "" for none
	Exports       string         `json:"exports"`  // where telemetry will go
	TestCommand   string         `json:"testCommand"`
	Runner        string         `json:"runner"` // of the tests: node, mocha, jest, vitest; "" where none is recognised
	Registry      string         `json:"registry"`
	Formatter     string         `json:"formatter"`
	// Commands are the lines that a run would start.
	Commands []string `json:"commands"`

	root *os.Root
	m    *manifest
}

// Examine looks at a project. c is its configuration, Defaults where there is none.
// environ is for git. trusted says whether this user vouched for the project: only then
// Weaver judges its registry, because it fetches what the registry names. The error is a
// *PathError, or the context's.
func Examine(ctx context.Context, dir string, c Config, environ []string, trusted bool) (*Project, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &PathError{dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	p := &Project{Dir: dir, Commands: []string{}, root: root}
	if _, err := git.In(dir, environ).Out(ctx, "rev-parse", "--git-dir"); err != nil {
		p.say("git", Missing, "the folder is in no git repository", "git init, and commit: git shows what aburn changes")
	} else {
		p.say("git", Met, "a git repository", "")
	}
	p.lookAtPackage()
	if err := p.lookAtSetUp(ctx, c, environ); err != nil {
		return nil, err
	}
	p.lookAtTests(c)
	p.lookAtRegistry(c)
	if f := FindFormatter(dir, environ); f != nil {
		p.Formatter = strings.Join(f.Line, " ")
		p.Commands = append(p.Commands, p.Formatter)
	}
	p.lookAtWeaver(ctx, c, trusted)
	p.root = nil
	return p, ctx.Err()
}

func (p *Project) say(name string, s State, says, hint string) {
	p.Prerequisites = append(p.Prerequisites, Prerequisite{name, s, says, hint})
}

// Ready says whether nothing is missing that a run needs.
func (p *Project) Ready() bool {
	return !slices.ContainsFunc(p.Prerequisites, func(r Prerequisite) bool { return r.State == Missing })
}

func (p *Project) lookAtPackage() {
	m, err := readManifest(p.root, ".")
	if err != nil {
		p.m = &manifest{}
		text := "there is no package.json"
		if !errors.Is(err, fs.ErrNotExist) {
			text = err.Error()
		}
		p.say("package.json", Missing, text, "npm init")
		return
	}
	p.m, p.Package, p.Type, p.Strategy = m, m.Name, "service", "dependencies"
	if !m.Private && (len(m.Bin) > 0 || m.Main != "" || len(m.Exports) > 0) {
		p.Type, p.Strategy = "distributable", "peerDependencies"
	}
	p.say("package.json", Met, fmt.Sprintf("%s, a %s: the API belongs into %s", orNone(m.Name), p.Type, p.Strategy), "")
	p.lookAtAPI()
}

func orNone(name string) string {
	if name == "" {
		return "a package without a name"
	}
	return name
}

const api = "@opentelemetry/api"

// lookAtAPI tells where the API stands and which line of the SDK is installed.
func (p *Project) lookAtAPI() {
	places := []string{}
	for place, deps := range map[string]map[string]string{"dependencies": p.m.Dependencies, "devDependencies": p.m.Dev, "peerDependencies": p.m.Peer} {
		if deps[api] != "" {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	switch {
	case len(places) == 0:
		p.say("api", Missing, api+" is not in package.json: instrumented code would not load", "npm install "+api)
	case p.Strategy == "dependencies" && !slices.Contains(places, "dependencies"):
		p.say("api", Noted, fmt.Sprintf("%s stands in %s, and a service needs it in dependencies", api, strings.Join(places, " and ")), "npm install "+api)
	default:
		p.say("api", Met, api+" stands in "+strings.Join(places, " and "), "")
	}
	for _, sdk := range []string{"@opentelemetry/sdk-node", "@opentelemetry/sdk-trace-node", "@opentelemetry/sdk-trace", "@opentelemetry/sdk-trace-base"} {
		m, err := readManifest(p.root, "node_modules/"+sdk)
		if err != nil || m.Version == "" {
			continue
		}
		p.SDK = sdkLine(m.Version)
		p.say("sdk", Met, fmt.Sprintf("%s %s is installed: the %s.x line", sdk, m.Version, p.SDK), "")
		return
	}
	p.say("sdk", Noted, "no OpenTelemetry SDK is installed: spans are made, and nobody records them", "npm install @opentelemetry/sdk-node")
}

// sdkLine is the major version of the SDK. Packages that still begin with 0 are of line
// 3 from 0.300 on.
func sdkLine(version string) string {
	major, rest, _ := strings.Cut(version, ".")
	if major != "0" {
		return major
	}
	minor, _, _ := strings.Cut(rest, ".")
	if len(minor) >= 3 && minor >= "300" {
		return "3"
	}
	return "2"
}

var (
	setsUp   = regexp.MustCompile(`\b(?:new\s+NodeSDK|registerInstrumentations|registerOTel)\s*\(`)
	exportTo = regexp.MustCompile(`\burl\s*:\s*['"` + "`" + `]([^'"` + "`" + `\s]{1,200})['"` + "`" + `]`)
)

// lookAtSetUp finds the file that sets up telemetry by what stands in it, and tells
// where spans will go.
func (p *Project) lookAtSetUp(ctx context.Context, c Config, environ []string) error {
	found := []string{}
	if c.SDKInitFile != "" {
		found = append(found, path.Clean(filepath.ToSlash(c.SDKInitFile)))
	} else {
		all := Defaults()
		all.Include = append(all.Include, "**/*.{ts,mts,cts}")
		s, err := Select(ctx, p.Dir, []string{"."}, all, environ)
		if err != nil {
			return err
		}
		for _, f := range s.Files {
			if text, err := readIn(p.root, f); err == nil && setsUp.Match(text) {
				found = append(found, f)
			}
		}
	}
	if len(found) == 0 {
		p.Exports = "nowhere: no file sets up telemetry"
		p.say("set-up", Noted, "no file sets up telemetry (NodeSDK, registerInstrumentations, registerOTel): spans will be made, and go nowhere", "https://opentelemetry.io/docs/languages/js/getting-started/nodejs")
		return nil
	}
	p.SetUp = found[0]
	text, err := readIn(p.root, p.SetUp)
	if err != nil {
		p.say("set-up", Missing, p.SetUp+" cannot be read", "correct sdkInitFile in "+ConfigFile)
		return nil
	}
	p.Exports = destination(text, environ)
	says := p.SetUp + " sets up telemetry; spans go to " + p.Exports
	if len(found) > 1 {
		says += "; so does " + strings.Join(found[1:], ", ") + ", and two set-ups cancel each other silently"
	}
	p.say("set-up", Met, says, "")
	if !p.isLoaded() {
		p.say("start", Noted, "no script of package.json and no main file seems to load "+p.SetUp+" first: then nothing is recorded", "node --import ./"+p.SetUp+" …")
	}
	return nil
}

// destination is where a set-up sends spans, as far as its text and the environment tell.
func destination(text []byte, environ []string) string {
	if m := exportTo.FindSubmatch(text); m != nil {
		return withoutSecrets(string(m[1])) + ", which the file names itself"
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok && value != "" {
				return withoutSecrets(value) + ", from " + name
			}
		}
	}
	return "http://localhost:4318, the default, unless OTEL_EXPORTER_OTLP_ENDPOINT says otherwise where it runs"
}

// withoutSecrets is an address without its user and its query, which can hold keys.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that is not shown"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// isLoaded says whether a script or the main file names the set-up.
func (p *Project) isLoaded() bool {
	base := strings.TrimSuffix(path.Base(p.SetUp), path.Ext(p.SetUp))
	for _, line := range p.m.Scripts {
		if strings.Contains(line, base) {
			return true
		}
	}
	for _, main := range []string{p.m.Main, "index.js", "src/index.js", "server.js", "app.js", "src/server.js", "src/app.js", "index.mjs", "src/index.mjs"} {
		if main == "" || !filepath.IsLocal(main) {
			continue
		}
		if text, err := readIn(p.root, main); err == nil && strings.Contains(string(text), base) {
			return true
		}
	}
	return false
}

func (p *Project) lookAtTests(c Config) {
	switch command := c.TestCommand.(type) {
	case string:
		p.TestCommand = command
	case []any:
		var words []string
		for _, w := range command {
			words = append(words, fmt.Sprint(w))
		}
		p.TestCommand = strings.Join(words, " ")
	}
	script := p.m.Scripts["test"]
	if p.TestCommand == "" && script != "" && !strings.Contains(script, "no test specified") {
		p.TestCommand = p.manager() + " test"
	}
	if p.TestCommand == "" {
		p.say("tests", Noted, "there is no test command: nothing shows whether the code still works", "scripts.test in package.json, or testCommand in "+ConfigFile)
		return
	}
	for _, r := range []string{"vitest", "jest", "mocha", "node --test"} {
		if strings.Contains(script+" "+p.TestCommand, r) {
			p.Runner = strings.Fields(r)[0]
			break
		}
	}
	says := "tests run by " + p.TestCommand
	if p.Runner != "" {
		says += ", on " + p.Runner
	}
	p.Commands = append(p.Commands, p.TestCommand)
	p.say("tests", Met, says, "")
}

// manager is the package manager: by packageManager, then by the lock file.
func (p *Project) manager() string {
	if name, _, _ := strings.Cut(p.m.PackageManager, "@"); slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		return name
	}
	for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lockb", "bun"}, {"bun.lock", "bun"}} {
		if _, err := p.root.Lstat(lock[0]); err == nil {
			return lock[1]
		}
	}
	return "npm"
}

// NewRegistry is where init writes a registry if there is none.
const NewRegistry = "telemetry/registry"

// lookAtRegistry finds the registry: what the configuration names, else a usual folder
// with a manifest.
func (p *Project) lookAtRegistry(c Config) {
	p.Registry = c.SchemaPath
	if p.Registry == "" {
		for _, dir := range []string{NewRegistry, "telemetry", "registry", "semconv", "otel/registry", "schemas", "schema"} {
			for _, name := range []string{"manifest.yaml", "registry_manifest.yaml"} {
				if _, err := p.root.Lstat(filepath.FromSlash(path.Join(dir, name))); err == nil && p.Registry == "" {
					p.Registry = dir
				}
			}
		}
	}
	if p.Registry == "" {
		p.say("registry", Missing, "there is no registry", "aburn instrument init --yes writes the smallest one, in "+NewRegistry)
		return
	}
	contract, err := ReadContract(p.Dir, Config{SchemaPath: p.Registry})
	switch {
	case err != nil:
		p.say("registry", Missing, err.Error(), "aburn instrument registry check "+p.Registry)
	case len(contract.Unsure) > 0:
		p.say("registry", Noted, fmt.Sprintf("%s has %s, and is not judged whole: %s", p.Registry, spans(contract), contract.Unsure[0].Message), "aburn instrument registry check "+p.Registry)
	default:
		p.say("registry", Met, fmt.Sprintf("%s is valid, with %s", p.Registry, spans(contract)), "")
	}
}

// lookAtWeaver has the Weaver that the configuration asks for judge the registry too.
func (p *Project) lookAtWeaver(ctx context.Context, c Config, trusted bool) {
	w, why, err := registry.Wanted(ctx, c.Weaver, c.WeaverMinVersion, p.Dir)
	switch {
	case err != nil:
		p.say("weaver", Missing, err.Error(), "set weaver: auto in "+ConfigFile)
		return
	case why != "":
		p.say("weaver", Noted, why+"; aburn judges alone", "")
		return
	case w == nil || p.Registry == "":
		return
	case !trusted:
		p.say("weaver", Noted, w.Name()+" is there, and is not asked: nobody vouched for the project, and it fetches what a registry names", "aburn init")
		return
	}
	report, err := registry.Judge(ctx, filepath.Join(p.Dir, filepath.FromSlash(p.Registry)), registry.Options{Root: p.Dir}, w)
	if err != nil {
		p.say("weaver", Noted, err.Error()+"; aburn judges alone", "aburn instrument registry check "+p.Registry+" --weaver")
		return
	}
	verdict, state := registry.VerdictOf(report.Findings), Met
	if verdict == registry.Invalid {
		state = Missing
	}
	p.say("weaver", state, fmt.Sprintf("aburn and %s say: %s is %s", w.Name(), p.Registry, verdict), "")
}

func spans(c *Contract) string {
	if n := len(c.Spans.Spans); n != 1 {
		return fmt.Sprintf("%d spans", n)
	}
	return "1 span"
}

// Namespace is what the names of a new registry begin with.
func (p *Project) Namespace() string {
	if p.Package == "" {
		return namespaceOf(filepath.Base(p.Dir))
	}
	return namespaceOf(p.Package)
}

// namespaceOf makes a namespace of the name of a package.
func namespaceOf(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(name, "_"), "_")
	if name == "" || name[0] < 'a' {
		name = strings.Trim("app_"+name, "_")
	}
	return name
}

// SmallestRegistry is the text of a valid registry without spans, by file.
func SmallestRegistry(namespace string) map[string]string {
	return map[string]string{
		"manifest.yaml": "schema_url: https://example.com/schemas/" + namespace + "/0.1.0\ndescription: What " + namespace + " emits\nstability: development\n",
		namespace + ".yaml": "# file_format: definition/1 of OpenTelemetry Weaver. Spans and attributes of " + namespace + " stand here.\n" +
			"groups:\n- id: registry." + namespace + "\n  type: attribute_group\n  stability: development\n  brief: Attributes of " + namespace + ".\n  attributes:\n" +
			"  - id: " + namespace + ".operation\n    type: string\n    stability: development\n    brief: What was asked for.\n    examples: [\"import\"]\n",
	}
}

// quoteYAML is a value as YAML has it on one line.
func quoteYAML(s string) string {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 ._/-]*[A-Za-z0-9]$`).MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(s)) {
		return s
	}
	b, _ := json.Marshal(s) // a JSON string is one of YAML's; strings always marshal
	return string(b)
}

// ConfigText is a configuration with what was found. had is the text that is there, nil
// for none: then only keys that it lacks are added, at its end, and named in added.
func (p *Project) ConfigText(had []byte, c Config) (text []byte, added []string) {
	type line struct{ key, value, comment string }
	lines := []line{{"schemaPath", p.Registry, "the registry: which spans and attributes this project makes"}, {"sdkInitFile", p.SetUp, "sets up telemetry; is never instrumented"},
		{"testCommand", p.TestCommand, "run only after you permitted exactly this line"}, {"dependencyStrategy", p.Strategy, "where the API belongs: this is a " + p.Type}}
	has := map[string]bool{"schemaPath": c.SchemaPath != "", "sdkInitFile": c.SDKInitFile != "", "testCommand": c.TestCommand != nil, "dependencyStrategy": c.DependencyStrategy != ""}
	var b strings.Builder
	if had == nil {
		b.WriteString("# How aburn instruments this project. All keys stand in the guide; what is not here has its default.\n")
	} else {
		b.Write(had)
		if len(had) > 0 && had[len(had)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	for _, l := range lines {
		if l.value == "" || has[l.key] && had != nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s # %s\n", l.key, quoteYAML(l.value), l.comment)
		added = append(added, l.key)
	}
	if had != nil && len(added) == 0 {
		return had, nil
	}
	return []byte(b.String()), added
}

// WriteNew writes files below dir that are not there yet, by path with /.
func WriteNew(dir string, files map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, text := range files {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if _, err := root.Lstat(filepath.FromSlash(name)); err == nil {
			continue
		}
		if err := replace(root, name, nil, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// WriteConfig replaces the configuration in dir in one step, if it is still had.
func WriteConfig(dir string, had, text []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, ConfigFile, had, text)
}
