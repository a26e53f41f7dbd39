//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const burstSize = 128

// burstCase starts 128 processes at once and looks at the slowest ones.
func burstCase(w *world, pg *page) error {
	if err := writeLog(filepath.Join(w.project, ".oss", "workflow.log"), 1<<20, false); err != nil {
		return err
	}
	reps := min(15, pg.rounds)
	empty, hook := w.process("empty", w.bin("empty")), w.hookProcess("PostToolUse", 1000)
	var p50, p99 [2][]time.Duration
	for rep := range reps + 1 {
		for i, p := range []*process{empty, hook} {
			t, err := burst(p, 2_000_000+rep*burstSize)
			if err != nil {
				return err
			}
			if rep > 0 {
				p50[i], p99[i] = append(p50[i], median(t)), append(p99[i], t[len(t)*99/100])
			}
		}
	}
	for i := range p50 {
		slices.Sort(p50[i])
		slices.Sort(p99[i])
	}
	pg.section("128 hooks at once",
		fmt.Sprintf("All start before the first is waited for, and append to one log. Medians of the p50 and p99 of %d bursts of each, in turn.",
			reps))
	pg.table("128 ×", "p50", "p99", "p99 against empty", "bound")
	pg.row("an empty Go process", ms(median(p50[0])), ms(median(p99[0])), "1.00 ×", "")
	pg.bounded(ratio(median(p99[1]), median(p99[0])), 1.6, false, "aburn-hook, tool call, 1 KB", ms(median(p50[1])), ms(median(p99[1])))
	return nil
}

// burst starts burstSize processes and returns how long each lived, sorted.
func burst(p *process, first int) ([]time.Duration, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	inputs := make([]*os.File, burstSize)
	for i := range inputs {
		inputs[i] = null
		if p.input != nil {
			if inputs[i], err = os.Open(p.input(first + i)); err != nil {
				return nil, err
			}
			defer inputs[i].Close()
		}
	}
	started := make(map[int]time.Time, burstSize)
	for i := range burstSize {
		at := time.Now()
		pid, err := syscall.ForkExec(p.path, append([]string{p.path}, p.args...), &syscall.ProcAttr{
			Dir: p.dir, Env: p.env, Files: []uintptr{inputs[i].Fd(), null.Fd(), null.Fd()}})
		if err != nil {
			return nil, err
		}
		started[pid] = at
	}
	var lived []time.Duration
	for len(started) > 0 {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if status.ExitStatus() != 0 {
			return nil, fmt.Errorf("%s: exit %d", p.name, status.ExitStatus())
		}
		lived = append(lived, time.Since(started[pid]))
		delete(started, pid)
	}
	slices.Sort(lived)
	return lived, nil
}
