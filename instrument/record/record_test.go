package record

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/run"
)

// TestMain makes this binary an aburn that records a command until it is killed, or a
// Weaver.
func TestMain(m *testing.M) {
	if how := os.Getenv("XDG_ABURN_TEST_WEAVER"); how != "" { // XDG_ variables reach programs
		standIn(how)
		os.Exit(0)
	}
	if dir := os.Getenv("ABURN_TEST_RECORD"); dir != "" {
		Run(context.Background(), Options{Argv: []string{"node", "wait.js"}, Dir: dir, Mode: Recorder, Environ: os.Environ(), Temp: filepath.Join(dir, "tmp")})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not there")
	}
}

// shop is a module with two spans, one inside the other.
const shop = `const { trace, SpanStatusCode } = require('@opentelemetry/api')
const tracer = trace.getTracer('shop')
exports.place = (order) => tracer.startActiveSpan('shop.order.place', { kind: 1 }, async (span) => {
  try {
    span.setAttribute('shop.order.id', order.id)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return await exports.save(order)
  } catch (error) {
    span.recordException(error)
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
})
exports.save = (order) => tracer.startActiveSpan('shop.order.save', async (span) => {
  span.end()
  if (!order.ok) throw new Error('refused')
})
`

// project makes a folder with a shop, the API and these files.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	api, err := os.ReadFile("testdata/api.js")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"src/shop.js": shop, "node_modules/@opentelemetry/api/index.js": string(api), "package.json": "{}"}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// recorded runs a command in dir. The spool's folder is empty afterwards.
func recorded(t testing.TB, dir string, mode Mode, argv ...string) *Recording {
	t.Helper()
	temp := t.TempDir()
	var said bytes.Buffer
	r, err := Run(t.Context(), Options{Argv: argv, Dir: dir, Mode: mode, Environ: os.Environ(), Temp: temp, Live: &said, Timeout: 2 * time.Minute})
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%s was left behind", left[0].Name())
	}
	if r.Exit != 0 {
		t.Logf("exit %d\n%s", r.Exit, said.String())
	}
	return r
}

// lines are the spans as text: file, test, place, name.
func lines(r *Recording) (list []string) {
	for _, s := range r.Spans {
		text := s.Test.File + " | " + s.Test.Name + " | " + Place(s.File, s.Line) + " " + s.Name
		if s.Failed {
			text += " failed"
		}
		if !s.Ended {
			text += " open"
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestSpansByTestAndFile(t *testing.T) {
	world.Slow(t)
	needNode(t)
	dir := project(t, map[string]string{"test/a.test.js": `const { test, describe, it } = require('node:test')
const { place } = require('../src/shop.js')
test('places', () => place({ id: 'o-1', ok: true }))
describe('at once', { concurrency: true }, () => {
  it('one', () => place({ id: 'o-2', ok: true }))
  it('refuses', () => place({ id: 'o-3' }).catch(() => {}))
})
place({ id: 'o-4', ok: true })
`})
	r := recorded(t, dir, Recorder, "node", "--test", "test/a.test.js")
	same(t, lines(r),
		"test/a.test.js | places | src/shop.js:3 shop.order.place", "test/a.test.js | places | src/shop.js:16 shop.order.save",
		"test/a.test.js | at once one | src/shop.js:3 shop.order.place", "test/a.test.js | at once one | src/shop.js:16 shop.order.save",
		"test/a.test.js | at once refuses | src/shop.js:3 shop.order.place failed", "test/a.test.js | at once refuses | src/shop.js:16 shop.order.save",
		" |  | src/shop.js:3 shop.order.place", " |  | src/shop.js:16 shop.order.save")
	for _, s := range r.Spans {
		parent := slices.IndexFunc(r.Spans, func(p Span) bool { return p.ID == s.Parent })
		if s.Name == "shop.order.save" && (parent < 0 || r.Spans[parent].Test != s.Test || r.Spans[parent].Trace != s.Trace || s.Kind != "internal") {
			t.Errorf("%+v has no parent of its own test", s)
		}
		if s.Name == "shop.order.place" && (s.Parent != "" || s.Kind != "server" || s.Scope != "shop" || len(s.Attributes) != 1 || s.Attributes[0].Kind != "string" ||
			s.End.Before(s.Start)) {
			t.Errorf("%+v", s)
		}
		if s.Failed && (len(s.Events) != 1 || s.Events[0].Name != "exception") {
			t.Errorf("events %+v", s.Events)
		}
	}
}

// Whatever becomes of a process, the spans that ended before are there.
func TestSpansOutliveTheirProcess(t *testing.T) {
	world.Slow(t)
	needNode(t)
	one := "const { place } = require('./src/shop.js')\nplace({ id: 1, ok: true })"
	for name, end := range map[string]string{
		"exit": ".then(() => process.exit(0))", "throw": ".then(() => { throw new Error('x') })",
		"kill":   ".then(() => process.kill(process.pid, 'SIGKILL'))",
		"worker": "\nconst { Worker, isMainThread } = require('worker_threads')\nif (isMainThread) new Worker(__filename)",
		"fork":   "\nif (!process.send) require('child_process').fork(__filename)",
		"shell":  "\nif (!process.env.AGAIN) require('child_process').execSync('AGAIN=1 NODE_OPTIONS=--no-warnings node ' + __filename)",
	} {
		if name == "shell" && runtime.GOOS == "windows" {
			continue
		}
		dir := project(t, map[string]string{"main.js": one + end})
		r := recorded(t, dir, Recorder, "node", "main.js")
		want := []string{" |  | src/shop.js:16 shop.order.save", " |  | src/shop.js:3 shop.order.place"}
		if name == "worker" || name == "fork" || name == "shell" {
			want = append(want, want...)
			if len(r.Processes) != 2 {
				t.Errorf("%s: processes %v", name, r.Processes)
			}
		}
		slices.Sort(want)
		if got := lines(r); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Runners that give tests a global object of their own, as jest does.
func TestOtherGlobalObjects(t *testing.T) {
	needNode(t)
	dir := project(t, map[string]string{"main.mjs": `import { createContext, runInContext } from 'node:vm'
import { readFileSync } from 'node:fs'
const realm = createContext({ exports: {}, setTimeout, Error })
runInContext("globalThis[Symbol.for('$$jest-matchers-object')] = { state: { testPath: '/elsewhere/a.test.js', currentTestName: 'in a realm' } }", realm)
runInContext(readFileSync('node_modules/@opentelemetry/api/index.js', 'utf8'), realm)
runInContext("const t = exports.trace.getTracer('x'); t.startActiveSpan('outer', (o) => { t.startActiveSpan('inner', async (i) => { await null; i.end() }); o.end() })", realm)
`})
	r := recorded(t, dir, Recorder, "node", "main.mjs")
	same(t, lines(r), "/elsewhere/a.test.js | in a realm | main.mjs:6 outer", "/elsewhere/a.test.js | in a realm | main.mjs:6 inner")
	if len(r.Spans) == 2 && r.Spans[1].Parent != r.Spans[0].ID {
		t.Error("inner is not inside of outer")
	}
}

func TestReplacedClocksAndFiles(t *testing.T) {
	needNode(t)
	dir := project(t, map[string]string{"main.js": `const fs = require('fs')
const { place } = require('./src/shop.js')
process.hrtime.bigint = () => 0n; Date.now = () => 0; fs.writeSync = () => { throw new Error('mocked') }; JSON.stringify = () => 'x'
Error.prepareStackTrace = () => 'none'
place({ id: 1, ok: true })
`})
	r := recorded(t, dir, Recorder, "node", "main.js")
	same(t, lines(r), " |  | src/shop.js:16 shop.order.save", " |  | src/shop.js:3 shop.order.place")
	if len(r.Spans) > 0 && time.Since(r.Spans[0].Start) > time.Hour {
		t.Errorf("began at %v", r.Spans[0].Start)
	}
}

func TestOddSpans(t *testing.T) {
	needNode(t)
	dir := project(t, map[string]string{"main.js": `const { trace } = require('@opentelemetry/api')
const t = trace.getTracer('x')
const s = t.startSpan('odd', { attributes: { a: undefined, b: null, c: {}, d: [1, 'x'], e: [1.5, 2], f: [], g: 1n } })
s.setAttribute('h', 1.5).setAttributes(undefined).addEvent('e', { k: true }).addLink({})
s.end(); s.end(); s.setAttribute('late', 1)
t.startSpan('open')
t.startSpan(undefined).end()
t.startActiveSpan('no function')
trace.disable()
t.startSpan('x'.repeat(5000), null, undefined).end()
`})
	r := recorded(t, dir, Recorder, "node", "main.js")
	var kinds []string
	for _, a := range r.Spans[0].Attributes {
		kinds = append(kinds, a.Key+" "+a.Kind)
	}
	same(t, kinds, "a undefined", "b null", "c object", "d mixed[]", "e double[]", "f array[]", "g bigint", "h double")
	if s := r.Spans[0]; s.EndedAgain != 1 || s.Links != 1 || len(s.Events) != 1 {
		t.Errorf("%+v", s)
	}
	if len(r.Spans) != 4 || r.Spans[1].Ended || r.Spans[2].Name != "undefined" || len(r.Spans[3].Name) > 300 {
		t.Errorf("%d spans: %q", len(r.Spans), lines(r))
	}
}

// The command sees no key and no variable of OpenTelemetry, except those that the
// caller names.
func TestCommandSeesACleanEnvironment(t *testing.T) {
	needNode(t)
	dir := project(t,
		map[string]string{"main.js": `process.exit('SHOP_API_KEY' in process.env || 'OTEL_EXPORTER_OTLP_ENDPOINT' in process.env || process.env.SHOP_DB !== 'x' |` +
			`| process.env.CI !== '1' ? 3 : 0)`})
	temp := t.TempDir()
	r, err := Run(t.Context(), Options{Argv: []string{"node", "main.js"}, Dir: dir, Mode: Recorder, Temp: temp, Once: true, Pass: []string{"SHOP_DB", "OTEL_*"},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "CI=1", "SHOP_API_KEY=k", "SHOP_DB=x", "OTEL_EXPORTER_OTLP_ENDPOINT=https://example.com"}})
	if err != nil || r.Exit != 0 || r.Hidden != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Options of the person's own stay, also where the path has blanks.
func TestOptionsOfNodeAreKept(t *testing.T) {
	needNode(t)
	dir := project(t, map[string]string{"first loaded.js": "globalThis.first = true",
		"main.js": "require('./src/shop.js').place({ id: 1, ok: true }); process.exitCode = globalThis.first ? 0 : 3"})
	temp := filepath.Join(t.TempDir(), `a "blank" folder`)
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{Argv: []string{"node", "main.js"}, Dir: dir, Mode: Recorder, Temp: temp,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "NODE_OPTIONS=--require " + optionQuote(filepath.Join(dir, "first loaded.js"))}})
	if err != nil || r.Exit != 0 || len(r.Spans) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A command that fails only under the recorder is blamed for nothing.
func TestFailingCommandRunsAgain(t *testing.T) {
	world.Slow(t)
	needNode(t)
	dir := project(t, map[string]string{
		"sdk.test.js": `const { test } = require('node:test')
const { trace } = require('@opentelemetry/api')
test('own SDK', () => { if (!trace.setGlobalTracerProvider({ getTracer: () => ({}) })) throw new Error('refused') })`,
		"red.js": "require('./src/shop.js').place({ id: 1, ok: true }).then(() => process.exit(7))",
	})
	r := recorded(t, dir, Recorder, "node", "--test", "sdk.test.js")
	if r.Exit != 1 || r.Again == nil || *r.Again != 0 || len(r.Refused) != 1 || r.Refused[0].Test != (Test{"sdk.test.js", "own SDK"}) {
		t.Errorf("%+v", r)
	}
	list := Judge(r, nil)
	if !has(list, "aburn.fails_recorded_only", Improvement) || !has(list, "aburn.provider_refused", Information) {
		t.Errorf("%+v", list)
	}
	if report := NewReport(r, nil, list); report.Red() || !strings.Contains(report.Ending(), "with the recorder, and succeeded") {
		t.Error(report.Ending())
	}
	r = recorded(t, dir, Recorder, "node", "red.js")
	report := NewReport(r, nil, Judge(r, nil))
	if !report.Red() || report.Ending() != "failed (exit code 7) with the recorder, and without it too (exit code 7)" || report.Spans != 2 {
		t.Errorf("%s: %+v", report.Ending(), r)
	}
}

func has(list []Finding, id string, level Level) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.ID == id && f.Level == level })
}

func TestNoSpanIsAFinding(t *testing.T) {
	needNode(t)
	dir := project(t, map[string]string{"silent.js": "", "npm-cli.js": ""})
	for script, want := range map[string]string{"silent.js": "aburn.no_span", "npm-cli.js": "aburn.never_loaded"} {
		if list := Judge(recorded(t, dir, Recorder, "node", script), nil); len(list) != 1 || !has(list, want, Violation) {
			t.Errorf("%s: %+v", script, list)
		}
	}
	if list := Judge(recorded(t, dir, Recorder, "git", "--version"), nil); !has(list, "aburn.never_loaded", Violation) {
		t.Errorf("%+v", list)
	}
}

func TestWhatDoesNotStart(t *testing.T) {
	temp := t.TempDir()
	_, err := Run(t.Context(), Options{Argv: []string{"no-such-program"}, Dir: temp, Mode: Recorder, Temp: temp})
	var start *StartError
	if !errors.As(err, &start) || !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
	needNode(t)
	dir := project(t, map[string]string{"wait.js": "setInterval(() => {}, 1000)"})
	_, err = Run(t.Context(), Options{Argv: []string{"node", "wait.js"}, Dir: dir, Mode: Recorder, Temp: temp, Environ: os.Environ(), Timeout: time.Second})
	if !errors.Is(err, run.ErrTimeout) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%s was left behind", left[0].Name())
	}
}

func TestEndedRecordingLeavesNothing(t *testing.T) {
	needNode(t)
	dir, temp := project(t, map[string]string{"wait.js": "require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)"}), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := Run(ctx, Options{Argv: []string{"node", "wait.js"}, Dir: dir, Mode: Recorder, Environ: os.Environ(), Temp: temp})
		done <- err
	}()
	pid := waitFor(t, filepath.Join(dir, "pid"))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 || runtime.GOOS == "linux" && alive(pid) {
		t.Errorf("%v was left, or the command runs", left)
	}
}

// Nothing of the project changes, also when aburn is killed; the next run removes the
// killed one's folder.
func TestKilledRunLeavesNothing(t *testing.T) {
	needNode(t)
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the command outlives a starter that is killed")
	}
	dir := project(t,
		map[string]string{"wait.js": "require('./src/shop.js').place({ id: 1, ok: true })\nrequire('fs').writeFileSync('tmp/pid', String(process.pid)); " +
			"setInterval(() => {}, 1000)", "tmp/x": ""})
	before := snapshot(t, dir)
	aburn := exec.Command(os.Args[0])
	aburn.Env = append(os.Environ(), "ABURN_TEST_RECORD="+dir)
	if err := aburn.Start(); err != nil {
		t.Fatal(err)
	}
	pid := waitFor(t, filepath.Join(dir, "tmp", "pid"))
	if list, _ := filepath.Glob(filepath.Join(dir, "tmp", spoolPrefix+"*")); len(list) != 1 {
		t.Errorf("folders %v", list)
	}
	aburn.Process.Signal(syscall.SIGKILL)
	aburn.Wait()
	for deadline := time.Now().Add(2 * time.Minute); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the command still runs")
		}
	}
	sweep(filepath.Join(dir, "tmp"))
	if list, _ := filepath.Glob(filepath.Join(dir, "tmp", spoolPrefix+"*")); len(list) > 0 {
		t.Errorf("%v was left", list)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("files changed:\n%s\nwere\n%s", after, before)
	}
}

func waitFor(t *testing.T, file string) string {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
			return string(data)
		}
		if time.Now().After(deadline) {
			t.Fatal("the command did not begin")
		}
	}
}

func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// snapshot is all files with their bytes, tmp left out.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "tmp":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + "\n" + string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A recording that runs is no leftover, nor is a folder that says nothing.
func TestSweepLeavesOthers(t *testing.T) {
	temp := t.TempDir()
	s, err := newSpool(temp, Recorder, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(temp, spoolPrefix+"foreign"), 0o700); err != nil {
		t.Fatal(err)
	}
	sweep(temp)
	if left, _ := os.ReadDir(temp); len(left) != 2 {
		t.Errorf("%v", left)
	}
	s.remove()
}

// What a command writes into the spool is not trusted.
func TestForgedSpool(t *testing.T) {
	s, err := newSpool(t.TempDir(), Recorder, "")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", maxLine+10)
	text := `{"k":"start","pid":1,"thread":0}` + "\n" + `no json` + "\n" + `{"k":"span","s":"never began"}` + "\n" +
		`{"k":"begin","s":"a","b":"-5","kind":99,"n":"x","a":[["k"],[],["k","string","v","w"]]}` + "\n" +
		`{"k":"span","s":"a","kind":-1,"b":"none","n":"x","a":[["k"]]}` + "\n" + `{"k":"twice","s":"zzz"}` + "\n" + long
	if err := os.WriteFile(filepath.Join(s.dir, "1.0.x.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "2.0.x.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &Recording{Mode: Recorder}
	if err := s.read(r); err != nil || len(r.Spans) != 1 || r.Broken != 2 || r.Spans[0].Kind != "internal" {
		t.Errorf("%+v, %v", r, err)
	}
	Judge(r, nil)
	Rate(r)
}
