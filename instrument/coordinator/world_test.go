package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/provider"
)

// project is a small service in a git repository, with a registry.
type project struct {
	testing.TB
	dir, state string
	config     instrument.Config
}

const manifest = "schema_url: https://shop.example/schemas/0.1.0\n"

const contract = "groups:\n- {id: registry.shop, type: attribute_group, brief: b, stability: development, attributes: [{id: shop.id, type: string, brief: " +
	"b, stability: development, examples: [o]}]}\n" +
	"- {id: span.shop.start, type: span, span_kind: internal, stability: development, brief: b, attributes: [{ref: shop.id}]}\n"

// work is a file whose function a run wants to instrument.
func work(i int) (path, text string) {
	return fmt.Sprintf("src/f%d.mjs", i),
		fmt.Sprintf("import { readFile } from 'node:fs/promises';\nexport async function work%d(order) {\n  const id = order.id;\n  return await readFile(id);\n}\n",
			i)
}

func newProject(t testing.TB, files int, more map[string]string) *project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	p := &project{TB: t, dir: t.TempDir(), state: t.TempDir(), config: instrument.Defaults()}
	p.config.SchemaPath, p.config.Weaver = "telemetry", "never"
	p.write("telemetry/manifest.yaml", manifest)
	p.write("telemetry/a.yaml", contract)
	p.write("package.json", `{"name": "shop", "private": true, "dependencies": {"@opentelemetry/api": "^1.9.0"}}`)
	for i := range files {
		p.write(work(i))
	}
	for name, text := range more {
		p.write(name, text)
	}
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "a")
	p.git("config", "user.email", "a@example.invalid")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "all")
	return p
}

func (p *project) write(name, text string) {
	p.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		p.Fatal(err)
	}
	return string(data)
}

func (p *project) git(args ...string) string {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// options are those of a run with a planner, on all files.
func (p *project) options(provider provider.Provider) Options {
	p.Helper()
	s, err := instrument.Select(p.Context(), p.dir, []string{"src"}, p.config, os.Environ())
	if err != nil {
		p.Fatal(err)
	}
	folder, err := os.OpenRoot(p.state)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { folder.Close() })
	return Options{
		Dir: p.dir, Selection: s, Config: p.config, Environ: os.Environ(), Run: "r1", Folder: folder, Engine: jsast.NewGoja(), Provider: provider, Trusted: true,
		NoPR:    true,
		Version: "0", Now: time.Now, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

func (p *project) run(o Options, cb Callbacks) *Result {
	p.Helper()
	if cb.OnCeiling == nil {
		cb.OnCeiling = func(Ceiling) bool { return true }
	}
	r, err := Run(p.Context(), o, cb)
	if err != nil {
		p.Fatal(err)
	}
	return r
}

// planner answers as a model would: what is said for the file, else a good plan.
type planner struct {
	say   map[string][]provider.Answer // by path, in turn; the last one again and again
	asked []string
	texts []string
	whole []provider.Request
	log   string // a file that gets each question's path
	mu    sync.Mutex
}

var asksAbout = regexp.MustCompile(`File "([^"]+)"`)

func (m *planner) Name() string                { return "script" }
func (m *planner) Ready(context.Context) error { return nil }

func (m *planner) Complete(ctx context.Context, r provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	path := asksAbout.FindStringSubmatch(r.Turns[0].Text)[1]
	n := 0
	for _, p := range m.asked {
		if p == path {
			n++
		}
	}
	m.asked, m.texts, m.whole = append(m.asked, path), append(m.texts, r.Turns[0].Text), append(m.whole, r)
	if m.log != "" {
		f, err := os.OpenFile(m.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return provider.Response{}, err
		}
		defer f.Close()
		if _, err := f.WriteString(path + "\n"); err != nil {
			return provider.Response{}, err
		}
	}
	if list := m.say[path]; len(list) > 0 {
		a := list[min(n, len(list)-1)]
		return a.Response, a.Err
	}
	return goodAnswer(path, r), nil
}

// goodAnswer is a good plan, or the file that aburn makes of it where a whole file is wanted.
func goodAnswer(path string, r provider.Request) provider.Response {
	if strings.Contains(string(r.Schema), `"code"`) {
		return goodFile(path)
	}
	return goodPlan(path)
}

// goodCode is a file of work, as aburn writes it of goodPlan.
func goodCode(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".mjs")
	return strings.NewReplacer("NAME", name, "NUMBER", name[1:]).Replace(`import { readFile } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');
export async function workNUMBER(order) {
  return tracer.startActiveSpan('shop.NAME.run', async (span) => {
    try {
      const id = order.id;
      if (id != null) {
        span.setAttribute('shop.id', id);
      }
      return await readFile(id);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
`)
}

func goodFile(path string) provider.Response { return wholeFile(path, goodCode(path)) }

// wholeFile is an answer with this code and the span of goodPlan.
func wholeFile(path, code string) provider.Response {
	name := strings.TrimSuffix(filepath.Base(path), ".mjs")
	text, err := json.Marshal(map[string]any{"code": code, "newSpans": []any{map[string]any{"id": "shop." + name + ".run", "kind": "internal",
		"brief": "Works on " + name, "attributes": []string{"shop.id"}}},
		"newAttributes": []any{}, "libraries": []any{}, "notes": []any{}})
	if err != nil {
		panic(err)
	}
	return response(string(text))
}

// goodPlan wraps the file's function in a new span with an attribute that the registry has.
func goodPlan(path string) provider.Response {
	name := strings.TrimSuffix(filepath.Base(path), ".mjs")
	return response(fmt.Sprintf(`{"functions":[{"id":"f1","action":"span","span":"shop.%s.run","tier":1,"reason":"it reads a file",`+
		`"attributes":[{"key":"shop.id","expr":"id","at":"after:3"}]}],`+
		`"newSpans":[{"id":"shop.%s.run","kind":"internal","brief":"Works on %s","attributes":["shop.id"]}],"newAttributes":[],"libraries":[],"notes":[]}`, name,
		name, name))
}

func response(text string) provider.Response {
	return provider.Response{JSON: json.RawMessage(text), Usage: provider.Usage{Input: 100, Output: 20}}
}

func answers(list ...provider.Response) (out []provider.Answer) {
	for _, r := range list {
		out = append(out, provider.Answer{Response: r})
	}
	return out
}

// check judges each file on the branch by the rules, as anybody could.
func (p *project) accepted(path, original string) bool {
	p.Helper()
	later := p.read(path)
	if later == original {
		return true
	}
	orig := filepath.Join(p.TempDir(), filepath.Base(path))
	if err := os.WriteFile(orig, []byte(original), 0o600); err != nil {
		p.Fatal(err)
	}
	list, err := instrument.Check(p.Context(), jsast.NewGoja(), orig, filepath.Join(p.dir, filepath.FromSlash(path)), p.config, p.dir)
	if err != nil {
		p.Fatal(err)
	}
	for _, f := range list {
		if f.Severity == "blocking" {
			p.Logf("%s: %s: %s", path, f.Rule, f.Message)
			return false
		}
	}
	return true
}
