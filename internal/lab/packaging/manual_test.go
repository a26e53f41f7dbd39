package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// Each command and each option that aburn's help names stands in the manual, and the readers of manuals accept it.
func TestManual(t *testing.T) {
	world.Slow(t)
	r := testRelease(t)
	files, err := paged()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := write(dir, files); err != nil {
		t.Fatal(err)
	}
	programs, err := r.native(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(dir, "bin"), programs); err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.name] = strings.ReplaceAll(string(f.data), `\-`, "-")
	}
	seen := 0
	var explained func(page string, words []string)
	say := func(args ...string) (string, error) {
		out, err := exec.Command(filepath.Join(dir, "bin", here.exe("aburn")), args...).Output()
		return string(out), err
	}
	explained = func(page string, words []string) {
		out, err := say(append(words, "--help")...)
		if err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		h, err := parseHelp(out)
		if err != nil {
			t.Fatal(err)
		}
		if len(words) == 0 { // its help shows the most used commands
			if out, err = say("help", "all"); err != nil {
				t.Fatal(err)
			}
			if h, err = parseHelp("all - all\n\nUsage: all\n\n" + out); err != nil {
				t.Fatal(err)
			}
		}
		for _, option := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(out, -1) {
			if seen++; !strings.Contains(text[page], option) {
				t.Errorf("%s does not name %s of %v", page, option, words)
			}
		}
		for _, name := range h.commandNames() {
			next := page
			if len(words) == 0 {
				next = "man/aburn-" + name + ".1"
			}
			explained(next, append(append([]string{}, words...), name))
		}
	}
	explained("man/aburn.1", nil)
	if seen < 100 {
		t.Errorf("only %d options were found", seen)
	}
	for _, name := range r.Executables {
		if text["man/"+name+".1"] == "" {
			t.Errorf("%s has no page", name)
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff here, which would read the pages")
	}
	for name := range text {
		if strings.HasPrefix(name, "man/") {
			if out, err := exec.Command("groff", "-man", "-ww", "-z", "-Tutf8", filepath.Join(dir, name)).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v %s", err, out)
			}
		}
	}
}

// Each shell that is here accepts its script.
func TestCompletionsAreScripts(t *testing.T) {
	world.Slow(t)
	files, err := paged()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := write(dir, files); err != nil {
		t.Fatal(err)
	}
	for shell, name := range completions {
		path := filepath.Join(dir, "completions", name)
		if data, err := os.ReadFile(path); err != nil || len(data) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Log("no ", shell, " here")
			continue
		}
		if out, err := exec.Command(shell, "-n", path).CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v %s", shell, err, out)
		}
	}
}

func TestHelpIsRead(t *testing.T) {
	h, err := parseHelp(`aburn pot - keep tea
  warm

Usage: aburn pot [options] TEA
aburn pot --list

One paragraph
in two lines.

.Another 'one', with a \ and a ✔.

Commands:
  pour, p  fill a cup

Options:
  -n, --number-of-cups HOW-MANY
               as many as HOW-MANY, which is
               a number
  --lid        with it

Examples:
  aburn pot green  # it is said
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `.TH ABURN\-POT 1 0001-01-01 "aburn 0.1.0" aburn
.SH NAME
aburn\-pot \- keep tea warm
.SH SYNOPSIS
.B aburn pot [options] TEA
.br
.B aburn pot \-\-list
.SH DESCRIPTION
One paragraph in two lines.
.PP
\&.Another \(aqone\(aq, with a \e and a \[u2714].
.SH "COMMANDS"
.TP
.B pour, p
fill a cup
.SH "OPTIONS"
.TP
.B \-n, \-\-number\-of\-cups HOW\-MANY
as many as HOW\-MANY, which is a number
.TP
.B \-\-lid
with it
.SH "EXAMPLES"
.nf
aburn pot green  # it is said
.fi
.SH "SEE ALSO"
.BR aburn (1)
`
	if got := string(h.roff(Release{Version: "v0.1.0"})); got != want {
		t.Errorf("got\n%s", got)
	}
	if names := h.commandNames(); len(names) != 1 || names[0] != "pour" {
		t.Errorf("its commands are %v", names)
	}
	if _, err := parseHelp("aburn: error: no command pot"); err == nil {
		t.Error("an error was taken for help")
	}
}
