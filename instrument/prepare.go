package instrument

import (
	"context"
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

	"aburn/instrument/jsproject"
	"aburn/instrument/registry"
	"aburn/instrument/rules"
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
	SDK           string         `json:"sdk"`      // major version of the SDK that is installed, or asked for; "" for none
	SetUp         string         `json:"setUp"`    // the file that sets up telemetry; "" for none
	Exports       string         `json:"exports"`  // where telemetry will go
	TestCommand   string         `json:"testCommand"`
	Runner        string         `json:"runner"` // of the tests: node, mocha, jest, vitest; "" where none is recognised
	Registry      string         `json:"registry"`
	Formatter     string         `json:"formatter"`
	Linter        string         `json:"linter"`
	// Commands are the lines that a run would start.
	Commands []string `json:"commands"`

	root *os.Root
	m    *manifest
}

// Examine looks at a project. c is its configuration, Defaults where there is none.
// environ is for git. trusted says whether this user trusts the project: only then
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
	if l := FindLinter(dir, environ); l != nil {
		p.Linter = strings.Join(l.Line, " ")
		p.Commands = append(p.Commands, p.Linter)
	}
	if line := CommitHooks(ctx, dir, environ); line != "" {
		p.Commands = append(p.Commands, line)
	}
	p.lookAtWeaver(ctx, c, trusted)
	p.root = nil
	return p, ctx.Err()
}

func (p *Project) say(name string, s State, says, hint string) {
	p.Prerequisites = append(p.Prerequisites, Prerequisite{name, s, says, hint})
}

// Lacks are the prerequisites that a run needs and the project does not have.
func (p *Project) Lacks() (list []Prerequisite) {
	for _, r := range p.Prerequisites {
		if r.State == Missing {
			list = append(list, r)
		}
	}
	return list
}

// Ready says whether nothing is missing that a run needs.
func (p *Project) Ready() bool { return len(p.Lacks()) == 0 }

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
	p.m, p.Package, p.Type, p.Strategy = m, m.Name, "service", rules.Dependencies
	if m.strategy() == rules.PeerDependencies {
		p.Type, p.Strategy = "distributable", rules.PeerDependencies
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

// lookAtAPI tells where the API stands and which line of the SDK the project has.
func (p *Project) lookAtAPI() {
	sdk := jsproject.FindSDK(p.Dir)
	if sdk != nil {
		p.SDK = sdk.Line
	}
	places := []string{}
	for place, deps := range map[string]map[string]string{"dependencies": p.m.Dependencies, "devDependencies": p.m.Dev, "peerDependencies": p.m.Peer} {
		if deps[api] != "" {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	add := p.manager() + " add " + jsproject.APIFor(p.SDK).String()
	peer := p.Strategy == "peerDependencies"
	if peer { // its users have the API, and its own tests load it
		toPeer, toDev := "--save-peer", "--save-dev"
		if m := p.manager(); m == "yarn" || m == "bun" {
			toPeer, toDev = "--peer", "--dev"
		}
		add = fmt.Sprintf("%s %s, and %s %s", add, toPeer, add, toDev)
	}
	switch {
	case len(places) == 0:
		p.say("api", Missing, api+" is not in package.json: instrumented code would not load", add)
	case p.Strategy == "dependencies" && !slices.Contains(places, "dependencies"):
		p.say("api", Noted, fmt.Sprintf("%s stands in %s, and a service needs it in dependencies", api, strings.Join(places, " and ")), add)
	case peer && !(slices.Contains(places, "peerDependencies") && slices.Contains(places, "devDependencies")):
		p.say("api", Noted, fmt.Sprintf("%s stands in %s, and a package that others install needs it in peerDependencies and devDependencies", api,
			strings.Join(places, " and ")), add)
	default:
		p.say("api", Met, api+" stands in "+strings.Join(places, " and "), "")
	}
	p.lookAtSDK(sdk)
}

// lookAtSDK tells which line of the SDK the project has: libraries of another line do not fit.
func (p *Project) lookAtSDK(sdk *jsproject.SDK) {
	switch {
	case sdk == nil:
		p.say("sdk", Noted, "no OpenTelemetry SDK is installed: spans are made, and nobody records them", p.manager()+" add @opentelemetry/sdk-node")
	case !jsproject.KnowsLine(sdk.Line):
		p.say("sdk", Noted, fmt.Sprintf("%s %s is of the %s.x line; aburn installs no packages beside it, because it knows the lines 2 and 3 only", sdk.Package,
			sdk.Version, sdk.Line), "https://github.com/open-telemetry/opentelemetry-js/blob/main/doc/upgrade-to-2.x.md")
	case !sdk.Installed:
		p.say("sdk", Noted, fmt.Sprintf("package.json asks for %s %s, the %s.x line; it is not installed", sdk.Package, sdk.Version, sdk.Line),
			p.manager()+" install")
	default:
		p.say("sdk", Met, fmt.Sprintf("%s %s is installed: the %s.x line", sdk.Package, sdk.Version, sdk.Line), "")
	}
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
		p.say("set-up", Noted, "no file sets up telemetry (NodeSDK, registerInstrumentations, registerOTel): spans will be made, and go nowhere",
			"https://opentelemetry.io/docs/languages/js/getting-started/nodejs")
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

// Exports is where a project's spans will go, as far as its files tell. It does not look at the environment: a pull
// request tells it to others.
func Exports(dir string, c Config) string {
	root, err := os.OpenRoot(dir)
	if c.SDKInitFile == "" || err != nil {
		return "nowhere that aburn knows of: sdkInitFile names no file that sets up telemetry"
	}
	defer root.Close()
	text, err := readIn(root, path.Clean(filepath.ToSlash(c.SDKInitFile)))
	if err != nil {
		return "nowhere that aburn knows of: sdkInitFile cannot be read"
	}
	return destination(text, nil)
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
	p.TestCommand = TestLine(c)
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
		p.say("registry", Noted, fmt.Sprintf("%s has %s, and is not judged whole: %s", p.Registry, spans(contract), contract.Unsure[0].Message),
			"aburn instrument registry check "+p.Registry)
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
		p.say("weaver", Noted, w.Name()+" is there, and is not asked: the project is not trusted, and it fetches what a registry names", "aburn init")
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
