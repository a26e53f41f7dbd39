package scrub

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// blindForm is one line of testdata/blind.txt.
type blindForm struct{ name, form, nearMiss string }

func blindForms(t *testing.T) (out []blindForm) {
	t.Helper()
	data, err := os.ReadFile("testdata/blind.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 {
			t.Fatalf("%d cells: %s", len(cells), line)
		}
		out = append(out, blindForm{cells[0], cells[1], cells[2]})
	}
	return out
}

var blindPart = regexp.MustCompile(`\{(pw2?|alnum|digits|b64x|base32x)(\d*)\}`)

// fill replaces each {kind} by drawn text, and returns the text and what was drawn.
func (b blindForm) fill(rnd *rand.Rand) (text string, secrets []string) {
	text = blindPart.ReplaceAllStringFunc(b.form, func(part string) string {
		m := blindPart.FindStringSubmatch(part)
		n, _ := strconv.Atoi(m[2])
		expr := map[string]string{
			"pw": `[a-z]{5,8}[A-Z][0-9][a-z]{3,6}`, "pw2": `[a-z]{5,8}[A-Z][0-9][a-z]{3,6}`, "alnum": `[A-Za-z0-9]{N}`, "digits": `[0-9]{N}`,
			"b64x": `[A-Za-z0-9+/]{N}`, "base32x": `[A-Z2-7]{N}`,
		}[m[1]]
		s := draw(rnd, strings.ReplaceAll(expr, "N", strconv.Itoa(n))).text
		secrets = append(secrets, s)
		return s
	})
	return text, secrets
}

// found reports whether no secret stays in twenty drawings of the form.
func (b blindForm) found() bool {
	rnd := rand.New(rand.NewPCG(21, 22))
	for range 20 {
		text, secrets := b.fill(rnd)
		out, _ := Text(text)
		for _, s := range secrets {
			if leak(out, s) != "" {
				return false
			}
		}
	}
	return true
}

// notFound are the forms that get through, as docs/formats/scrubbing.md says: a value that begins with + looks like code, a word
// behind a slash and a number in a sentence look like many things.
var notFound = []string{"docker-auths", "prose-slash", "prose-pin", "prose-otp"}

// Each other form is found, and no near miss is.
func TestBlindForms(t *testing.T) {
	var through []string
	forms := blindForms(t)
	for _, b := range forms {
		if !b.found() {
			through = append(through, b.name)
		}
		if out, n := Text(b.nearMiss); n > 0 {
			t.Errorf("%s: near miss became %s", b.name, out)
		}
	}
	if !slices.Equal(through, notFound) {
		t.Errorf("%d of %d forms get through: %s; the docs say %s", len(through), len(forms), through, notFound)
	}
}
