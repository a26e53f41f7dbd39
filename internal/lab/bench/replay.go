package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"aburn/internal/journal"
	"aburn/logfmt"
)

// replay reads the whole log of the .oss folder dir and prints how many of its
// entries are tool calls: by the routing fields alone, or from whole entries.
func replay(mode, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	log, tools := journal.New(root, journal.Options{}), 0
	if mode == "replay-routing" {
		for r, err := range log.Headers(journal.Position{}) {
			if err != nil {
				return err
			}
			if string(r.Value.Event) == string(logfmt.Tool) {
				tools++
			}
		}
	} else {
		for r, err := range log.Entries(journal.Position{}) {
			if err != nil {
				return err
			}
			if r.Value.Event == logfmt.Tool {
				tools++
			}
		}
	}
	fmt.Println(tools)
	return nil
}

// replayCase compares a replay of the log with counting its lines.
func replayCase(w *world, pg *page) error {
	oss := w.path("replay/.oss")
	if err := os.MkdirAll(oss, 0o700); err != nil {
		return err
	}
	log := filepath.Join(oss, "workflow.log")
	size := min(pg.bigLog, 256<<20)
	if err := writeLog(log, size, false); err != nil {
		return err
	}
	defer os.Remove(log)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	wc, err := exec.LookPath("wc")
	if err != nil {
		return err
	}
	wcProc := w.process("wc -l", wc, "-l", log)
	single := w.process("routing", self, "replay-routing", oss)
	single.env = append(slices.Clone(w.env), "GOMAXPROCS=1")
	t, err := race(min(11, pg.rounds), wcProc, single, w.process("routing", self, "replay-routing", oss), w.process("fields", self, "replay-fields", oss))
	if err != nil {
		return err
	}
	pg.section("Replay", fmt.Sprintf("A log of %d MB in the page cache, read from its first byte to its last through `internal/journal`, against `wc -l`.",
		size>>20))
	pg.table("process", "median", "speed against `wc -l`", "bound")
	pg.row("`wc -l`", ms(median(t[0])), "1.00 ×", "")
	pg.row("replay, routing fields, on one processor", ms(median(t[1])), fmt.Sprintf("%.2f ×", ratio(median(t[0]), median(t[1]))), "")
	pg.bounded(ratio(median(t[0]), median(t[2])), 0.7, true, "replay, routing fields", ms(median(t[2])))
	pg.bounded(ratio(median(t[0]), median(t[3])), 0.15, true, "replay, all fields", ms(median(t[3])))
	return nil
}
