package coordinator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/instrument"
	"aburn/instrument/provider"
	"aburn/internal/lab/world"
)

// crowd is a planner that answers the first questions together, that about the last file first.
type crowd struct {
	planner
	together int // how many it waits for; then it answers each at once
	mu       sync.Mutex
	out      []string // paths
	most     int
	all      chan struct{} // closed when they are together
	order    []string      // of answers
}

func (c *crowd) Complete(ctx context.Context, r provider.Request) (provider.Response, error) {
	path := asksAbout.FindStringSubmatch(r.Turns[0].Text)[1]
	c.mu.Lock()
	c.out = append(c.out, path)
	c.most = max(c.most, len(c.out))
	waits := c.together > 0
	if len(c.out) == c.together {
		close(c.all)
		c.together = 0
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.out = slices.DeleteFunc(c.out, func(s string) bool { return s == path })
		c.order = append(c.order, path)
	}()
	if waits {
		select {
		case <-c.all:
			c.last(path)
		case <-time.After(2 * time.Minute):
			return provider.Response{}, errors.New("nobody else asked")
		case <-ctx.Done():
			return provider.Response{}, ctx.Err()
		}
	}
	return c.planner.Complete(ctx, r)
}

// last waits until the questions about later files are answered, in whatever order all came.
func (c *crowd) last(path string) {
	for range 120_000 {
		c.mu.Lock()
		latest := slices.Max(c.out) == path
		c.mu.Unlock()
		if latest {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestQuestionsAtOnce: as many as the configuration says are out, never more; commits and results keep the files' order, and
// are those of a run that asks one after the other.
func TestQuestionsAtOnce(t *testing.T) {
	world.SlowUnraced(t)
	one := newProject(t, 6, nil)
	one.run(one.options(&planner{}), Callbacks{})
	p := newProject(t, 6, nil)
	p.config.Concurrency = 3
	c := &crowd{together: 3, all: make(chan struct{})}
	r := p.run(p.options(c), Callbacks{})
	if r.Succeeded != 6 || c.most != 3 || len(c.asked) != 6 || r.Calls != 6 || !slices.IsSorted(paths(r)) {
		t.Errorf("%d at once, asked %v; %+v", c.most, c.asked, r)
	}
	if want := []string{"src/f2.mjs", "src/f1.mjs", "src/f0.mjs"}; !slices.Equal(c.order[:3], want) {
		t.Errorf("answered in the order %v, and %v comes first", c.order, want)
	}
	if got, want := p.git("log", "--format=%s%n%b", "main..HEAD"), one.git("log", "--format=%s%n%b", "main..HEAD"); got != want {
		t.Errorf("the branch has\n%s\nand should have\n%s", got, want)
	}
	for _, name := range append(paths(r), "telemetry/aburn-spans.yaml") {
		if p.read(name) != one.read(name) {
			t.Errorf("%s is\n%s", name, p.read(name))
		}
	}
}

func paths(r *Result) (list []string) {
	for _, f := range r.Files {
		list = append(list, f.Path)
	}
	return list
}

// TestWholeFilesAreAskedForInTurn, whatever concurrency says.
func TestWholeFilesAreAskedForInTurn(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 3, nil)
	p.config.Concurrency, p.config.Mode = 3, Rewrite
	c := &crowd{}
	if r := p.run(p.options(c), Callbacks{}); c.most != 1 || r.Succeeded != 3 ||
		!slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "concurrency counts in mode plan") }) {
		t.Errorf("%d at once, %+v", c.most, r)
	}
}

// TestWhatIsOutCountsInTheBudget: questions at once cannot take more than the ceiling together.
func TestWhatIsOutCountsInTheBudget(t *testing.T) {
	world.SlowUnraced(t)
	p := newProject(t, 4, nil)
	p.config.Concurrency, p.config.MaxTokensPerRun = 4, 10_000 // two questions that could take about 4,500 tokens each
	c := &crowd{planner: planner{say: map[string][]provider.Answer{}}}
	for i := range 4 {
		path, _ := work(i)
		c.say[path] = []provider.Answer{{Response: provider.Response{JSON: goodPlan(path).JSON, Usage: provider.Usage{Input: 3000}}}}
	}
	r := p.run(p.options(c), Callbacks{})
	if c.most > 2 || len(c.asked) != 2 || r.Usage.Total() > 10_000 || r.Succeeded != 2 ||
		!strings.Contains(r.Stopped, "the ceiling of 10000 tokens: 6000 were used") {
		t.Errorf("%d at once, asked %v, %d tokens, stopped %q", c.most, c.asked, r.Usage.Total(), r.Stopped)
	}
}

// TestAProviderThatIsBusyForACrowd is asked alone, with patience, and nobody is paid for nothing.
func TestAProviderThatIsBusyForACrowd(t *testing.T) {
	world.SlowUnraced(t)
	p := newProject(t, 3, nil)
	p.config.Concurrency = 3
	m := &planner{say: map[string][]provider.Answer{}}
	for i := range 3 {
		path, _ := work(i)
		m.say[path] = []provider.Answer{{Err: &provider.RateError{After: time.Minute}}, {Response: goodPlan(path)}}
	}
	r := p.run(p.options(m), Callbacks{})
	if r.Succeeded != 3 || r.Calls != 3 || r.Usage.Total() != 360 || r.Files[2].Calls != 1 || r.Files[2].Attempts != 1 {
		t.Errorf("%+v", r)
	}
}

// TestWhatIsOutWhenARunStops is waited for and paid for once: the run that goes on has the answers.
func TestWhatIsOutWhenARunStops(t *testing.T) {
	world.SlowUnraced(t)
	p := newProject(t, 4, nil)
	p.config.Concurrency = 3
	c := &crowd{together: 3, all: make(chan struct{}), planner: planner{say: map[string][]provider.Answer{first: {{Err: provider.ErrAuth}}}}}
	r := p.run(p.options(c), Callbacks{})
	if r.Stopped == "" || len(r.Files) != 0 || r.Calls != 3 {
		t.Fatalf("%+v", r)
	}
	again := &planner{}
	r = p.run(p.options(again), Callbacks{})
	slices.Sort(again.asked)
	if got := strings.Join(again.asked, " "); got != "src/f0.mjs src/f3.mjs" || r.Succeeded != 4 {
		t.Errorf("asked %s; %+v", got, r)
	}
}

// TestAFileThatChangesWhileItsQuestionIsOut is left alone.
func TestAFileThatChangesWhileItsQuestionIsOut(t *testing.T) {
	world.SlowUnraced(t)
	p := newProject(t, 3, nil)
	p.config.Concurrency = 3
	path, text := work(2)
	r := p.run(p.options(&planner{}), Callbacks{OnFile: func(_ *File, i, _ int) {
		if i == 0 {
			p.write(path, text+"// mine\n")
		}
	}})
	if r.Succeeded != 2 || r.Files[2].Status != instrument.Failed || p.read(path) != text+"// mine\n" {
		t.Errorf("%+v", r.Files[2].FileResult)
	}
}
