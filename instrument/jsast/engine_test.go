package jsast

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"

	"aburn/internal/lab/world"
)

func TestGojaStopsWithContext(t *testing.T) {
	g := NewGoja()
	source := strings.Repeat("a + b;\n", 8000)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(20 * time.Millisecond)
		cancel()
	}()
	if _, err := g.Parse(ctx, source, Auto); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := g.Parse(t.Context(), "a", Auto); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestEnginesAreShared(t *testing.T) {
	for _, e := range []Engine{shared, node(t)} {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				m, err := Parse(context.Background(), e, []byte("function f() {}"), Auto)
				if err != nil || len(m.Functions) != 1 {
					t.Errorf("%s: %v", e.Name(), err)
				}
			})
		}
		wg.Wait()
	}
}

// TestNoFieldIsLost: a field that no table of the bundle names would not reach a
// comparison, so a change of it would be no change.
func TestNoFieldIsLost(t *testing.T) {
	world.Unshared(t)
	r, err := newGojaRuntime()
	if err != nil {
		t.Fatal(err)
	}
	lost, ok := goja.AssertFunction(r.vm.Get("aburnLostFields"))
	if !ok {
		t.Fatal("the bundle has no aburnLostFields")
	}
	for name, source := range files(t, "corpus") {
		got, err := lost(goja.Undefined(), r.vm.ToValue(strings.TrimPrefix(source, byteOrderMark)), r.vm.ToValue(string(Auto)))
		if err != nil || got.String() != "" {
			t.Errorf("%s: lost %v, %v", name, got, err)
		}
	}
}

// Files that are parsed at the same time get a runtime each; those one by one share one.
func TestGojaRuntimes(t *testing.T) {
	g := NewGoja()
	for range 3 {
		if _, err := g.Parse(t.Context(), "a", Auto); err != nil {
			t.Fatal(err)
		}
	}
	if len(g.idle) != 1 {
		t.Errorf("one by one: %d runtimes", len(g.idle))
	}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if _, err := g.Parse(t.Context(), "function f() {}", Auto); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(g.idle); n < 1 || n > cap(g.slots) {
		t.Errorf("at once: %d runtimes, the bound is %d", n, cap(g.slots))
	}
}

func TestNodeIsStartedAgain(t *testing.T) {
	n := node(t)
	for range 2 {
		if err := n.child.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := n.Parse(t.Context(), "a", Auto); err != nil {
			t.Fatalf("after its death: %v", err)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Parse(t.Context(), "a", Auto); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// stand puts a node of ours on PATH.
func stand(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "node"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestNodeThatWillNotDo(t *testing.T) {
	world.Slow(t)
	for name, c := range map[string]struct{ script, want string }{
		"old":      {`read line; echo '{"node":16}'; read line`, "node is version 16, it takes 18"},
		"ends":     {"exit 3", "the process ended"},
		"nonsense": {"read line; echo hello; read line", "node is version 0, it takes 18"},
	} {
		t.Run(name, func(t *testing.T) {
			stand(t, c.script)
			if _, err := StartNode(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if e := Start(t.Context()); e.Name() != "goja" {
				t.Errorf("Start gave %s", e.Name())
			}
		})
	}
}

func TestNodeThatFails(t *testing.T) {
	world.Slow(t)
	for name, c := range map[string]struct{ script, want string }{
		"dies at every file": {`read line; echo '{"node":20}'; read line; exit 1`, "the process ended"},
		"answers nonsense":   {`read line; echo '{"node":20}'; read line; echo '{"tree":[1,2]}'; read line`, "malformed"},
		"never ends a line":  {`read line; echo '{"node":20}'; read line; while :; do printf '%01000000d' 0; done`, "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			stand(t, c.script)
			n, err := StartNode(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			_, err = Parse(t.Context(), n, []byte("a"), Auto)
			var engine *EngineError
			if !errors.As(err, &engine) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	t.Run("hangs", func(t *testing.T) {
		asked := filepath.Join(t.TempDir(), "asked")
		stand(t, `read line; echo '{"node":20}'; read line; : > '`+asked+`'; read line`)
		n, err := StartNode(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		for limit := 50 * time.Millisecond; ; limit *= 2 { // one that is over before it is asked hangs at nothing
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			_, err := n.Parse(ctx, "a", Auto)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			if _, err := os.Stat(asked); err == nil {
				break
			}
			if limit > 2*time.Minute {
				t.Fatal("it is never asked")
			}
		}
		if n.child != nil {
			t.Error("the process that hung is still used")
		}
	})
}

// A child whose answer comes with the end of its time is being killed, so it is not used again.
func TestNodeAnswersAtTheLastMoment(t *testing.T) {
	stand(t, `read line; echo '{"node":20}'; echo '{"answer":1}'; read line; read line`)
	n, err := StartNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if _, err := n.child.out.Peek(1); err != nil { // the answer is here, before it is asked for
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answer, err := n.exchange(ctx, Timeout, "a"); !errors.Is(err, context.Canceled) || n.child != nil {
		t.Errorf("%s, %v; the process is used again: %t", answer, err, n.child != nil)
	}
}

// TestNodeHasNoEnvironment: NODE_OPTIONS could load anything.
func TestNodeHasNoEnvironment(t *testing.T) {
	node(t)
	t.Setenv("NODE_OPTIONS", "--require=/does/not/exist")
	n, err := StartNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n.Close()
}

// TestNodeEndsWithParent closes only the pipe, as the end of a parent does.
func TestNodeEndsWithParent(t *testing.T) {
	n := node(t)
	n.child.in.Close()
	if err := n.child.cmd.Wait(); err != nil {
		t.Errorf("node ended with %v", err)
	}
	n.child = nil
}

// TestBundle builds the bundle from npm and compares.
func TestBundle(t *testing.T) {
	if testing.Short() {
		t.Skip("installs from npm")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not on PATH")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "build.mjs", "main.js", "children.js"} {
		b, err := os.ReadFile(filepath.Join("bundle", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), npm, args...)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if out, err := run("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"); err != nil {
		if bytes.Contains(out, []byte("EINTEGRITY")) || bytes.Contains(out, []byte("EUSAGE")) {
			t.Fatalf("npm ci: %s", out)
		}
		t.Skipf("npm cannot install: %.500s", out)
	}
	if out, err := run("run", "build"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"jsast.js", "LICENSES"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("bundle", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("bundle/%s is not what `npm ci --ignore-scripts && npm run build` makes of its sources", name)
		}
	}
	if len(bundle) > 300<<10 {
		t.Errorf("the bundle has %d bytes", len(bundle))
	}
}

// threeHundred is a file of 300 lines, about 9 KB.
func threeHundred() []byte {
	b, _ := os.ReadFile("testdata/corpus/service.js")
	lines := strings.SplitAfter(string(b), "\n")
	head, body := lines[:4], strings.Join(lines[5:len(lines)-2], "")
	var out strings.Builder
	out.WriteString(strings.Join(head, ""))
	for i := 0; strings.Count(out.String(), "\n") < 300; i++ {
		out.WriteString("{\n" + strings.NewReplacer("export ", "", "{ Basket, audit as check, handlers };", "").Replace(body) + "}\n")
	}
	return []byte(out.String())
}

// BenchmarkStart is what one command pays: the start of the engine and one file.
func BenchmarkStart(b *testing.B) {
	source := threeHundred()
	run := func(b *testing.B, start func() Engine) {
		for b.Loop() {
			e := start()
			if _, err := Parse(b.Context(), e, source, ESModule); err != nil {
				b.Fatal(err)
			}
			e.Close()
		}
	}
	b.Run("goja", func(b *testing.B) {
		run(b, func() Engine {
			compiled = sync.OnceValues(compile)
			return NewGoja()
		})
	})
	b.Run("node", func(b *testing.B) {
		node(b)
		run(b, func() Engine { return node(b) })
	})
}

// BenchmarkParse is a further file of a run, with 300 lines.
func BenchmarkParse(b *testing.B) {
	source := threeHundred()
	for _, e := range []Engine{shared, node(b)} {
		b.Run(e.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				if _, err := Parse(b.Context(), e, source, ESModule); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A file that takes too long is said with the way out, and without a place in the bundle.
func TestGojaGivesUp(t *testing.T) {
	g := NewGoja()
	g.limit = time.Millisecond
	_, err := g.Parse(t.Context(), strings.Repeat("a(b);\n", 20_000), ESModule)
	if want := "goja could not parse: it took more than 10s; with node 18 or later on PATH that parses, which is faster"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
