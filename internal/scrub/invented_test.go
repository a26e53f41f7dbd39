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
			if testing.Verbose() && !slices.Contains(unknown[file], c[0]) {
				t.Logf("%s\n  %q\n  %q", c[0], text, out)
			}
		}
	}
	return names, len(forms)
}

// unknown are the forms of each list that get through: nothing in them says that a password follows, or only what stands in ordinary
// texts too. docs/formats/scrubbing.md has the numbers that the frozen half and the second list had when they were first judged.
var unknown = map[string][]string{
	"invented.txt": {
		"code-vba", "yaml-htpasswd", "postfix", "asterisk", "tnsnames", "snmpd", "tex", "pr-userpass3", "pr-eq", "i-ftp2", "o-vault-unseal",
	},
	"invented-frozen.txt": {
		"opt-rsync", "opt-smbpasswd", "code-js-session", "yaml-cloudinit", "pppsecrets", "ipsec", "redis-acl", "curlrc", "pr-wifi", "i-prompt2", "i-prompt4",
		"i-redis", "o-mysql-init", "o-es2", "o-pwgen", "o-minio2", "o-ssm", "o-error3",
	},
	"second.txt": {"jmeter", "ldif-b64", "rspec", "pytest"},
}

func TestInventedForms(t *testing.T) {
	for file, want := range unknown {
		if got, all := through(t, file); !slices.Equal(got, want) {
			t.Errorf("%s: %d of %d forms get through: %s; were %s", file, len(got), all, got, want)
		}
	}
}

func TestLookalikes(t *testing.T) {
	for _, file := range [...]string{"lookalikes.txt", "lookalikes-frozen.txt", "second-lookalikes.txt"} {
		forms, redacted := readForms(t, file, 1), 0
		for _, c := range forms {
			if text, out := (form{"", c[0]}).changed(); text != "" {
				redacted++
				t.Errorf("%s: %q\n became %q", file, text, out)
			}
		}
		t.Logf("%s: %d of %d are redacted", file, redacted, len(forms))
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
