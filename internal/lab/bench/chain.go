package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// chainCase times `aburn chain` on logs of different size: a hit equally far
// from the end, and a miss, which is bounded to 64 MiB.
func chainCase(w *world, pg *page) error {
	type size struct {
		name  string
		bytes int64
	}
	var hits, misses []*process
	for _, s := range []size{{"1 MB", 1 << 20}, {"64 MB", min(64<<20, pg.bigLog)}, {"big", pg.bigLog}} {
		dir := w.path("chain-" + s.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := w.aburn("-C", dir, "init"); err != nil {
			return err
		}
		if err := writeLog(filepath.Join(dir, ".oss", "workflow.log"), s.bytes, true); err != nil {
			return err
		}
		hit := w.process("hit "+s.name, w.bin("aburn"), "-C", dir, "chain", "plan")
		miss := w.process("miss "+s.name, w.bin("aburn"), "-C", dir, "chain", "ship")
		miss.exits = []int{1}
		hits, misses = append(hits, hit), append(misses, miss)
	}
	defer func() { // a gigabyte
		os.RemoveAll(w.path("chain-big"))
	}()
	hit, err := race(max(pg.rounds/4, 1), hits[0], hits[2])
	if err != nil {
		return err
	}
	miss, err := race(min(max(pg.rounds/20, 7), pg.rounds), misses[1], misses[2])
	if err != nil {
		return err
	}
	big := fmt.Sprintf("%d MB", pg.bigLog>>20)
	pg.section("aburn chain",
		"The hit is `aburn chain plan`, with its last COMPLETE 100 KB before the end. The miss is `aburn chain ship`, which is never there: it reads the last "+
			"64 MiB of a file that was never rotated.")
	pg.table("call", "log", "median", "ratio", "bound")
	pg.row("hit", "1 MB", ms(median(hit[0])), "1.00 ×", "")
	pg.bounded(ratio(median(hit[1]), median(hit[0])), 1.3, false, "hit", big, ms(median(hit[1])))
	pg.row("miss", "64 MB", ms(median(miss[0])), "1.00 ×", "")
	pg.bounded(ratio(median(miss[1]), median(miss[0])), 1.3, false, "miss", big, ms(median(miss[1])))
	return nil
}
