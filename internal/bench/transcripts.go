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

	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/gemini"
)

// transcriptsHome is the size of the home whose transcripts are read by themselves.
const transcriptsHome = 256 << 20

// storeReaders are the readers whose stores internal/synth makes.
func storeReaders() []trace.Reader { return []trace.Reader{claude.New(), codex.New(), gemini.New()} }

// readTraces reads all transcripts of a home to traces, and prints how many tool calls they hold.
func readTraces(home string) error {
	calls, ctx := 0, context.Background()
	in := trace.Places{Home: home, Getenv: func(string) string { return "" }}
	for _, r := range storeReaders() {
		err := r.Find(ctx, in, func(s trace.Store) error { return r.Read(ctx, s, callCounter{&calls}) })
		if err != nil {
			return err
		}
	}
	fmt.Println(calls)
	return nil
}

// callCounter is a sink that validates traces, as every sink does, and keeps nothing.
type callCounter struct{ calls *int }

func (c callCounter) Previous(string) (*trace.SessionTrace, error) { return nil, nil }

func (c callCounter) Trace(t *trace.SessionTrace) error {
	*c.calls += t.Count().Calls
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
	wc, err := exec.LookPath("find")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	one := s.run(w, "traces on one processor", self, "read-traces", home)
	one.env = append(one.env, "GOMAXPROCS=1")
	t, err := race(storeRounds, s.run(w, "wc", wc, home, "-name", "*.jsonl", "-exec", "wc", "-l", "{}", "+"), s.run(w, "traces", self, "read-traces", home), one,
		s.run(w, "json", self, "decode-json", home))
	if err != nil {
		return err
	}
	lines, traces := median(t[0]), median(t[1])
	pg.section("Transcripts to traces", fmt.Sprintf("The readers alone, without an archive, on %d MB of transcripts in the page cache, one file after the other, against `wc -l`, and against decoding every record with encoding/json.", s.bytes>>20))
	pg.table("process", "median", "speed against `wc -l`", "bound")
	pg.row("`find -exec wc -l`", ms(lines), "1.00 ×", "")
	pg.bounded(ratio(lines, traces), 0.15, true, whyTranscripts, "traces", ms(traces))
	pg.row("traces, on one processor", ms(median(t[2])), fmt.Sprintf("%.2f ×", ratio(lines, median(t[2]))), "")
	pg.row("encoding/json, all records", ms(median(t[3])), fmt.Sprintf("%.2f ×", ratio(lines, median(t[3]))), "")
	pg.why()
	pg.b.WriteString("\n")
	pg.table("process", "median", "speed against encoding/json", "bound")
	pg.bounded(ratio(median(t[3]), traces), 5, true, whyTranscripts, "traces", ms(traces))
	pg.why()
	return nil
}

const whyTranscripts = "most records of this home are small and tell something. In a profile a fifth of the time went to walking the JSON of records that are needed, a fifth to scrubbing the heads of prompts, commands and errors, a tenth to hashing contents, and most of the rest to allocating events and collecting garbage."
