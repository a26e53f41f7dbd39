package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// searched is the text of a page of findings, without its tags.
func (w *webWorld) searched(at string) string {
	w.Helper()
	code, page := w.page(at)
	if code != 200 {
		w.Fatalf("%s: %d", at, code)
	}
	if len(page) > 150<<10 {
		w.Errorf("%s has %d bytes", at, len(page))
	}
	page = page[strings.Index(page, "<main"):strings.Index(page, "</main>")]
	return html.UnescapeString(strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")), " "))
}

// Words are found in first lines, which the archive has, and inside conversations, which only the agents' files have. What is a
// secret is not found, and neither is an untrusted project.
func TestWebSearch(t *testing.T) {
	t.Parallel()
	w := newWebWorld(t, 0)
	one, two := w.stored("5ea1c400-0000-4000-8000-000000000001"), w.stored("5ea2c401-0000-4000-8000-000000000002")
	secret := "gh" + "p_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2gH5"
	one.prompt("Fix the rounding of totals")
	one.says("The culprit is a Float in `cart/total.go`, see \"half to even\"")
	one.shell("go test ./cart", "FAIL: TestTotal, wanted 99")
	one.says("the token is " + secret + " and the quokka sleeps")
	two.prompt("Draw a picture of a quokka")
	two.says("done </script><script>window.pwned=1</script> zebra")
	for i := range 80 {
		two.says(fmt.Sprintf("giraffe number %d", i))
	}
	elsewhere := w.stored("5ea3c402-0000-4000-8000-000000000003")
	elsewhere.dir = filepath.Join(w.dir, "foreign")
	elsewhere.prompt("a quokka of somebody else")
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	for _, c := range []struct {
		q     string
		holds []string
	}{
		{"rounding", []string{"1 line in 1 session or sub-agent", "prompt Fix the rounding of totals", "1 text found, shown above.", "Inside conversations"}},
		{"ROUND tot", []string{"0 lines", "1 text found"}},
		{"testtotal", []string{"error Exit code 1 FAIL: TestTotal , wanted 99", "1 text found, shown above."}},
		{`"half to even"`, []string{"0 lines in", `is a Float`, "1 text found"}},
		{"quokka", []string{"2 lines in 2 sessions", "prompt Draw a picture of a quokka", "answer the token is [redacted:github] and the quokka sleeps",
			"3 texts found", "a quokka of somebody else"}},
		{"</script> zebra", []string{"done </script> <script>window.pwned=1 </script> zebra", "1 text found"}},
		{"giraffe", []string{"80 texts found", "77 more"}},
		{"nothing of this", []string{"0 lines in", "0 texts found"}},
		{"x", []string{"one word needs two letters"}},
		{"", []string{"Type words into the field above"}},
	} {
		got := w.searched("/search?q=" + url.QueryEscape(c.q))
		for _, word := range c.holds {
			if no, is := strings.CutPrefix(word, "!"); is == strings.Contains(got, no) {
				t.Errorf("%s: %q:\n%s", c.q, word, got)
			}
		}
	}
	for _, q := range []string{secret, secret[4:20]} {
		if got := w.searched("/search?q=" + q); !strings.Contains(got, "0 texts found") || !strings.Contains(got, "0 lines in") {
			t.Errorf("a secret is found: %s", got)
		}
	}
	// What another text of the session gives away is secret in what is found, and on the page.
	three := w.stored("5ea4c403-0000-4000-8000-000000000004")
	given := "hunter" + "Z4mbler"
	three.prompt("deploy with " + given + " to staging2024, okapi")
	three.shell("export TOKEN="+given, "no")
	w.aburn("ingest", "--quiet")
	w.until("/sessions", "okapi")
	for _, at := range []string{"/search?q=okapi", "/s/claude/" + three.id, "/s/claude/" + three.id + "/raw/1"} {
		if got := w.searched(at); strings.Contains(got, given) || !strings.Contains(got, "deploy with [redacted:secret] to staging2024") {
			t.Errorf("%s: %s", at, got)
		}
	}
	// One session, and what became of its file.
	if got := w.searched("/search?q=quokka&session=claude/" + two.id); !strings.Contains(got, "1 text found") || strings.Contains(got, "sleeps") {
		t.Errorf("in one session: %s", got)
	}
	if err := os.Remove(one.path); err != nil {
		t.Fatal(err)
	}
	if got := w.searched("/search?q=quokka"); !strings.Contains(got, "2 texts found") || !strings.Contains(got, "the files of 1 are gone") {
		t.Errorf("with a file gone: %s", got)
	}
}

// A search that finds more sessions than a page shows goes on where it ended, and finds each once.
func TestWebSearchPaging(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	for i := range 70 {
		s := w.stored(fmt.Sprintf("%04d5ea2-0000-4000-8000-000000000001", i))
		s.n = 60 * (i % 7)
		s.prompt("walrus in the first line")
		s.says("walrus inside")
	}
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	hit := regexp.MustCompile(`<li class="hit"><p><a href="([^"]*)"`)
	for _, word := range []string{"older", "search older"} {
		next := regexp.MustCompile(`href="([^"]*)">` + word)
		seen := map[string]int{}
		pages := 0
		for at := "/search?q=walrus"; at != ""; pages++ {
			_, page := w.page(at)
			part, inside, _ := strings.Cut(page, `id="h-inside"`)
			if word != "older" {
				part = inside
			}
			for _, m := range hit.FindAllStringSubmatch(part, -1) {
				seen[m[1]]++
			}
			m := next.FindStringSubmatch(part)
			if at = ""; m != nil {
				at = html.UnescapeString(m[1])
			}
		}
		if len(seen) != 70 || pages != 3 {
			t.Errorf("%s: %d sessions on %d pages", word, len(seen), pages)
		}
		for at, n := range seen {
			if n != 1 {
				t.Errorf("%s is shown %d times", at, n)
			}
		}
	}
}

// The sessions of a database are searched and shown as those of files are: every text of every one of its sessions.
func TestWebSearchesDatabases(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	packed, err := os.Open("../../trace/opencode/testdata/opencode.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	path := filepath.Join(w.dir, "home", ".local", "share", "opencode", "opencode.db")
	if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	w.trust("/home/user")
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	if got := w.searched("/search?q=looking"); !strings.Contains(got, "answer Looking .") || strings.Contains(got, " 0 texts found") ||
		strings.Contains(got, "could not be read") {
		t.Error(got)
	}
	texts := 0
	for _, at := range w.everySession() {
		w.story(at, func(at, page string) {
			texts += strings.Count(page, `class="said-text`)
			for _, word := range []string{"changed since", "cannot be read", "not there any more"} {
				if strings.Contains(page, word) {
					t.Errorf("%s: %s", at, word)
				}
			}
		})
	}
	if texts < 100 {
		t.Errorf("%d texts", texts)
	}
}
