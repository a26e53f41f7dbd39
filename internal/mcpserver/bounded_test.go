package mcpserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func words(n, length int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%03d", i)+strings.Repeat("x", length-3))
	}
	return list
}

func TestBounded(t *testing.T) {
	type section struct {
		Title string   `json:"title"`
		Items []string `json:"items"`
	}
	for _, c := range []struct {
		name  string
		data  any
		limit int
		cuts  string
	}{
		{"fits", section{"a", words(3, 10)}, 1000, "[]"},
		{"one list", section{"a", words(100, 10)}, 500, "[{/items 36 100}]"},
		{"the longer of two", []section{{"a", words(2, 10)}, {"b", words(100, 10)}}, 400, "[{/1/items 24 100}]"},
		{"a list of small ones", map[string]any{"list": []section{{"a", words(2, 10)}, {"b", words(2, 10)}, {"c", words(2, 10)}}}, 120, "[{/list 2 3}]"},
		{"one long item of the first list", [][]string{words(50, 10)}, 200, "[{/0 15 50}]"},
		{"names are escaped", map[string]any{"a/b~c": words(20, 10)}, 100, "[{/a~1b~0c 6 20}]"},
		{"no list is left", map[string]any{"text": strings.Repeat("x", 1000), "list": words(2, 10)}, 500, "[{ 0 1}]"},
		{"one item that is too long", []string{strings.Repeat("x", 1000)}, 500, "[{ 0 1}]"},
	} {
		text, cuts, err := bounded(c.data, c.limit)
		if got := fmt.Sprint(cuts); err != nil || got != c.cuts {
			t.Errorf("%s: %v, cut %v, want %s", c.name, err, got, c.cuts)
		}
		if len(text) > c.limit {
			t.Errorf("%s: %d bytes", c.name, len(text))
		}
	}
}

// TestBoundedAnything: whatever comes in, what goes out is JSON within the limit, the lists in it are beginnings of the old ones,
// and each that is shorter is named with its lengths.
func TestBoundedAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		data := anything(random, 4)
		limit := 20 + random.IntN(2000)
		text, cuts, err := bounded(data, limit)
		if err != nil || len(text) > limit {
			t.Fatalf("limit %d: %d bytes, %v", limit, len(text), err)
		}
		if text == nil {
			continue
		}
		whole, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		var before, after any
		if json.Unmarshal(whole, &before) != nil || json.Unmarshal(text, &after) != nil {
			t.Fatalf("not JSON: %s", text)
		}
		named := map[string]Cut{}
		for _, c := range cuts {
			named[c.Path] = c
		}
		compare(t, before, after, "", named)
		if len(named) > 0 {
			t.Fatalf("cuts of lists that are whole or gone: %v", named)
		}
	}
}

func anything(r *rand.Rand, depth int) any {
	switch n := r.IntN(6); {
	case n == 0 || depth == 0:
		return strings.Repeat("ä\"", r.IntN(20))
	case n == 1:
		return r.Float64() * 1e9
	case n == 2:
		m := map[string]any{}
		for range r.IntN(6) {
			m[fmt.Sprint("k/", r.IntN(9))] = anything(r, depth-1)
		}
		return m
	}
	list := []any{}
	for range r.IntN(15) {
		list = append(list, anything(r, depth-1))
	}
	return list
}

// compare takes the cuts that it finds out of named.
func compare(t *testing.T, before, after any, path string, named map[string]Cut) {
	t.Helper()
	switch before := before.(type) {
	case map[string]any:
		other, ok := after.(map[string]any)
		if !ok || len(other) != len(before) {
			t.Fatalf("%s: %v became %v", path, before, after)
		}
		for key, value := range before {
			compare(t, value, other[key], path+"/"+strings.ReplaceAll(key, "/", "~1"), named)
		}
	case []any:
		other, ok := after.([]any)
		if !ok || len(other) > len(before) {
			t.Fatalf("%s: %v became %v", path, before, after)
		}
		if len(other) < len(before) {
			if want := (Cut{path, len(other), len(before)}); named[path] != want {
				t.Fatalf("%v is told as %v", want, named[path])
			}
			delete(named, path)
		}
		for i, item := range other {
			compare(t, before[i], item, fmt.Sprintf("%s/%d", path, i), named)
		}
	default:
		if before != after {
			t.Fatalf("%s: %v became %v", path, before, after)
		}
	}
}

func TestClip(t *testing.T) {
	if short, cut := clip("short\xff"); cut || short != "short\ufffd" {
		t.Errorf("%q %v", short, cut)
	}
	whole := strings.Repeat("ä", MaxMarkdown)
	if short, cut := clip(whole); cut || short != whole {
		t.Errorf("%d characters are too many", MaxMarkdown)
	}
	for name, text := range map[string]string{
		"lines": strings.Repeat("line of text ä\n", 2000), "one line": strings.Repeat("ä", 20000), "code": "```text\n" + strings.Repeat("code\n", 5000) + "```\n",
		"a longer fence": "`````text\n" + strings.Repeat("```\ncode\n````\n", 5000) + "`````\n",
	} {
		short, cut := clip(text)
		if n := utf8.RuneCountInString(short); !cut || n > MaxMarkdown || n < MaxMarkdown-100 {
			t.Errorf("%s: cut %v, %d characters", name, cut, n)
		}
		if opens, _, _ := strings.Cut(text, "text"); strings.HasPrefix(opens, "```") && !strings.Contains(short, "\n"+opens+"\n\n… ") {
			t.Errorf("%s: a block of code is open: %q", name, short[len(short)-80:])
		}
		if !strings.Contains(short, "\n… the first ") {
			t.Errorf("%s: ends with %q", name, short[len(short)-60:])
		}
	}
}

func TestNotes(t *testing.T) {
	short := notes(words(30, 1000))
	if len(short) != MaxNotes+1 || short[MaxNotes] != "and 20 more" || utf8.RuneCountInString(short[0]) != maxNote {
		t.Errorf("%d notes: %q", len(short), short[len(short)-1])
	}
}

// TestOpenFence: which block of code is open at the end of a text.
func TestOpenFence(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "x\n": "", "```\n": "```", "```text\nx\n": "```", "```\nx\n```\n": "", "```\nx\n````\ny": "", "````\n```\n": "````", "````\n```\n````": "",
		"``\nx":    "",
		"```a`b\n": "", "```\n```x\n": "```", "a ```\n": "",
	} {
		if got := openFence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
