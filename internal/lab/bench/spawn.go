package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// process is one contender: an executable, its arguments and its input, which
// may differ from round to round. A call's id must differ, or the log would
// rightly drop the second call as a repeat.
type process struct {
	name  string
	path  string
	args  []string
	env   []string
	dir   string
	input func(round int) string // file for standard input; nil = /dev/null
	exits []int                  // accepted exit codes; nil = 0
}

// cost is a process's wall time from before fork to after wait, its processor time, and its peak memory in bytes.
type cost struct {
	wall, cpu time.Duration
	peak      int64
}

// once runs p and returns its wall time.
func (p *process) once(round int) (time.Duration, error) {
	c, err := p.cost(round)
	return c.wall, err
}

// cost runs p. The standard streams are files, so that no goroutine of ours takes part.
func (p *process) cost(round int) (cost, error) {
	in := os.DevNull
	if p.input != nil {
		in = p.input(round)
	}
	stdin, err := os.Open(in)
	if err != nil {
		return cost{}, err
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return cost{}, err
	}
	defer null.Close()
	attr := &os.ProcAttr{Dir: p.dir, Env: p.env, Files: []*os.File{stdin, null, null}}
	start := time.Now()
	child, err := os.StartProcess(p.path, append([]string{p.path}, p.args...), attr)
	if err != nil {
		return cost{}, err
	}
	state, err := child.Wait()
	wall := time.Since(start)
	if err != nil {
		return cost{}, err
	}
	if code := state.ExitCode(); code != 0 && !slices.Contains(p.exits, code) {
		return cost{}, fmt.Errorf("%s: exit %d", p.name, code)
	}
	return cost{wall, state.UserTime() + state.SystemTime(), maxResident(state.SysUsage())}, nil
}

// race runs the contenders in turn, rounds times after one warm-up, and returns
// the sorted wall times of each.
func race(rounds int, ps ...*process) ([][]time.Duration, error) { return heats(rounds, 1, ps...) }

// heats is race with size counted runs of a contender in a row, after one that is
// not counted: a contender that is fifty times larger than another would leave it
// nothing of the processor's caches.
func heats(rounds, size int, ps ...*process) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(ps))
	for r := range rounds + 1 {
		for i, p := range ps {
			for n := range size + min(size-1, 1) {
				d, err := p.once((r*len(ps)+i)*(size+1) + n)
				if err != nil {
					return nil, err
				}
				if r > 0 && (size == 1 || n > 0) {
					times[i] = append(times[i], d)
				}
			}
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	return times, nil
}

func median(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }
