package coordinator

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"aburn/instrument/record"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/scrub"
)

// Bounds of a run of the project's tests.
const (
	testTime  = 30 * time.Minute
	quickTest = time.Minute // tests that take longer run at the end only
	maxNames  = 200
)

// baseline runs the tests before anything changes: only what is worse later counts.
func (r *runner) baseline(ctx context.Context) error {
	s := r.book.state
	if s.Baseline != nil {
		return nil
	}
	if len(r.o.Tests) == 0 {
		return r.warn("no test command is permitted: nothing shows whether the code still works")
	}
	t, err := r.test(ctx)
	if err != nil {
		return err
	}
	if t.Exit != 0 {
		text := "the tests were red before the run: only tests that fail anew count"
		if len(t.Failed) == 0 {
			text = "the tests were red before the run, and do not tell their names: they can judge nothing"
		}
		if err := r.warn("%s", text); err != nil {
			return err
		}
	}
	return r.book.write(entry{Kind: kBaseline, Tests: t})
}

// test runs the project's tests once. A command that does not end in time failed.
func (r *runner) test(ctx context.Context) (*Tests, error) {
	start := r.o.Now()
	said, err := record.Plain(ctx, record.Options{Argv: r.o.Tests, Dir: r.o.Dir, Environ: r.o.Environ, Timeout: testTime})
	if err != nil && !errors.Is(err, run.ErrTimeout) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &stop{"the tests do not start: " + err.Error()}
	}
	t := &Tests{Exit: said.Code, Failed: failedNames(append(said.Stdout, said.Stderr...)), Millis: r.o.Now().Sub(start).Milliseconds()}
	if err != nil {
		t.Exit = -1
	}
	if t.Exit == 0 {
		t.Failed = []string{}
	}
	return t, nil
}

var (
	escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	// Lines by which runners tell a test that failed: TAP, node's spec reporter, jest and
	// vitest, mocha's list.
	failedForm = regexp.MustCompile(`^\s*(?:not ok \d+ -?|[✖✕×✗]|\d+\)|FAIL)\s+(.+)$`)
	tookForm   = regexp.MustCompile(`\s+\(?\d[\d.]*\s?m?s\)?$`)
)

// failedNames are the tests that the output says failed, without times.
func failedNames(out []byte) []string {
	names := []string{}
	for line := range strings.Lines(escapes.ReplaceAllString(string(out), "")) {
		m := failedForm.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		name, _ := scrub.Text(tookForm.ReplaceAllString(m[1], ""))
		name = plain.OneLine(name, 200)
		if name != "" && !slices.Contains(names, name) && len(names) < maxNames {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// worse says whether tests are less green than before the run.
func (r *runner) worse(t *Tests) bool {
	before := r.book.state.Baseline
	switch {
	case t.Exit == 0:
		return false
	case before == nil || before.Exit == 0:
		return true
	case len(before.Failed) == 0:
		return false // red before, and nothing tells which
	}
	return slices.ContainsFunc(t.Failed, func(name string) bool { return !slices.Contains(before.Failed, name) })
}

// again runs the tests, and a second time where they are worse: a network that was
// slow once is nobody's fault.
func (r *runner) again(ctx context.Context) (*Tests, error) {
	t, err := r.test(ctx)
	if err != nil || !r.worse(t) {
		return t, err
	}
	t, err = r.test(ctx)
	if err == nil {
		t.Repeated = true
	}
	return t, err
}
