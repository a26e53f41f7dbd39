// Command bench times whole processes of aburn against an empty Go process, the
// same hook in Python and Node, and `wc -l`, in one run, and writes the medians
// and their ratios as docs/evidence/benchmarks.md.
//
// The page promises ratios, not microseconds: the contenders of a case run round by
// round, in a new order each, so that a slow minute of the machine hits all.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	if contender(os.Args) {
		return
	}
	out := flag.String("o", "", "write the page to `FILE` as well as to standard output")
	rounds := flag.Int("n", 200, "rounds of each short process")
	bigLog := flag.Int64("log", 1<<30, "size of the big log in bytes")
	only := flag.String("only", "",
		"run only the case with this `NAME`: hook, burst, chain, replay, look, prompt, watch, store, transcripts, insight, search, instrument, workers")
	flag.Parse()
	exitOn(bench(newPage(*rounds, *bigLog, false), *only, *out))
}

// contender runs this process as a contender of a case, if it is started as one.
func contender(args []string) bool {
	if len(args) > 2 && args[1] == aside {
		runAside(args[2], args[3:])
	}
	if len(args) != 3 {
		return false
	}
	switch args[1] {
	case "replay-routing", "replay-fields":
		exitOn(replay(args[1], args[2]))
	case "read-traces":
		exitOn(readTraces(args[2], 1))
	case "read-traces-at-once":
		exitOn(readAsIngest(args[2]))
	case "decode-json":
		exitOn(decodeAll(args[2]))
	default:
		return false
	}
	return true
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench runs the cases and writes the page.
func bench(pg *page, only, out string) error {
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.close()
	for _, c := range []struct {
		name string
		run  func(*world, *page) error
	}{{"hook", hookCase}, {"burst", burstCase}, {"chain", chainCase}, {"replay", replayCase}, {"look", lookCase}, {"prompt", promptCase}, {"watch", watchCase},
		{"store", storeCase}, {"transcripts", transcriptsCase}, {"insight", insightCase}, {"search", searchCase}, {"instrument", instrumentCase},
		{"workers", workersCase}} {
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
