package jsast

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/dop251/goja"
)

//go:embed bundle/jsast.js
var bundle string

// Timeout is how long an engine may take for one file.
const Timeout = 10 * time.Second

// Engine runs the bundle. It may be used by several goroutines.
type Engine interface {
	// Name says which engine it is: "goja" or "node".
	Name() string
	// Parse answers with the bundle's JSON. The error is an *EngineError, or
	// the context's.
	Parse(ctx context.Context, source string, t SourceType) ([]byte, error)
	// Close ends what the engine started. It may be called twice.
	Close() error
}

// EngineError says that an engine failed. It says nothing of the file.
type EngineError struct {
	Engine string
	Err    error
}

func (e *EngineError) Error() string { return fmt.Sprintf("%s could not parse: %v", e.Engine, e.Err) }
func (e *EngineError) Unwrap() error { return e.Err }

// Start gives node where node 18 or later is on PATH, and goja elsewhere.
func Start(ctx context.Context) Engine {
	if node, err := StartNode(ctx); err == nil {
		return node
	}
	return NewGoja()
}

// gojaStack bounds the calls in calls: goja itself has no bound, and a Go stack
// that overflows ends the process. The bundle's own bounds come long before.
const gojaStack = 20_000

var compiled = sync.OnceValues(compile)

func compile() (*goja.Program, error) { return goja.Compile("jsast.js", bundle, true) }

// gojaRuntimes bounds how many files goja parses at once. A runtime holds some 20 MB while it parses.
const gojaRuntimes = 4

// Goja runs the bundle in this process. It is the reference.
type Goja struct {
	slots chan struct{} // one for each file that is being parsed
	limit time.Duration // for one file: Timeout, but in a test
	mu    sync.Mutex
	idle  []*gojaRuntime // the last one used is the next: files one by one need only one runtime
}

type gojaRuntime struct {
	vm    *goja.Runtime
	parse goja.Callable
}

// NewGoja costs nothing; the first file pays for the start, and so does each file
// that is parsed beside another.
func NewGoja() *Goja {
	return &Goja{slots: make(chan struct{}, min(runtime.GOMAXPROCS(0), gojaRuntimes)), limit: Timeout}
}

func (g *Goja) Name() string { return "goja" }

func (g *Goja) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle = nil
	return nil
}

func (g *Goja) Parse(ctx context.Context, source string, t SourceType) ([]byte, error) {
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-g.slots }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := g.take()
	if err != nil {
		return nil, &EngineError{g.Name(), err}
	}
	answer, err := r.run(ctx, g.limit, source, t)
	switch {
	case err == nil:
		g.put(r)
		return answer, nil
	case ctx.Err() != nil: // a runtime that was interrupted is not used again
		return nil, ctx.Err()
	}
	var stopped *goja.InterruptedError
	if errors.As(err, &stopped) { // where in the bundle it was tells nobody anything
		err = fmt.Errorf("%w; with node 18 or later on PATH that parses, which is faster", errTimeout)
	}
	return nil, &EngineError{g.Name(), err}
}

func (g *Goja) take() (*gojaRuntime, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last := len(g.idle) - 1; last >= 0 {
		r := g.idle[last]
		g.idle = g.idle[:last]
		return r, nil
	}
	return newGojaRuntime()
}

func (g *Goja) put(r *gojaRuntime) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle = append(g.idle, r)
}

var errTimeout = fmt.Errorf("it took more than %v", Timeout)

func newGojaRuntime() (*gojaRuntime, error) {
	program, err := compiled()
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(gojaStack)
	if _, err := vm.RunProgram(program); err != nil {
		return nil, err
	}
	parse, ok := goja.AssertFunction(vm.Get("aburnParse"))
	if !ok {
		return nil, errors.New("the bundle has no aburnParse")
	}
	return &gojaRuntime{vm, parse}, nil
}

func (r *gojaRuntime) run(ctx context.Context, limit time.Duration, source string, t SourceType) ([]byte, error) {
	within, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	// The interrupt may come after the answer, so it is cleared only when it cannot come any more.
	stopped := make(chan struct{})
	stop := context.AfterFunc(within, func() {
		r.vm.Interrupt(context.Cause(within))
		close(stopped)
	})
	answer, err := r.parse(goja.Undefined(), r.vm.ToValue(source), r.vm.ToValue(string(t)))
	if !stop() {
		<-stopped
	}
	r.vm.ClearInterrupt()
	if err != nil {
		return nil, err
	}
	return []byte(answer.String()), nil
}
