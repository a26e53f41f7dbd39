// Command synth makes a home full of coding agents' session logs, of any size, whose contents are known exactly:
//
//	go run ./internal/synth -size 2G -seed 1 OUT
//
// writes OUT/home, and beside it what a reader must find in it.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"aburn/internal/synth/home"
)

func main() {
	size := flag.String("size", "28M", "bytes of logs: a `NUMBER`, or one with K, M or G")
	seed := flag.Uint64("seed", 1, "equal seeds give equal bytes")
	brief := flag.Bool("brief", false, "texts an eighth as long, so that a few megabytes hold some of everything")
	flag.Parse()
	n, err := bytes(*size)
	if err == nil && flag.NArg() != 1 {
		err = fmt.Errorf("usage: synth [-size N] [-seed N] [-brief] OUT")
	}
	if err == nil {
		var truth *home.Truth
		if truth, err = home.Make(flag.Arg(0), home.Options{Size: n, Seed: *seed, Brief: *brief}); err == nil {
			fmt.Printf("%s/home: %d files, %d records\n", flag.Arg(0), truth.Files, truth.Records)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "synth:", err)
		os.Exit(1)
	}
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
