package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// page collects the tables of docs/evidence/benchmarks.md.
type page struct {
	rounds int
	bigLog int64
	brief  bool // for a test: nothing is fetched, and nothing built as for users
	b      strings.Builder
}

func newPage(rounds int, bigLog int64, brief bool) *page {
	p := &page{rounds: rounds, bigLog: bigLog, brief: brief}
	p.b.WriteString("# Benchmarks\n\nWritten by `make bench`; do not edit. Read the ratios: the machine is shared. Processes of a table ran in one run, in " +
		"a new order each round. Figures are medians of whole processes, from before fork to after wait. A bound is an aim; a missed one is marked.\n\n")
	fmt.Fprintf(&p.b, "Machine: %s, %d cores, %s %s, kernel %s, %s, %s.\n", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		firstLine("/proc/sys/kernel/osrelease"), runtime.Version(), time.Now().UTC().Format("2006-01-02"))
	return p
}

// missed marks a bound that was not met.
const missed = ": **missed**"

// times is how often a case repeats what takes long: n times, twice for a test.
func (p *page) times(n int) int {
	if p.brief {
		return min(n, 2)
	}
	return n
}

func (p *page) section(title, text string) { fmt.Fprintf(&p.b, "\n## %s\n\n%s\n\n", title, text) }

func (p *page) table(head ...string) {
	fmt.Fprintf(&p.b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
}

func (p *page) row(cells ...string) { fmt.Fprintf(&p.b, "| %s |\n", strings.Join(cells, " | ")) }

func (p *page) String() string { return p.b.String() }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// bounded adds a row whose ratio has a bound.
func (p *page) bounded(ratio, bound float64, atLeast bool, cells ...string) {
	sign, isMissed := "≤", ratio > bound
	if atLeast {
		sign, isMissed = "≥", ratio < bound
	}
	verdict := ""
	if isMissed {
		verdict = missed
	}
	p.row(append(cells, fmt.Sprintf("%.2f ×", ratio), fmt.Sprintf("%s %.2f ×%s", sign, bound, verdict))...)
}

func firstLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

// loadAverage is how many processes wanted to run in the last minute.
func loadAverage() string {
	load, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	return load
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return "unknown processor"
}
