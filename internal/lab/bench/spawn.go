package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

// process is one contender: an executable, its arguments and its input, which
// may differ from round to round. A call's id must differ, or the log would
// rightly drop the second call as a repeat.
type process struct {
	name   string
	path   string
	args   []string
	env    []string
	dir    string
	before func(round int) error  // what precedes a run and is not timed; nil = nothing
	input  func(round int) string // file whose content goes to standard input, a pipe; nil = /dev/null
	exits  []int                  // accepted exit codes; nil = 0
	pause  time.Duration          // between before and the start
}

// cost is a process's wall time from before fork to after wait, its processor time, and its peak memory in bytes.
type cost struct {
	wall, cpu time.Duration
	peak      int64
}

// once runs p and returns its wall time.
func (p *process) once(round int) (time.Duration, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	wall, err := p.launch(round, null, p.path, p.args...)
	return wall, err
}

// cost runs p, which a small process of its own starts: the system counts what the starter of a process has as a part of
// its peak, and this one has much.
func (p *process) cost(round int) (c cost, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	said, out, err := os.Pipe()
	if err != nil {
		return c, err
	}
	defer said.Close()
	_, err = p.launch(round, out, self, append([]string{aside, p.path}, p.args...)...)
	out.Close()
	if err != nil {
		return c, err
	}
	_, err = fmt.Fscan(said, &c.wall, &c.cpu, &c.peak)
	return c, err
}

// launch runs an executable as p. Its input comes as from an agent: through a pipe, right after the start. No goroutine of
// ours takes part.
func (p *process) launch(round int, stdout *os.File, path string, args ...string) (time.Duration, error) {
	if p.before != nil {
		if err := p.before(round); err != nil {
			return 0, err
		}
	}
	stdin, feed, err := p.stdin(round)
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	attr := &os.ProcAttr{Dir: p.dir, Env: p.env, Files: []*os.File{stdin, stdout, null}}
	time.Sleep(p.pause)
	start := time.Now()
	child, err := os.StartProcess(path, append([]string{path}, args...), attr)
	if err != nil {
		return 0, err
	}
	feed(stdin)
	state, err := child.Wait()
	wall := time.Since(start)
	if err != nil {
		return 0, err
	}
	if code := state.ExitCode(); code != 0 && !slices.Contains(p.exits, code) {
		return 0, fmt.Errorf("%s: exit %d", p.name, code)
	}
	return wall, nil
}

// aside is the first argument of a process that starts another one, tells what it took, and exits as it did.
const aside = "aside"

// runAside is that process.
func runAside(path string, args []string) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	exitOn(err)
	start := time.Now()
	child, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{Files: []*os.File{os.Stdin, null, null}})
	exitOn(err)
	os.Stdin.Close()
	state, err := child.Wait()
	wall := time.Since(start)
	exitOn(err)
	fmt.Println(int64(wall), int64(state.UserTime()+state.SystemTime()), maxResident(state.SysUsage()))
	os.Exit(state.ExitCode())
}

// stdin opens p's standard input. feed is to be called when p has started: it closes our copy of the pipe's reading
// end, and writes. A contender that does not read is no error.
func (p *process) stdin(round int) (in *os.File, feed func(*os.File), err error) {
	if p.input == nil {
		in, err = os.Open(os.DevNull)
		return in, func(*os.File) {}, err
	}
	data, err := os.ReadFile(p.input(round))
	if err != nil {
		return nil, nil, err
	}
	in, out, err := os.Pipe()
	return in, func(in *os.File) {
		in.Close()
		out.Write(data)
		out.Close()
	}, err
}

// race runs the contenders in turn, rounds times after one warm-up, and returns
// the sorted wall times of each.
func race(rounds int, ps ...*process) ([][]time.Duration, error) { return heats(rounds, 1, 0, ps...) }

// heats is race with size counted runs of a contender in a row, after one that is
// not counted: a contender that is fifty times larger than another would leave it
// nothing of the processor's caches. Each round has an order of its own, so that
// nobody always runs after the same one. pause precedes each run.
func heats(rounds, size int, pause time.Duration, ps ...*process) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(ps))
	shuffle := rand.New(rand.NewPCG(uint64(rounds), uint64(len(ps))))
	for r := range rounds + 1 {
		for _, i := range shuffle.Perm(len(ps)) {
			p := ps[i]
			for n := range size + min(size-1, 1) {
				p.pause = pause
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
