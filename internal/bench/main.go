// Command bench times whole processes of aburn against an empty Go process, the
// same hook in Python and Node, and `wc -l`, in one run, and writes the medians
// and their ratios as docs/benchmarks.md.
//
// Ratios, not microseconds, are what the page promises: the contenders of a case
// run in turn, round by round, so that a slow minute of the machine hits all.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) == 3 && replayMode(os.Args[1]) {
		exitOn(replay(os.Args[1], os.Args[2]))
		return
	}
	out := flag.String("o", "", "write the page to `FILE` as well as to standard output")
	rounds := flag.Int("n", 200, "rounds of each short process")
	bigLog := flag.Int64("log", 1<<30, "size of the big log in bytes")
	only := flag.String("only", "", "run only the case with this `NAME`: hook, burst, chain, replay, look, prompt, watch")
	flag.Parse()
	exitOn(bench(*rounds, *bigLog, *only, *out))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench runs the cases and writes the page.
func bench(rounds int, bigLog int64, only, out string) error {
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.close()
	pg := newPage(rounds, bigLog)
	for _, c := range []struct {
		name string
		run  func(*world, *page) error
	}{{"hook", hookCase}, {"burst", burstCase}, {"chain", chainCase}, {"replay", replayCase}, {"look", lookCase}, {"prompt", promptCase}, {"watch", watchCase}} {
		if only != "" && only != c.name {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s …\n", c.name)
		if err := c.run(w, pg); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	text := pg.String()
	fmt.Print(text)
	if out == "" || only != "" {
		return nil
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
