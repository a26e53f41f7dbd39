package main

import (
	"fmt"
	"os"
	"path/filepath"

	"aburn/internal/journal"
)

// newEntries is how many entries a look finds new.
const newEntries = 1000

// lookCase times `aburn supervisor` on a big log of which it has read all but the last entries. Before each round the
// state of that time is put back.
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
	pg.section("One check",
		fmt.Sprintf("`aburn supervisor` on a log of %d MB. An earlier check has read all but the last %d entries.", pg.bigLog>>20, newEntries))
	pg.table("process", "median", "against `aburn --version`", "bound")
	pg.row("`aburn --version`", ms(median(t[0])), "1.00 ×", "")
	pg.bounded(ratio(median(t[1]), median(t[0])), 1.5, false, "one check", ms(median(t[1])))
	pg.section("The memory of a replay",
		"Peak memory of `aburn supervisor` without an earlier check, when it reads the whole log. Run the bench with `-log 10737418240` for 10 GB.")
	pg.table("log", "peak", "bound")
	for i, size := range sizes {
		verdict := ""
		if peaks[i] > maxReplay {
			verdict = missed
		}
		pg.row(fmt.Sprintf("%d MB", size>>20), fmt.Sprintf("%d MB", peaks[i]>>20), fmt.Sprintf("≤ %d MB%s", maxReplay>>20, verdict))
	}
	return nil
}

// maxReplay is how much memory a replay may need, however long the log.
const maxReplay = 64 << 20

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
