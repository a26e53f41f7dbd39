package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The bounds of texts and searches in aburn web.
const (
	maxFirstLines   = 20 * time.Millisecond  // to find first lines
	maxConversation = 300 * time.Millisecond // until a page of a conversation of longSession bytes is there
	maxInside       = 500 * time.Millisecond // to look through searchSize of conversations
	longSession     = 50 << 20
	longSessionID   = "10a90000-0000-4000-8000-000000000001"
)

// searchSize is how many bytes of logs are searched.
const searchSize = 400 << 20

// searchCase measures what reads agents' own files while a page waits: texts of a conversation, and searches.
func searchCase(w *world, pg *page) error {
	size, long := int64(searchSize), int64(longSession)
	if pg.brief {
		size, long = 2<<20, 1<<20
	}
	dir := w.path("search")
	defer os.RemoveAll(dir)
	s, err := makeHome(dir, size)
	if err != nil {
		return err
	}
	home := filepath.Join(s.dir, "home")
	if err := writeLong(home, filepath.Join(home, "shop"), long); err != nil {
		return err
	}
	if _, err := costs(1, nil, s.run(w, "ingest", w.bin("aburn"), "ingest")); err != nil {
		return err
	}
	b, _, err := s.browse(w)
	if err != nil {
		return err
	}
	defer b.stop()
	pg.section("Texts and searches",
		fmt.Sprintf("`aburn web` over a home of %d MB of logs of three agents, and one session of %d MB. Medians of %d rounds without the first: the files "+
			"are in the cache.", s.bytes>>20, long>>20, insightRounds))
	pg.table("what", "until all of the page is there", "bound")
	at := "/s/claude/" + longSessionID
	for _, c := range []struct {
		name, at string
		most     time.Duration
	}{
		{"first page of the long conversation", at + "?line=1", maxConversation},
		{"its last page", at + "?until=99999999", maxConversation},
		{"first lines: a rare word", "/search?inside=no&q=quokkaword", maxFirstLines},
		{"first lines: a frequent word", "/search?inside=no&q=go", maxFirstLines},
		{"inside all conversations: a rare word", "/search?q=quokkaword", maxInside},
		{"inside all conversations: a frequent word", "/search?q=the", maxInside},
		{"inside one session", "/search?q=quokkaword&session=claude/" + longSessionID, maxConversation},
	} {
		took, size, err := b.wholePage(c.at)
		if err != nil {
			return err
		}
		pg.row(c.name, fmt.Sprintf("%s, %d KB", ms(took), size>>10), limit(fmt.Sprintf("≤ %d ms", c.most.Milliseconds()), took <= c.most))
	}
	return nil
}

// wholePage is how long it takes until all of a page is there.
func (b *browsing) wholePage(at string) (took time.Duration, size int, err error) {
	var all []time.Duration
	for i := range insightRounds + 1 {
		start := time.Now()
		text, _, err := b.get(at)
		if err != nil {
			return 0, 0, err
		}
		if size = len(text); i > 0 {
			all = append(all, time.Since(start))
		}
	}
	slices.Sort(all)
	return median(all), size, nil
}

// writeLong writes a session of Claude Code of so many bytes: prompts, answers, calls and their outputs.
func writeLong(home, dir string, size int64) error {
	path := filepath.Join(home, ".claude", "projects", "-shop", longSessionID+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	parent, written := "", int64(0)
	n := 0
	add := func(kind string, content any) error {
		id := fmt.Sprintf("long-%08d", n)
		message := map[string]any{"role": kind, "content": content}
		if kind == "assistant" {
			message["id"], message["model"], message["stop_reason"] = "msg_"+id, "model-1", "tool_use"
		}
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": id, "parentUuid": parent, "cwd": dir, "sessionId": longSessionID, "version": "2.1.329",
			"timestamp": time.Date(2026, 11, 1, 8, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z"), "message": message})
		if err == nil {
			_, err = out.Write(append(line, '\n'))
		}
		n, parent, written = n+1, id, written+int64(len(line)+1)
		return err
	}
	output := strings.Repeat("ok  \tshop/cart\t0.214s [no tests to run] and a path /home/user/shop/cart/total.go:84\n", 100)
	for i := 0; written < size && err == nil; i++ {
		call := fmt.Sprintf("toolu_%d", i)
		err = add("user", fmt.Sprintf("Prompt %d: please fix the rounding of **totals** in `cart/total.go`.", i))
		for _, c := range []any{
			[]any{map[string]any{"type": "text", "text": "I shall look at it first.\n\n- one\n- two\n"}},
			[]any{map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": fmt.Sprintf("go test ./cart -run %d", i)}}},
		} {
			if err == nil {
				err = add("assistant", c)
			}
		}
		if err == nil {
			err = add("user", []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": output}})
		}
	}
	if err == nil {
		err = add("user", "and the quokkaword at last")
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
