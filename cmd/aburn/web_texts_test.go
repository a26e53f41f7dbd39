package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/world"
)

// newHomeWorld is a world with the stores of agents, which are ingested.
func newHomeWorld(t *testing.T, size int64) (*webWorld, *home.Truth) {
	t.Helper()
	w := &webWorld{T: t, dir: t.TempDir()}
	truth, err := home.Make(w.dir, home.Options{Size: size, Seed: 3, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	w.shop = filepath.Join(w.dir, "home", "shop")
	if err := os.MkdirAll(w.shop, 0o700); err != nil {
		t.Fatal(err)
	}
	w.aburn("-C", w.shop, "init", "--here", "--force")
	w.trust("/home/user")
	return w, truth
}

// says is an answer, and prints the output of a call that worked.
func (s *storedSession) says(text string) {
	s.add("assistant", []any{map[string]any{"type": "text", "text": text}})
}

func (s *storedSession) prints(command, output string) {
	id := fmt.Sprintf("toolu_%.4s%d", s.id, s.n)
	s.add("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command}}})
	s.add("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}})
}

var (
	sessionLinks = regexp.MustCompile(`href="(/s/[^"?#]*)`)
	rawLinks     = regexp.MustCompile(`href="(/s/[^"]*/raw/[0-9]+)"`)
	laterLink    = regexp.MustCompile(`rel="next" href="([^"]*)">later`)
	olderLink    = regexp.MustCompile(`rel="next" href="([^"]*)">older`)
)

// everySession are the addresses of all sessions that are shown.
func (w *webWorld) everySession() (list []string) {
	seen := map[string]bool{}
	for at := "/sessions?kind=all"; at != ""; {
		_, text := w.page(at)
		for _, m := range sessionLinks.FindAllStringSubmatch(text, -1) {
			if !seen[m[1]] {
				seen[m[1]] = true
				list = append(list, html.UnescapeString(m[1]))
			}
		}
		next := olderLink.FindStringSubmatch(text)
		if at = ""; next != nil {
			at = html.UnescapeString(next[1])
		}
	}
	return list
}

// story visits all pages of a session's story.
func (w *webWorld) story(at string, each func(at, page string)) {
	for at != "" {
		code, text := w.page(at)
		if code != 200 {
			w.Fatalf("%s: %d", at, code)
		}
		each(at, text)
		next := laterLink.FindStringSubmatch(text)
		if at = ""; next != nil {
			at = html.UnescapeString(next[1])
		}
	}
}

// Every text of a home of three agents is shown as it was recorded, and none of its planted secrets is on a page; every event is on
// exactly one page of its session's story.
func TestWebShowsConversations(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w, truth := newHomeWorld(t, 20<<20)
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	if len(truth.Secrets) < 20 {
		t.Fatalf("only %d secrets are planted", len(truth.Secrets))
	}
	pages, texts, raws := 0, 0, 0
	look := func(at, page string) {
		pages++
		if len(page) > 150<<10 {
			t.Errorf("%s has %d bytes", at, len(page))
		}
		for _, word := range []string{"changed since", "cannot be read", "not there any more"} {
			if i := strings.Index(page, word); i >= 0 {
				t.Errorf("%s: %s", at, page[max(0, i-300):i+40])
			}
		}
		for _, s := range truth.Secrets {
			if strings.Contains(page, s) {
				t.Errorf("%s shows %.8s…", at, s)
			}
		}
		texts += strings.Count(page, `class="said-text`)
	}
	redacted := 0
	for _, at := range w.everySession() {
		next := 1
		w.story(at, func(at, page string) {
			look(at, page)
			redacted += strings.Count(page, "[redacted:")
			for _, m := range regexp.MustCompile(`<li class="[^"]*" id="e([0-9]+)"`).FindAllStringSubmatch(page, -1) {
				if n, _ := strconv.Atoi(m[1]); n < next {
					t.Errorf("%s: event %d comes again", at, n)
				} else {
					next = n + 1
				}
			}
			for i, m := range rawLinks.FindAllStringSubmatch(page, -1) {
				if i%7 == 0 && raws < 150 {
					raws++
					code, page := w.page(html.UnescapeString(m[1]))
					if look(m[1], page); code != 200 {
						t.Errorf("%s: %d", m[1], code)
					}
				}
			}
		})
	}
	if texts < 1000 || redacted == 0 || raws < 20 {
		t.Errorf("%d pages, %d texts, %d of them redacted, %d pages of events", pages, texts, redacted, raws)
	}
	t.Logf("%d pages, %d texts, %d redacted, %d pages of events", pages, texts, redacted, raws)
}

// plantedSecrets are forms in which people and tools write secrets, filled with made-up ones.
func plantedSecrets(t *testing.T) (forms, secrets []string) {
	t.Helper()
	data, err := os.ReadFile("../../internal/scrub/testdata/blind.txt")
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`\{(pw2?|alnum|digits|b64x|base32x)(\d*)\}`)
	n := 0
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(cells) != 3 || slices.Contains([]string{"docker-auths", "prose-slash", "prose-pin", "prose-otp"}, cells[0]) {
			continue // the test of package scrub lists these as what no rule finds
		}
		forms = append(forms, part.ReplaceAllStringFunc(cells[1], func(p string) string {
			n++
			m := part.FindStringSubmatch(p)
			length, _ := strconv.Atoi(m[2])
			alphabet := map[string]string{"digits": "8301942756", "base32x": "KQ7ZB2XM4TWN5RJ6"}[m[1]]
			if alphabet == "" {
				alphabet = "kQ7zRb2XmT4wNp5Jr6Yv"
			}
			secret := fmt.Sprintf("winter%cQ7rmbl", 'a'+n%26)
			if length > 0 {
				var b strings.Builder
				for i := range length {
					b.WriteByte(alphabet[(i*7+n*3+i/len(alphabet))%len(alphabet)])
				}
				secret = b.String()
			}
			secrets = append(secrets, secret)
			return secret
		}))
	}
	token := "gh" + "p_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2gH5"
	return append(forms, "the token is "+token), append(secrets, token)
}

// None of the planted secrets is on any page, wherever in a session it stands: in a prompt, an answer, a command, an output, or the
// input of a tool.
func TestWebShowsNoSecret(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	s := w.stored("5ec2e700-0000-4000-8000-000000000001")
	forms, secrets := plantedSecrets(t)
	if len(secrets) < 38 {
		t.Fatalf("%d secrets", len(secrets))
	}
	for i, form := range forms {
		switch i % 5 {
		case 0:
			s.prompt("please run\n" + form)
		case 1:
			s.says("I shall run\n\n```\n" + form + "\n```\n\nand `" + form + "`")
		case 2:
			s.prints(form, "done\n"+form)
		case 3:
			s.shell(form, strings.Repeat("line\n", 40)+form)
		case 4:
			s.add("assistant", []any{map[string]any{"type": "tool_use", "id": fmt.Sprint("toolu_w", i), "name": "Write",
				"input": map[string]any{"file_path": "/home/user/run.sh", "content": "#!/bin/sh\n" + form + "\n"}}})
		}
	}
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	events := 0
	look := func(at, page string) {
		page = html.UnescapeString(page)
		for i, secret := range secrets {
			if n := strings.Index(page, secret); n >= 0 {
				t.Errorf("%s shows secret %d: %s", at, i, page[max(0, n-60):n+len(secret)])
			}
		}
	}
	w.story("/s/claude/"+s.id, func(at, page string) {
		look(at, page)
		for _, m := range regexp.MustCompile(`id="e([0-9]+)"`).FindAllStringSubmatch(page, -1) {
			events++
			at := "/s/claude/" + s.id + "/raw/" + m[1]
			_, page := w.page(at)
			look(at, page)
		}
	})
	if _, page := w.page("/s/claude/" + s.id); events < 30 || strings.Count(page, "[redacted:") < 10 {
		t.Errorf("%d events, %d marks", events, strings.Count(page, "[redacted:"))
	}
}

// What became of an agent's file between its reading and its showing is said, and what is left is shown. A copy that was kept
// shows what was said after the file is gone.
func TestWebSaysWhatBecameOfTheFile(t *testing.T) {
	t.Parallel()
	w := newWebWorld(t, 0)
	s := w.stored("f11e0000-0000-4000-8000-000000000001")
	s.prompt("the first words")
	s.says("the second words")
	s.says("the third words")
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	at := "/s/claude/" + s.id
	data, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	shows := func(what string, words ...string) {
		t.Helper()
		_, page := w.page(at)
		page = html.UnescapeString(page)
		for _, word := range words {
			if no, is := strings.CutPrefix(word, "!"); is == strings.Contains(page, no) {
				t.Errorf("%s: %q: %s", what, word, page[strings.Index(page, "<main"):])
			}
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(s.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shows("as it was", "the first words", "the second words", "the third words", "!changed since")
	write(string(data) + "{\"type\":\"user\",\"mess")
	shows("it has grown", "the first words", "the third words", "!changed since")
	write(strings.Replace(string(data), "the second words", "the other words!", 1))
	shows("a text was rewritten", "<p>the first words", "1 text of this page changed since Claude Code's file was read", "changed since it was read",
		"!the other words", "!<p>the second")
	write(string(data[:len(data)/2]))
	shows("it was cut off", "<p>the first words", "1 text of this page changed since", "!<p>the third")
	write(string(data))
	w.aburn("keep", s.id)
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	shows("it is gone, and a copy was kept", "<p>the first words", "<p>the third words", "3 texts of this page are from the copy that you saved")
	if _, page := w.page("/health"); !strings.Contains(page, "saved with texts") {
		t.Error("Health says nothing of the copy")
	}
	w.aburn("keep", "--remove", s.id)
	shows("it is gone", "!<p>the first words", "!<p>the third words", "The file with these texts is gone")
	if code, page := w.page(at + "/raw/2"); code != 200 || !strings.Contains(page, "is gone") {
		t.Errorf("%d: %s", code, page)
	}
	if code, _ := w.page(at + "/raw/99"); code != 404 {
		t.Errorf("an event that is not there: %d", code)
	}
}

// An image is named and not shown, also where a prompt is nothing else.
func TestWebNamesImages(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	w := newWebWorld(t, 0)
	s := w.stored("1ace0000-0000-4000-8000-000000000001")
	image := map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": strings.Repeat("iVBORw0KGgo", 400)}}
	s.add("user", []any{map[string]any{"type": "text", "text": "look at this"}, image})
	s.says("I see it")
	s.add("user", []any{image})
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	_, page := w.page("/s/claude/" + s.id)
	if n := strings.Count(page, "not shown: 1 image (png, 3.2 KiB)"); n != 2 || !strings.Contains(page, "look at this") || strings.Contains(page, "iVBORw0KGgo") {
		t.Errorf("%d images are named: %s", n, page[strings.Index(page, "<ol"):])
	}
	for _, n := range []string{"1", "3"} {
		if _, page := w.page("/s/claude/" + s.id + "/raw/" + n); !strings.Contains(page, "not shown: 1 image") || strings.Contains(page, "iVBORw0KGgo") {
			t.Errorf("event %s: %s", n, page)
		}
	}
}

// A text of any length is shown in parts that together are all of it, each page within its bound, also if everything in it has to
// be escaped.
func TestWebShowsLongTextsInParts(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	s := w.stored("1a7e0000-0000-4000-8000-000000000001")
	var long strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&long, "line %d of <&\"'> größe\n", i)
	}
	s.prints("make", long.String())
	s.prints("cat one-line", strings.Repeat(`"<>&`, 40000))
	s.says(strings.Repeat("word ", 60000))
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	for n, want := range map[int]int{2: 9000, 4: 0, 5: 0} {
		parts, lines := 0, map[string]bool{}
		for at := fmt.Sprintf("/s/claude/%s/raw/%d", s.id, n); at != ""; parts++ {
			code, page := w.page(at)
			if code != 200 || len(page) > 150<<10 {
				t.Fatalf("%s: %d, %d bytes", at, code, len(page))
			}
			text, _, _ := strings.Cut(page, "Its record")
			for _, m := range regexp.MustCompile(`line [0-9]+ of &lt;&amp;&#34;&#39;&gt; größe`).FindAllString(text, -1) {
				if lines[m] {
					t.Errorf("%s has %q again", at, m)
				}
				lines[m] = true
			}
			next := regexp.MustCompile(`href="([^"]*)">the next part`).FindStringSubmatch(page)
			if at = ""; next != nil {
				at = html.UnescapeString(next[1])
			}
		}
		if parts < 3 || len(lines) != want {
			t.Errorf("event %d: %d parts, %d of %d lines", n, parts, len(lines), want)
		}
	}
	w.story("/s/claude/"+s.id, func(at, page string) {
		if len(page) > 150<<10 {
			t.Errorf("%s has %d bytes", at, len(page))
		}
	})
}
