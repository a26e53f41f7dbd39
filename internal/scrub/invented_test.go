package scrub

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// notFound are the forms of blind.txt that get through, as docs/formats/scrubbing.md says.
var notFound = []string{"docker-auths", "prose-pin", "prose-otp"}

// Each other form is found, and no near miss is.
func TestBlindForms(t *testing.T) {
	var through []string
	forms := readForms(t, "blind.txt", 3)
	for _, c := range forms {
		if text, _ := (form{c[0], c[1]}).leaks(); text != "" {
			through = append(through, c[0])
		}
		if out, n := Text(c[2]); n > 0 {
			t.Errorf("%s: near miss became %s", c[0], out)
		}
	}
	if !slices.Equal(through, notFound) {
		t.Errorf("%d of %d forms get through: %s; the docs say %s", len(through), len(forms), through, notFound)
	}
}

// through are the forms of a file that get through.
func through(t *testing.T, file string) (names []string, all int) {
	t.Helper()
	forms := readForms(t, file, 2)
	for _, c := range forms {
		if text, out := (form{c[0], c[1]}).leaks(); text != "" {
			names = append(names, c[0])
			if testing.Verbose() && file == "invented.txt" {
				t.Logf("%s\n  %q\n  %q", c[0], text, out)
			}
		}
	}
	return names, len(forms)
}

// unknown are the forms of invented.txt that get through: nothing in them says that a password follows, or only what stands in
// ordinary texts too.
var unknown = []string{
	"code-vba", "yaml-htpasswd", "postfix", "asterisk", "tnsnames", "snmpd", "tex", "pr-userpass3", "pr-eq", "i-ftp2", "i-sql9", "o-vault-unseal",
}

func TestInventedForms(t *testing.T) {
	if got, all := through(t, "invented.txt"); !slices.Equal(got, unknown) {
		t.Errorf("%d of %d forms get through: %s; the docs say %s", len(got), all, got, unknown)
	}
}

// The first judgement of the frozen halves, on 2026-11-28: how many forms got through, and how many look-alikes were redacted.
const (
	frozenThrough  = 55
	frozenRedacted = 10
)

// Nobody tunes on the frozen half: the test tells how many get through, never which.
func TestFrozenForms(t *testing.T) {
	got, all := through(t, "invented-frozen.txt")
	t.Logf("%d of %d frozen forms get through", len(got), all)
	if len(got) > frozenThrough {
		t.Errorf("%d of %d frozen forms get through, were %d", len(got), all, frozenThrough)
	}
	redacted, looks := 0, readForms(t, "lookalikes-frozen.txt", 1)
	for _, c := range looks {
		if text, _ := (form{"", c[0]}).changed(); text != "" {
			redacted++
		}
	}
	t.Logf("%d of %d frozen look-alikes are redacted", redacted, len(looks))
	if redacted > frozenRedacted {
		t.Errorf("%d of %d frozen look-alikes are redacted, were %d", redacted, len(looks), frozenRedacted)
	}
}

func TestLookalikes(t *testing.T) {
	for _, c := range readForms(t, "lookalikes.txt", 1) {
		if text, out := (form{"", c[0]}).changed(); text != "" {
			t.Errorf("%q\n became %q", text, out)
		}
	}
}

// A text that is cut anywhere is searched without a fault, and once is enough.
func TestCutForms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	texts := innocents(t)
	for _, c := range readForms(t, "invented.txt", 2) {
		s, _ := form{c[0], c[1]}.fill(rnd)
		texts = append(texts, s)
	}
	for n, s := range texts {
		for i := n % 3; i < len(s); i += 3 {
			for _, cut := range []string{s[:i], s[i:], s[:i] + texts[(n+i)%len(texts)]} {
				out, count := Text(cut)
				if again, more := Text(out); more != 0 || len(out) > len(cut)+count*MaxMarker {
					t.Fatalf("%q\n became %q\n and %q", cut, out, again)
				}
			}
		}
	}
}
