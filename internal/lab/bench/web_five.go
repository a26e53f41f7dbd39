package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	projects "aburn/internal/project"
)

// fiveRecordings are real sessions of both clients, as hooks recorded them. They are played at once, each in a project of its own.
var fiveRecordings = [...]string{"claude-chain", "codex-chain", "claude-tdd", "codex-tdd", "claude-two"}

// How long a session takes from one entry to the next, and how many swaps a page makes in a second at most: see page.js.
const (
	shortestPause = 300 * time.Millisecond
	longestPause  = 900 * time.Millisecond
	swapsASecond  = 10
)

// shownStep is an entry that was written.
type shownStep struct {
	session, number int
	at              time.Time
}

// five plays the recordings for n entries each, and returns the median and the 95th percentile of what it takes from a line of a log
// until the page that shows it is fetched, by a reader that asks as often as a page does.
func (b *browsing) five(n int) (half, most time.Duration, err error) {
	var files [len(fiveRecordings)]*os.File
	var lines [len(fiveRecordings)][]map[string]any
	for i, name := range fiveRecordings {
		dir := filepath.Join(filepath.Dir(b.shop), "five", fmt.Sprint(i), projects.OssDir)
		if lines[i], err = recordedLines(name, i, n); err != nil {
			return 0, 0, err
		}
		if files[i], err = os.OpenFile(filepath.Join(dir, "workflow.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
			return 0, 0, err
		}
		defer files[i].Close()
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var mu sync.Mutex
	var written []shownStep
	var writers sync.WaitGroup
	for i := range files {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		writers.Go(func() {
			for k, line := range lines[i] {
				time.Sleep(shortestPause + time.Duration(rng.Int64N(int64(longestPause-shortestPause))))
				line["ts"] = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
				text, _ := json.Marshal(line)
				mu.Lock()
				at := time.Now()
				files[i].Write(append(text, '\n'))
				written = append(written, shownStep{i, k, at})
				mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() { writers.Wait(); close(ended) }()
	var took []time.Duration
	err = b.follow(ctx, func(page string) bool {
		now := time.Now()
		mu.Lock()
		defer mu.Unlock()
		var shown [len(fiveRecordings)]int
		for i := range shown {
			shown[i] = newestStep(page, i)
		}
		written = slices.DeleteFunc(written, func(s shownStep) bool {
			if s.number <= shown[s.session] {
				took = append(took, now.Sub(s.at))
				return true
			}
			return false
		})
		select {
		case <-ended:
			return len(written) > 0
		default:
			return true
		}
	})
	if err != nil || len(took) == 0 {
		return 0, 0, errors.Join(err, errors.New("the page shows no entry"))
	}
	slices.Sort(took)
	return median(took), took[len(took)*95/100], nil
}

// recordedLines are n calls of a recording as entries of a session that goes on, each with words that only it has.
func recordedLines(name string, session, n int) (list []map[string]any, err error) {
	text, err := os.ReadFile(filepath.Join("supervisor", "testdata", "recordings", name+".log"))
	if err != nil {
		return nil, err
	}
	id := ""
	for len(list) < n {
		for line := range strings.Lines(string(text)) {
			var e map[string]any
			if json.Unmarshal([]byte(line), &e) != nil || len(list) == n {
				continue
			}
			event, _ := e["event"].(string)
			if id == "" {
				id, _ = e["session"].(string)
			}
			data, _ := e["data"].(map[string]any)
			if e["session"] != id || data == nil || len(list) > 0 && event != "TOOL_START" && event != "TOOL" || len(list) == 0 && event != "PROMPT" ||
				e["agent"] != nil {
				continue
			}
			for _, member := range []string{"seq", "crc", "id"} {
				delete(e, member)
			}
			for _, member := range []string{"path", "input", "tool_use_id", "error"} {
				delete(data, member)
			}
			data["head"] = stepWords(session, len(list))
			e["session"] = fmt.Sprintf("five-%d", session)
			list = append(list, e)
		}
	}
	return list, nil
}

func stepWords(session, number int) string { return fmt.Sprintf("session%dstep%04d", session, number) }

// newestStep is the newest entry of a session on the page, -1 for none.
func newestStep(page string, session int) int {
	number := -1
	for _, rest := range strings.Split(page, fmt.Sprintf("session%dstep", session))[1:] {
		var n int
		if _, err := fmt.Sscanf(rest, "%04d", &n); err == nil {
			number = max(number, n)
		}
	}
	return number
}

// follow fetches the page Now as a browser does: when the stream says that it changed, and not more often than a page may.
func (b *browsing) follow(ctx context.Context, shown func(page string) bool) error {
	r, err := http.NewRequestWithContext(ctx, "GET", b.base+"/events", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Cookie", b.cookie)
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	said := make(chan struct{}, 1)
	go func() {
		defer close(said)
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if lines.Text() == "data: now" {
				select {
				case said <- struct{}{}:
				default:
				}
			}
		}
	}()
	var swaps []time.Time
	for range said {
		if len(swaps) == swapsASecond {
			time.Sleep(time.Until(swaps[0].Add(time.Second)))
			swaps = swaps[1:]
		}
		swaps = append(swaps, time.Now())
		text, _, err := b.get("/")
		if err != nil {
			return err
		}
		if !shown(text) {
			return nil
		}
	}
	return errors.New("the stream of events ended")
}
