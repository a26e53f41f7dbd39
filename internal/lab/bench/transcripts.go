package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"aburn/archive/ingest"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/gemini"
)

// transcriptsHome is the size of the home whose transcripts are read by themselves.
const transcriptsHome = 256 << 20

// storeReaders are the readers whose stores internal/lab/synth makes.
func storeReaders() []trace.Reader { return []trace.Reader{claude.New(), codex.New(), gemini.New()} }

// readAsIngest reads all transcripts of a home as `aburn ingest` does: two at once, and with its bounds of memory.
func readAsIngest(home string) error {
	defer ingest.BoundMemory()()
	return readTraces(home, 2)
}

// readTraces reads all transcripts of a home to traces, some at once, and prints how many tool calls they hold, and
// the most memory that it took, in bytes.
func readTraces(home string, atOnce int) error {
	var jobs []func() error
	var calls atomic.Int64
	ctx, in := context.Background(), trace.Places{Home: home, Getenv: func(string) string { return "" }}
	for _, r := range storeReaders() {
		err := r.Find(ctx, in, func(s trace.Store) error {
			jobs = append(jobs, func() error { return r.Read(ctx, s, callCounter{&calls}) })
			return nil
		})
		if err != nil {
			return err
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make([]error, atOnce)
	for w := range errs {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(jobs) && errs[w] == nil; i = next.Add(1) - 1 {
				errs[w] = jobs[i]()
			}
		})
	}
	workers.Wait()
	fmt.Println(calls.Load(), ownPeak())
	return errors.Join(errs...)
}

// ownPeak is this process's peak memory in bytes; 0 if unknown. The parent cannot measure it: the child's peak begins
// with the parent's own.
func ownPeak() (n int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(rest, &n) // kilobytes
	return n << 10
}

// reportedPeak runs a contender that reads traces and returns its own report of its memory, in bytes.
func reportedPeak(p *process) (n int64, err error) {
	cmd := exec.Command(p.path, p.args...)
	cmd.Env, cmd.Dir = p.env, p.dir
	out, err := cmd.Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), new(int64), &n)
	}
	return n, err
}

// callCounter is a sink that validates traces, as every sink does, and keeps nothing.
type callCounter struct{ calls *atomic.Int64 }

func (c callCounter) Previous(string) (*trace.SessionTrace, error) { return nil, nil }

func (c callCounter) Trace(t *trace.SessionTrace) error {
	c.calls.Add(int64(t.Count().Calls))
	return t.Validate()
}

func (c callCounter) Damaged(trace.Damage) {}

func (c callCounter) Progress(int64) {}

func (c callCounter) Done(trace.Cursor, bool) {}

// decodeAll decodes every record of a home's transcripts with encoding/json, and prints how many there are.
func decodeAll(home string) error {
	records := 0
	err := eachTranscript(home, func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for lines := bufio.NewReaderSize(f, 1<<20); ; records++ {
			line, err := lines.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				return nil // a line that was not finished is none
			}
			var record any
			if err == nil {
				err = json.Unmarshal(line, &record)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	})
	if err == nil {
		fmt.Println(records)
	}
	return err
}

// eachTranscript calls f for each file that a reader finds.
func eachTranscript(home string, f func(path string) error) error {
	in := trace.Places{Home: home, Getenv: func(string) string { return "" }}
	for _, r := range storeReaders() {
		err := r.Find(context.Background(), in, func(s trace.Store) error {
			for _, path := range append([]string{s.Path}, s.Parts...) {
				if filepath.Ext(path) != ".jsonl" {
					continue
				}
				if err := f(path); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// transcriptsCase compares the readers with counting lines, and with decoding them.
func transcriptsCase(w *world, pg *page) error {
	dir := w.path("transcripts")
	defer os.RemoveAll(dir)
	s, err := makeHome(dir, min(transcriptsHome, 2*pg.bigLog))
	if err != nil {
		return err
	}
	find, err := exec.LookPath("find")
	if err != nil {
		return err
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	single := s.run(w, "traces on one processor", self, "read-traces", home)
	single.env = append(single.env, "GOMAXPROCS=1")
	twoFiles := s.run(w, "traces two at once", self, "read-traces-at-once", home)
	peak, err := reportedPeak(twoFiles)
	if err != nil {
		return err
	}
	t, err := race(pg.times(storeRounds),
		s.run(w, "wc", find, home, "-name", "*.jsonl", "-exec", "wc", "-l", "{}", "+"),
		s.run(w, "wc two at once", sh, "-c", `find "$1" -name '*.jsonl' -print0 | xargs -0 -n 64 -P 2 wc -l`, "sh", home),
		twoFiles, s.run(w, "traces", self, "read-traces", home), single,
		s.run(w, "json", self, "decode-json", home))
	if err != nil {
		return err
	}
	wc, two, atOnce, one, onOne, json := median(t[0]), median(t[1]), median(t[2]), median(t[3]), median(t[4]), median(t[5])
	pg.section("Transcripts to traces",
		fmt.Sprintf("The readers alone, without an archive, on %d MB of transcripts in the page cache. `aburn ingest` reads \"two files at once\", with "+
			"its settings of the garbage collector (bound: `wc -l`). \"One after the other\" has Go's own settings, as "+
			"encoding/json has, which decodes every record.", s.bytes>>20))
	pg.table("process", "median", "speed against `wc -l`", "bound")
	pg.row("`find -exec wc -l`", ms(wc), "1.00 ×", "")
	pg.row("`xargs -P 2 wc -l`", ms(two), fmt.Sprintf("%.2f ×", ratio(wc, two)), "")
	pg.bounded(ratio(wc, atOnce), 0.15, true, fmt.Sprintf("traces, two files at once, in %d MB of memory", peak>>20), ms(atOnce))
	pg.row("traces, one after the other", ms(one), fmt.Sprintf("%.2f ×", ratio(wc, one)), "")
	pg.row("traces, one after the other, on one processor", ms(onOne), fmt.Sprintf("%.2f ×", ratio(wc, onOne)), "")
	pg.row("encoding/json, all records", ms(json), fmt.Sprintf("%.2f ×", ratio(wc, json)), "")
	pg.b.WriteString("\n")
	pg.table("process", "median", "speed against encoding/json", "bound")
	pg.bounded(ratio(json, one), 5, true, "traces, one after the other", ms(one))
	pg.row("traces, two files at once", ms(atOnce), fmt.Sprintf("%.2f ×", ratio(json, atOnce)), "")
	return nil
}
