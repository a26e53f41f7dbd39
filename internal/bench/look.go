package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"aburn/internal/journal"
)

// newEntries is how many entries a look finds new.
const newEntries = 1000

// lookCase times `aburn supervisor` on a big log of which it has read all but the last entries. Before each round the state
// of that time is put back.
func lookCase(w *world, pg *page) error {
	dir := w.path("look")
	oss := filepath.Join(dir, ".oss")
	if err := w.projectIn(dir, `{"log":{"rotate":"64GiB"}}`); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(oss, journal.Name)
	work, err := writeWork(log, pg.bigLog)
	if err != nil {
		return err
	}
	look := w.process("look", w.bin("aburn"), "-C", dir, "supervisor")
	look.exits = []int{1} // something critical
	peak, err := peakOf(look)
	if err != nil {
		return err
	}
	state := filepath.Join(oss, "workflow-state.json")
	before, err := os.ReadFile(state)
	if err != nil {
		return err
	}
	if err := work.more(log, newEntries); err != nil {
		return err
	}
	look.input = func(int) string {
		if err := os.WriteFile(state, before, 0o600); err != nil {
			panic(err)
		}
		return os.DevNull
	}
	t, err := race(pg.rounds, w.process("version", w.bin("aburn"), "--version"), look)
	if err != nil {
		return err
	}
	pg.section("One look", fmt.Sprintf("`aburn supervisor` as a whole process, on a log of %d MB of which all but the last %d entries were folded by an earlier look, against a process that only says its version.", pg.bigLog>>20, newEntries))
	pg.table("process", "median", "against `aburn --version`", "bound")
	pg.row("`aburn --version`", ms(median(t[0])), "1.00 ×", "")
	pg.bounded(ratio(median(t[1]), median(t[0])), 1.5, false, whyLook, "one look", ms(median(t[1])))
	pg.why()
	fmt.Fprintf(&pg.b, "\nThe first look, which folds all of the log, needs %d MB of memory at most (bound: 64 MB, however long the log).\n", peak>>20)
	return nil
}

const whyLook = "the look starts the same executable, then reads the state, a thousand entries and the clock of each process that a session names, and writes the state back."

// projectIn makes a project of its own with settings.
func (w *world) projectIn(dir, settings string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := w.aburn("-C", dir, "init"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".oss", "settings.json"), []byte(settings), 0o600)
}

// peakOf runs p once and returns the most memory that it had, in bytes; 0 where the system does not say.
func peakOf(p *process) (int64, error) {
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if err := cmd.Run(); err != nil && !slices.Contains(p.exits, cmd.ProcessState.ExitCode()) {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	return maxResident(cmd.ProcessState.SysUsage()), nil
}
