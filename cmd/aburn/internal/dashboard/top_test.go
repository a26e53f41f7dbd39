package dashboard

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/drawn"
	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/web/site"
)

// randomSite is a user's projects with random logs.
func randomSite(t *testing.T, logs [][]scenario.Item, seed uint64) *site.Site {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ABURN_HOME"} {
		t.Setenv(name, "")
	}
	at := time.Date(2026, 11, 22, 14, 12, 0, 0, time.UTC)
	for i := range 4 {
		root := filepath.Join(home, fmt.Sprintf("project-%d", i))
		if err := os.MkdirAll(filepath.Join(root, project.OssDir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := project.Mark(root); err != nil {
			t.Fatal(err)
		}
		var lines []drawn.Line
		for range 1 + rng.IntN(3) {
			log := logs[rng.IntN(len(logs))]
			log = log[:rng.IntN(len(log))+1]
			shift := at.Add(-time.Duration(rng.IntN(14*60)) * time.Minute).Sub(log[len(log)-1].Entry.Time)
			for _, item := range log {
				e := *item.Entry
				e.Time, e.Seq = e.Time.Add(shift).Truncate(time.Millisecond), logfmt.Seq(len(lines)+1)
				e.Session = logfmt.SessionID(fmt.Sprintf("%s-%d", e.Session, i))
				lines = append(lines, drawn.Line{Entry: &e})
			}
		}
		d := drawn.Drawing{Lines: lines}
		text, err := d.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, project.OssDir, journal.Name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := site.New(site.Options{Dir: filepath.Join(home, "archive"), Env: os.Getenv, Zone: time.UTC, Clock: func() time.Time { return at }})
	s.Refresh(t.Context())
	return s
}

// card is one of the page's, as its reader sees it.
type card struct {
	id, class, mark, title string
	says                   []string // what is asked, its text, what else is known, and the proof
}

var (
	article = regexp.MustCompile(`(?s)<article class="card (\w+)" id="([^"]+)".*?</article>`)
	heading = regexp.MustCompile(`(?s)<h3[^>]*><span[^>]*>(.*?)</span>(.*?)</h3>`)
	texts   = regexp.MustCompile(`(?s)<(?:p class="what"|pre|p class="small bad")>(.*?)</`)
	proof   = regexp.MustCompile(`(?s)<p class="dim small">([^<]*)</p>\s*(?:</article>|<div)`)
	tag     = regexp.MustCompile(`<[^>]*>`)
)

// cardsOf are the cards of the page Now, in their order.
func cardsOf(t *testing.T, s *site.Site) (list []card) {
	t.Helper()
	got := httptest.NewRecorder()
	s.Handler().ServeHTTP(got, httptest.NewRequest("GET", "/", nil))
	if got.Code != 200 {
		t.Fatalf("%d: %s", got.Code, got.Body)
	}
	plainly := func(text string) string {
		return strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(text, "")))
	}
	for _, found := range article.FindAllStringSubmatch(got.Body.String(), -1) {
		head := heading.FindStringSubmatch(found[0])
		one := card{id: found[2], class: found[1], mark: plainly(head[1]), title: plainly(head[2])}
		for _, text := range append(texts.FindAllStringSubmatch(found[0], -1), proof.FindAllStringSubmatch(found[0], -1)...) {
			one.says = append(one.says, plainly(text[1]))
		}
		list = append(list, one)
	}
	return list
}

// The terminal and the page show the same things, in the same order and words, whatever the logs hold. What waits stands first, the
// oldest of a kind first, and no session stands in two groups.
func TestTopHasTheOrderOfNow(t *testing.T) {
	world.Slow(t)
	var logs [][]scenario.Item
	all := scenario.Logs(t, "../../../../../supervisor/testdata/recordings")
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if len(all[name]) > 0 {
			logs = append(logs, all[name])
		}
	}
	seen, said := map[string]int{}, 0
	for seed := range uint64(25) {
		s := randomSite(t, logs, seed)
		top := reportOf(t.Context(), s)
		cards := cardsOf(t, s)
		waiting := 0
		for i := range cards {
			if cards[i].class == "asks" {
				waiting++
			}
		}
		if len(cards) != len(top.Items) || waiting != top.Waiting {
			t.Fatalf("seed %d: the page has %d cards, %d of them wait; the terminal has %d lines, %d wait", seed, len(cards), waiting, len(top.Items), top.Waiting)
		}
		group := map[logfmt.SessionID]string{}
		for i := range cards {
			one, card := &top.Items[i], &cards[i]
			seen[one.Kind]++
			said += len(card.says)
			detail := strings.Join(one.detail((&term.Out{}).Wide(200), top.At), "\n")
			if one.item.ID() != card.id || one.Title != card.title || one.item.Mark() != card.mark {
				t.Fatalf("seed %d: line %d is %+v, and the card %+v", seed, i, one, card)
			}
			for _, text := range append(card.says, card.title) {
				if first := strings.Fields(plain.Cut(text, 60)); len(first) > 0 && !strings.Contains(detail, first[0]) {
					t.Errorf("seed %d: the card says %q, and the terminal %q", seed, text, detail)
				}
			}
			if had := group[one.Session]; one.Session != "" && had != "" && had != one.Group {
				t.Errorf("seed %d: %s stands in %s and in %s", seed, one.Session, had, one.Group)
			}
			group[one.Session] = one.Group
			if i > 0 && top.Items[i-1].item.Group == one.item.Group && top.Items[i-1].item.Kind == one.item.Kind && one.Since != nil && top.Items[i-1].Since != nil &&
				one.Since.Before(*top.Items[i-1].Since) {
				t.Errorf("seed %d: line %d is older than the one above", seed, i)
			}
		}
	}
	for _, kind := range []string{"permission", "question", "working", "idle"} {
		if seen[kind] == 0 {
			t.Errorf("no log had a thing of kind %s: %v", kind, seen)
		}
	}
	if said < len(seen) {
		t.Errorf("the cards say %d texts", said)
	}
}

// A whole screen is as large as the terminal, at every size, with and without what is open.
func TestTopFitsTheScreen(t *testing.T) {
	var logs [][]scenario.Item
	for _, log := range scenario.Logs(t, "../../../../../supervisor/testdata/recordings") {
		if len(log) > 0 {
			logs = append(logs, log)
		}
	}
	s := randomSite(t, logs, 7)
	for _, size := range [][2]int{{80, 24}, {200, 50}, {60, 14}, {40, 8}, {24, 3}, {10, 1}} {
		for state := range 8 {
			top := &screen{site: s, top: reportOf(t.Context(), s), open: state&1 != 0, help: state&2 != 0}
			if state&4 != 0 {
				top.filter = "nothing has this"
			}
			top.choose()
			lines := top.lines((&term.Out{}).Wide(size[0]), size[0], size[1])
			if len(lines) != size[1] {
				t.Errorf("%v, %d: %d lines", size, state, len(lines))
			}
			for _, line := range lines {
				if w := plain.Width(line); w > size[0] && size[0] >= 40 {
					t.Errorf("%v, %d: %d cells: %q", size, state, w, line)
				}
			}
		}
	}
}

// What stands in place of rows is the same however often it is drawn.
func TestEmptyScreenIsDrawnAgain(t *testing.T) {
	top := screen{top: &TopReport{empty: []string{"No session is running."}}}
	for range 3 {
		if got := top.list((&term.Out{}).Wide(80), 5); len(got) != 1 || got[0] != " No session is running." {
			t.Fatalf("%q", got)
		}
	}
}
