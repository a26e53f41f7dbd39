// Command synth makes a home with coding agents' session logs of any size, and a truth about their contents:
//
//	go run ./internal/lab/synth -size 2G -seed 1 OUT
//
// writes OUT/home and beside it what a reader must find there. With -units it makes an archive of so many sessions with
// known failures instead:
//
//	go run ./internal/lab/synth -units 10000 OUT && ABURN_HOME=OUT/archive aburn report
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"aburn/internal/lab/synth/archived"
	"aburn/internal/lab/synth/home"
)

func main() {
	size := flag.String("size", "28M", "bytes of logs: a `NUMBER`, or one with K, M or G")
	seed := flag.Uint64("seed", 1, "equal seeds give equal bytes")
	brief := flag.Bool("brief", false, "texts an eighth as long, so that a few megabytes hold some of everything")
	units := flag.Int("units", 0, "an archive of about so many sessions and sub-agents instead of a home")
	flag.Parse()
	n, err := bytes(*size)
	if err == nil && flag.NArg() != 1 {
		err = fmt.Errorf("usage: synth [-size N] [-seed N] [-brief] [-units N] OUT")
	}
	switch {
	case err != nil:
	case *units > 0:
		err = makeArchive(flag.Arg(0), archived.Options{Units: *units, Seed: *seed, Now: time.Now().Truncate(time.Second)})
	default:
		err = makeHome(flag.Arg(0), home.Options{Size: n, Seed: *seed, Brief: *brief})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "synth:", err)
		os.Exit(1)
	}
}

func makeHome(dir string, o home.Options) error {
	truth, err := home.Make(dir, o)
	if err == nil {
		fmt.Printf("%s/home: %d files, %d records\n", dir, truth.Files, truth.Records)
	}
	return err
}

func makeArchive(dir string, o archived.Options) error {
	truth, err := archived.Make(context.Background(), dir, o)
	if err == nil {
		fmt.Printf("%s/%s: %d sessions, %d sub-agents\n", dir, archived.ArchiveDir, truth.Sessions, truth.Subagents)
	}
	return err
}

// bytes reads a size.
func bytes(s string) (int64, error) {
	unit := int64(1)
	if i := strings.IndexAny(s, "KMG"); i > 0 && i == len(s)-1 {
		unit = map[byte]int64{'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}[s[i]]
		s = s[:i]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is no size", s)
	}
	return n * unit, nil
}
