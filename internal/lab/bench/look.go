package main

import (
	"fmt"
	"os"
	"path/filepath"

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
	log, state := filepath.Join(oss, journal.Name), filepath.Join(oss, "workflow-state.json")
	look := w.process("look", w.bin("aburn"), "-C", dir, "supervisor")
	look.exits = []int{1} // something critical
	sizes, peaks := []int64{min(16<<20, pg.bigLog), pg.bigLog}, []int64{}
	var work *project
	for _, size := range sizes {
		os.Remove(state)
		var err error
		if work, err = writeWork(log, size); err != nil {
			return err
		}
		peak, err := peakOf(look)
		if err != nil {
			return err
		}
		peaks = append(peaks, peak)
	}
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
	pg.section("The memory of a replay", "`aburn supervisor` without an earlier look, which folds all of the log: the most memory that the process had. Run with `-log 10737418240` for 10 GB.")
	pg.table("log", "peak", "bound")
	for i, size := range sizes {
		verdict := "met"
		if peaks[i] > maxReplay {
			verdict = "**missed**"
		}
		pg.row(fmt.Sprintf("%d MB", size>>20), fmt.Sprintf("%d MB", peaks[i]>>20), fmt.Sprintf("≤ %d MB: %s", maxReplay>>20, verdict))
	}
	return nil
}

// maxReplay is how much memory a replay may need, however long the log.
const maxReplay = 64 << 20

const whyLook = "a look that finds nothing new takes about 1.4 × already: beside the start of the executable there are the project, its settings and key, the queue's lock, and the stored state of 80 KB. To parse, check and fold a thousand entries, 450 KB, takes about as long as `aburn --version`, because a process that has just begun pays 3 to 4 µs for each and for every new page; garbage is not collected, and neither GOGC nor one processor change anything. To encode the state and to replace its file takes another 0.3 ×. What judging costs does not show."

// projectIn makes a project of its own with settings.
func (w *world) projectIn(dir, settings string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := w.aburn("-C", dir, "init", "--here"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".oss", "settings.json"), []byte(settings), 0o600)
}

// peakOf runs p once and returns the most memory that it had, in bytes; 0 where the system does not say.
func peakOf(p *process) (int64, error) {
	c, err := p.cost(0)
	return c.peak, err
}
