package scrub

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// This file holds the search against the plain way: every rule over the whole text, as regular expressions.

// classes are the letters of shapes as expressions.
var classes = map[byte]string{
	'd': `[0-9]`, 'x': `[0-9a-f]`, 'X': `[0-9a-fA-F]`, 'l': `[0-9a-z]`, 'U': `[0-9A-Z]`, 'L': `[A-Za-z]`, 'a': `[0-9A-Za-z]`, 'w': `\w`,
	'u': `[\w-]`, 'e': `[\w=-]`, 'b': `[0-9A-Za-z+/]`, 'B': `[0-9A-Za-z+/=]`, 's': `[\w+/=-]`, 't': `[\w.=-]`, 'q': `[\w.~-]`,
}

var shapeRun = regexp.MustCompile(`\{(\w)(\d+)(,?)(\d*)\}`)

// expression is a shape as a regular expression: what has to stand before a match is told apart.
func expression(shape string) (re string, alone bool) {
	shape, alone = strings.CutPrefix(shape, "<")
	at := 0
	for _, m := range shapeRun.FindAllStringSubmatchIndex(shape, -1) {
		re += regexp.QuoteMeta(shape[at:m[0]])
		re += classes[shape[m[2]]] + "{" + shape[m[4]:m[5]] + shape[m[6]:m[7]] + shape[m[8]:m[9]] + "}"
		at = m[1]
	}
	rest := shape[at:]
	if open, ok := strings.CutSuffix(rest, ">"); ok {
		return re + regexp.QuoteMeta(open) + `()(?:[^\w+]|\z)`, alone
	}
	return re + regexp.QuoteMeta(rest) + `()`, alone
}

// oracle is one shape as an expression.
type oracle struct {
	rule  *rule
	re    *regexp.Regexp
	alone bool
}

func tokenOracles() []oracle {
	var out []oracle
	for arg := 0; ; arg += maxShapes {
		r, _ := shapeOf(arg)
		if r == nil {
			return out
		}
		for _, shape := range r.shapes {
			re, alone := expression(shape)
			out = append(out, oracle{r, regexp.MustCompile(re), alone})
		}
	}
}

// covered marks the bytes of text that a token rule matches, from any place, also within another match.
func covered(oracles []oracle, text string) []bool {
	out := make([]bool, len(text))
	for _, o := range oracles {
		for at := 0; ; {
			m := o.re.FindStringSubmatchIndex(text[at:])
			if m == nil {
				break
			}
			start, end := at+m[0], at+m[2]
			at = start + 1
			added := start > 0 && text[start-1] == '+' && (start == 1 || text[start-2] == '\n') // a line of a patch
			if o.alone && start > 0 && strings.Trim(text[start-1:start], wordBytes) == "" && !added || !o.rule.accepts(text[start:end], text[end:]) {
				continue
			}
			for k := start; k < end; k++ {
				out[k] = true
			}
		}
	}
	return out
}

const wordBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+"

// generated is a text of secrets, innocent lines, words and noise, joined in ways that bring them close.
func generated(rnd *rand.Rand, lines []string) string {
	all := wellKnown()
	glue := []string{" ", "\n", "", "-", "_", ".", "/", "=", ": ", `"`, "', '", "+", ",", " && ", "]["}
	var b strings.Builder
	for range 3 + rnd.IntN(6) {
		switch rnd.IntN(8) {
		case 0:
			b.WriteString(lines[rnd.IntN(len(lines))])
		case 1:
			for range rnd.IntN(40) {
				b.WriteByte(byte(' ' + rnd.IntN(95)))
			}
		case 2: // a secret that is too short, or too long
			d := draw(rnd, all[rnd.IntN(len(all))].expr)
			b.WriteString(d.text[:rnd.IntN(len(d.text)+1)])
		case 3:
			fmt.Fprintf(&b, "%x", rnd.Uint64())
		default:
			b.WriteString(draw(rnd, all[rnd.IntN(len(all))].expr).text)
		}
		b.WriteString(glue[rnd.IntN(len(glue))])
	}
	return b.String()
}

// Each token rule finds in the whole text what its expression finds, no more and no less.
func TestTokensAgreeWithExpressions(t *testing.T) {
	oracles := tokenOracles()
	lines := innocents(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 300 {
		text := generated(rnd, lines)
		f := finder{text: text}
		f.scan()
		got := make([]bool, len(text))
		for _, sp := range f.spans {
			if sp.rank == rankToken && sp.rule != "private-key" {
				found++
				for i := sp.start; i < sp.end; i++ {
					got[i] = true
				}
			}
		}
		if want := covered(oracles, text); !slices.Equal(got, want) {
			t.Fatalf("in %q\nfound    %s\nexpected %s", text, marked(text, got), marked(text, want))
		}
	}
	if found < 300 {
		t.Errorf("only %d tokens in all texts", found)
	}
}

func marked(text string, in []bool) string {
	b := []byte(text)
	for i := range b {
		if !in[i] {
			b[i] = '.'
		}
	}
	return string(b)
}

// The table of three letters skips nothing: trying every rule at every place finds the same.
func TestTablesSkipNothing(t *testing.T) {
	lines := innocents(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		text := generated(rnd, lines)
		fast := finder{text: text}
		fast.scan()
		slow := finder{text: text}
		for i := range text {
			var tried []anchor
			for _, a := range anchors {
				a.tri = 0
				if foldPrefix(text[i:], a.text) && !slices.Contains(tried, a) {
					tried = append(tried, a)
				}
			}
			slices.SortFunc(tried, func(a, b anchor) int { return int(a.kind) - int(b.kind) })
			for _, a := range tried {
				slow.try(&a, i)
			}
		}
		order := func(a, b span) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
		slices.SortFunc(fast.spans, order)
		slices.SortFunc(slow.spans, order)
		if !slices.Equal(fast.spans, slow.spans) {
			t.Fatalf("in %q\nfast %v\nslow %v", text, fast.spans, slow.spans)
		}
	}
}

// What the values of vendors, URLs, headers and passwords look like, over the whole text. What stands in the brackets
// must not be left.
func TestPlacesAgreeWithExpressions(t *testing.T) {
	world.Slow(t)
	type place struct {
		re *regexp.Regexp
		ok func(value string) bool
	}
	always := func(string) bool { return true }
	places := []place{
		{regexp.MustCompile(`[A-Za-z0-9]://[^\s"'` + "`" + `<>/?#\\,:@]*:([A-Za-z0-9!%._~-]{6,64})@[a-z]`), func(v string) bool { return !isEmptyWord(v) }},
		{regexp.MustCompile(`(?i)\bauthorization: (?:bearer|basic|token) ([A-Za-z0-9+/]{24,64})(?:[^A-Za-z0-9+/=._-]|\z)`),
			func(v string) bool { return hasDigit(v) && hasLetter(v) }},
		{regexp.MustCompile(`(?i)\b(?:db_|my_)?(?:password|passwd|client_secret|api_key)=([a-z]{3,8}[0-9]{2,4}[a-z]{3,8})(?:[\s"'&]|\z)`), always},
		{regexp.MustCompile(`"(?:password|token|secret)":"([A-Za-z]{3,8}[0-9]{2,4}[A-Za-z]{3,8})"`), always},
		{regexp.MustCompile(`-----BEGIN [A-Z ]{2,12}PRIVATE KEY-----\n([A-Za-z0-9+/\n]{64,})`), always},
	}
	for _, v := range vendors {
		re, _ := expression(v.shape)
		re = strings.TrimSuffix(re, "()")
		places = append(places, place{
			regexp.MustCompile(`(?i:` + regexp.QuoteMeta(v.name) + `)(?:_key|_token|_secret| key)? ?[=:] ?["']?(` + re + `)(?:[\s"';]|\z)`),
			func(v string) bool { return hasDigit(v) && distinct(v) >= 5 && !slug(v) && !hash(v) },
		})
	}
	lines := innocents(t)
	rnd := rand.New(rand.NewPCG(7, 8))
	checked := 0
	for range 320 {
		text := generated(rnd, lines)
		spans := find(text)
		for _, p := range places {
			for _, m := range p.re.FindAllStringSubmatchIndex(text, -1) {
				value := text[m[2]:m[3]]
				if !p.ok(value) {
					continue
				}
				checked++
				if !slices.ContainsFunc(spans, func(sp span) bool { return sp.start <= m[2] && m[3] <= sp.end }) {
					t.Errorf("%s\nleft %q in %q", p.re, value, text)
				}
			}
		}
	}
	if checked < 75 {
		t.Errorf("only %d values in all texts", checked)
	}
}
