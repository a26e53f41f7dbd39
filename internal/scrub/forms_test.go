package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// A form is one line of a corpus: a text in which each {kind} stands for made-up text, and {function(…)} for its encoded form.
// So no file of the corpus holds anything that a scanner takes for a leak.
type form struct{ name, text string }

// readForms reads a file of forms, one a line; cells are separated by tabs, and the cell before the last is the name.
func readForms(t testing.TB, file string, cells int) (out [][]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "# pass") || line == "" {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != cells {
			t.Fatalf("%s: %d cells: %s", file, len(c), line)
		}
		out = append(out, c)
	}
	return out
}

var (
	formKind = regexp.MustCompile(`\{(pw2?|same|words?|sym[234]?|alnum|digits|hex|b64x|base32x|uuid|ulid|nix)(\d*)\}`)
	formCall = regexp.MustCompile(`\{(b64|b64url|b64u16|hex|HEX|pct)\($`)
)

const formWords = `(silver|horse|dragon|garden|winter|tiger|castle|monkey|ocean|purple|rocket|summer)`

// formKinds are expressions for draw; N is the number behind the kind.
var formKinds = map[string]string{
	"pw": `[a-z]{5,8}[A-Z][0-9][a-z]{3,6}`, "pw2": `[a-z]{5,8}[A-Z][0-9][a-z]{3,6}`,
	"word": formWords + formWords, "words": formWords + ` ` + formWords + ` ` + formWords + ` ` + formWords,
	"sym": `[A-Z][a-z]{4,6}[0-9]{2}[!@#%^*?=_-][a-z]{2,4}[!?#]`, "sym2": `[A-Z][a-z]{5,8}[0-9]{2,4}[!#@?]`,
	"sym3": `[A-Z][a-z]{5,8}[0-9]{2,4}[!#@?]`, "sym4": `[a-zA-Z0-9]{4}[;:,.*(][a-z]{3}[0-9][A-Z]{3}`,
	"alnum": `[A-Za-z0-9]{N}`, "digits": `[0-9]{N}`, "hex": `[0-9a-f]{N}`, "b64x": `[A-Za-z0-9+/]{N}`, "base32x": `[A-Z2-7]{N}`,
	"uuid": `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, "ulid": `01[0-9A-HJKMNP-TV-Z]{24}`, "nix": `[0-9a-df-np-sv-z]{N}`,
}

// fill replaces the kinds by drawn text, encodes what stands in calls, and returns the text and the secrets in it as they stand there.
func (f form) fill(rnd *rand.Rand) (text string, secrets []string) {
	text = strings.NewReplacer("⏎", "\n", "→", "\t").Replace(f.text)
	text = formKind.ReplaceAllStringFunc(text, func(part string) string {
		m := formKind.FindStringSubmatch(part)
		if m[1] == "same" {
			return secrets[len(secrets)-1]
		}
		s := draw(rnd, strings.ReplaceAll(formKinds[m[1]], "N", m[2])).text
		secrets = append(secrets, s)
		return s
	})
	for {
		// The innermost call is the last that opens.
		from, name, content := lastCall(text)
		if from < 0 {
			return text, secrets
		}
		to := strings.Index(text[content:], ")}")
		inner := text[content : content+to]
		encoded := formEncode(name, inner)
		for _, s := range secrets {
			if strings.Contains(inner, s) {
				if name == "pct" {
					secrets = append(secrets, formEncode(name, s))
				} else {
					secrets = append(secrets, encoded)
				}
			}
		}
		text = text[:from] + encoded + text[content+to+2:]
	}
}

func lastCall(text string) (from int, name string, content int) {
	for i := len(text); i > 0; i-- {
		if m := formCall.FindStringSubmatchIndex(text[:i]); m != nil {
			return m[0], text[m[2]:m[3]], m[1]
		}
	}
	return -1, "", 0
}

func formEncode(name, s string) string {
	switch name {
	case "b64":
		return base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(s, `\0`, "\x00")))
	case "b64url":
		return base64.RawURLEncoding.EncodeToString([]byte(s))
	case "b64u16":
		var wide []byte
		for _, u := range utf16.Encode([]rune(s)) {
			wide = append(wide, byte(u), byte(u>>8))
		}
		return base64.StdEncoding.EncodeToString(wide)
	case "hex":
		return hex.EncodeToString([]byte(s))
	case "HEX":
		return strings.ToUpper(hex.EncodeToString([]byte(s)))
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if strings.IndexByte("-._~", c) >= 0 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
		}
	}
	return b.String()
}

// leaks returns the first secret, or part of one, that stays in one of some drawings of the form: in the whole text, or in a head.
func (f form) leaks() (text, out string) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for range 20 {
		text, secrets := f.fill(rnd)
		whole, _ := Text(text)
		for _, out := range []string{whole, Head(text, 4000)} {
			for _, s := range secrets {
				if leak(out, s) != "" {
					return text, out
				}
			}
		}
	}
	return "", ""
}

// changed returns what became of a drawing of the form in which something was redacted.
func (f form) changed() (text, out string) {
	rnd := rand.New(rand.NewPCG(23, 24))
	for range 20 {
		text, _ := f.fill(rnd)
		if out, n := Text(text); n > 0 {
			return text, out
		}
		if out := Head(text, 4000); strings.Contains(out, markOpen) {
			return text, out
		}
	}
	return "", ""
}
