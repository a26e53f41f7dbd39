package shell

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

// drawn is a line in one line: programs separated by " ; ", unknown parts as …, then the reasons why it is opaque.
func drawn(l *Line) string {
	var list []string
	for _, p := range l.Programs {
		text := cmp.Or(p.Path.Text, p.Name)
		for _, a := range p.Args {
			text += " " + a.Text
		}
		for _, r := range p.Redirects {
			switch {
			case r.Append:
				text += " >>" + r.Path.Text
			case r.Write:
				text += " >" + r.Path.Text
			default:
				text += " <" + r.Path.Text
			}
		}
		if p.Download {
			text += " (download)"
		}
		if p.Remote {
			text += " (remote)"
		}
		list = append(list, text)
	}
	text := strings.Join(list, " ; ")
	for _, o := range l.Opaque {
		text += " | " + o
	}
	return strings.ReplaceAll(text, Hole, "…")
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`git status`, `git status`},
		{`a | b && c || d; e & f`, `a ; b ; c ; d ; e ; f`},
		{`(a; { b; }) ; if c; then d; elif e; then f; else g; fi`, `a ; b ; c ; d ; e ; f ; g`},
		{`while a; do b; done; case x in y) c;; *) d;; esac`, `a ; b ; c ; d`},
		{`for f in x y; do rm $f; done`, `rm x ; rm y`},
		{`for f in *.go; do rm "$f"; done`, `rm …`},
		{`g\it "re""set" --ha''rd`, `git reset --hard`},
		{`git $'re\x73et'`, `git reset`},
		{`x=reset; git $x --hard`, `git reset --hard`},
		{`x="a b"; rm $x "$x"`, `rm a b a b`},
		{`x=$(date); git $x`, `date ; git …`},
		{`rm ${x:-/tmp}`, `rm …`},
		{`rm ~/a "$HOME/b" '~/c'`, `rm /h/a /h/b ~/c`},
		{`rm {a,b}/{1..2}`, `rm a/1 a/2 b/1 b/2`},
		{`echo $(git reset --hard)`, "git reset --hard ; echo …"},
		{"echo `git push -f`", "git push -f ; echo …"},
		{`x=$(pwd); rm $x/a`, `pwd ; rm /p/a`},
		{`cd src && rm a`, `cd src ; rm a`},
		{`sh -c 'a; b'`, `sh -c a; b ; a ; b`},
		{`bash -lc "a"`, `bash -lc a ; a`},
		{`sh -c 'rm $1' x y`, `sh -c rm $1 x y ; rm y`},
		{`sudo -u x env A=b timeout 5 nice -n 3 git gc`,
			`sudo -u x env A=b timeout 5 nice -n 3 git gc ; env A=b timeout 5 nice -n 3 git gc ; timeout 5 nice -n 3 git gc ; nice -n 3 git gc ; git gc`},
		{`env -S 'git gc'`, `env -S git gc ; git gc`},
		{`xargs -n1 rm -f`, `xargs -n1 rm -f ; rm -f`},
		{`echo a b | xargs rm`, `echo a b ; xargs rm ; rm a b`},
		{`echo a | xargs -I{} mv {} {}.old`, `echo a ; xargs -I{} mv {} {}.old ; mv a a.old`},
		{`find . -name x -exec rm {} \;`, `find . -name x -exec rm {} ; ; rm x`},
		{`find /a -exec rm {} + -exec cat {} \;`, `find /a -exec rm {} + -exec cat {} ; ; rm /a/* ; cat /a/*`},
		{`eval "git gc"`, `eval git gc ; git gc`},
		{`eval "$x"`, `eval … ; … | a script is not wholly in the text | the name of a program is not in the text`},
		{`$x a`, `… a | the name of a program is not in the text`},
		{`alias g='git reset'; g --hard`, `alias g=git reset ; git reset --hard`},
		{`f() { git $1; }; f gc`, `git gc`},
		{`f() { git gc; }`, ``},
		{"bash <<'EOF'\ngit gc\nEOF", `bash ; git gc`},
		{"cat <<'EOF'\ngit gc\nEOF", `cat`},
		{"cat <<EOF\n$(git gc)\nEOF", `git gc ; cat`},
		{"python3 <<'EOF'\nx\nEOF", `python3 | runs code of another language: python3`},
		{`bash <<< 'git gc'`, `bash ; git gc`},
		{`echo 'git gc' | sh`, `echo git gc ; sh ; git gc`},
		{`cat x | sh`, `cat x ; sh | a script comes from another program`},
		{`bash x.sh`, `bash x.sh | runs a file: x.sh`},
		{`./x.sh`, `./x.sh | runs a file of the project: x.sh`},
		{`python3 -c 'x'`, `python3 -c x | runs code of another language: python3 -c`},
		{`python3 -m pip list`, `python3 -m pip list ; pip list`},
		{`make x`, `make x | runs a file of the project: make`},
		{`npm run x`, `npm run x | runs a script of the project: npm run`},
		{`npx -y prisma@6 migrate reset`, `npx -y prisma@6 migrate reset ; prisma migrate reset`},
		{`pnpm exec prisma x`, `pnpm exec prisma x ; prisma x`},
		{`docker exec -it db psql -c x`, `docker exec -it db psql -c x ; psql -c x (remote)`},
		{`docker compose exec -T db psql`, `docker compose exec -T db psql ; psql (remote)`},
		{`kubectl exec -n a pod/db -- psql`, `kubectl exec -n a pod/db -- psql ; psql (remote)`},
		{`git -c alias.x='!rm a' x b`, `git -c alias.x=!rm a x b ; rm a`},
		{`git -c alias.x='reset --hard' x`, `git -c alias.x=reset --hard x ; git reset --hard`},
		{`git bisect run make`, `git bisect run make ; make | runs a file of the project: make`},
		{`git submodule foreach 'git gc'`, `git submodule foreach git gc ; git gc`},
		{`curl u://x | sh`, `curl u://x ; sh (download) | runs what it downloads`},
		{`curl u://x | tee f | sudo bash -s -- -y`, `curl u://x ; tee f ; sudo bash -s -- -y ; bash -s -- -y (download) | runs what it downloads`},
		{`bash <(curl u://x)`, `curl u://x ; bash … (download) | runs what it downloads`},
		{`sh -c "$(curl u://x)"`,
			`curl u://x ; sh -c … (download) ; … | a script is not wholly in the text | the name of a program is not in the text | runs what it downloads`},
		{`curl -o a u://x; sh a`, `curl -o a u://x ; sh a (download) | runs what it downloads`},
		{`curl u://x > a; chmod +x a; ./a`, `curl u://x >a ; chmod +x a ; ./a (download) | runs a file of the project: a | runs what it downloads`},
		{`curl u://x | jq .`, `curl u://x ; jq .`},
		{`curl u://x | python3 -c 'x'`, `curl u://x ; python3 -c x | runs code of another language: python3 -c`},
		{`> a; b >> c 2>&1 < d`, `: >a ; b >>c <d`},
		{`{ a; } > b`, `a ; : >b`},
		{`[[ -f $(git gc) ]]`, `git gc`},
		{`trap 'git gc' EXIT`, `trap git gc EXIT ; git gc`},
		{`# git gc`, ``},
		{`a; )`, `a | not valid shell`},
		{`a 'b`, ` | not valid shell`},
		{"a \x00 \xff b", "a \ufffd \ufffd b"},
		{``, ``},
	} {
		if got := drawn(Parse(c.in, Start{Dir: "/p", Home: "/h"})); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestFolders(t *testing.T) {
	for in, want := range map[string]string{
		`cd a && x`:                       "/p/a",
		`cd /a; cd ..; x`:                 "/",
		`(cd a); x`:                       "/p",
		`cd a | b; x`:                     "/p",
		`cd $y; x`:                        "",
		`cd; x`:                           "/h",
		`if y; then cd a; fi; x`:          "",
		`pushd a; popd; x`:                "",
		`env -C a x`:                      "/p/a",
		`bash -c 'cd a; x'`:               "/p/a",
		`bash -c 'cd a'; x`:               "/p",
		`f() { cd a; }; f; x`:             "/p/a",
		`cd a; cd -; x`:                   "",
		`for i in a b; do cd $i; done; x`: "/p",
	} {
		l := Parse(in, Start{Dir: "/p", Home: "/h"})
		last := l.Programs[len(l.Programs)-1]
		if last.Name != "x" || last.Dir != want {
			t.Errorf("%s: %s runs in %q, want %q", in, last.Name, last.Dir, want)
		}
	}
}

// TestHugeTexts: texts that would take a parser's stack or a long time are opaque, and end.
func TestHugeTexts(t *testing.T) {
	for name, text := range map[string]string{
		"brackets":   strings.Repeat("(", 900_000),
		"quotes":     strings.Repeat(`"$(`, 300_000),
		"keywords":   strings.Repeat("if a; then ", 90_000),
		"bangs":      strings.Repeat("! ", 400_000),
		"pipes":      strings.Repeat("a|", 400_000),
		"braces":     "echo " + strings.Repeat("{a,b}", 200),
		"sequence":   "echo {1..99999999}",
		"statements": strings.Repeat("a;", 400_000),
		"too long":   strings.Repeat("a ", MaxText),
		"functions":  "f() { g; g; }; g() { f; f; }; f",
		"alias":      "alias a='a b'; a",
		"evals":      strings.Repeat("eval ", 1000) + "x",
		"backquotes": strings.Repeat("`", 100_001),
		"dollars":    strings.Repeat("${a:-", 200_000),
		"arithmetic": strings.Repeat("$((", 200_000),
	} {
		l := Parse(text, Start{Dir: "/p", Home: "/h"})
		if len(l.Opaque) == 0 && name != "braces" && name != "sequence" && name != "alias" && name != "evals" && name != "bangs" && name != "functions" {
			t.Errorf("%s: %d programs and nothing opaque", name, len(l.Programs))
		}
	}
	big := "cat > f <<'EOF'\n" + strings.Repeat("some text (with brackets)\n", 39_000) + "EOF\ngit gc\n"
	if got := drawn(Parse(big, Start{})); got != "cat >f ; git gc" {
		t.Errorf("a document of 1 MB: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a | b", "x=$(a) b", "for i in {1..3}; do $i; done", "bash <<E\na\nE",
		`find . -exec a {} \;`, "f() { f; }; f", "git -c alias.a=b a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		panicked = func(r any) { t.Errorf("%v\n%s", r, debug.Stack()) }
		for _, p := range Parse(s, Start{Dir: "/p", Home: "/h"}).Programs {
			_ = fmt.Sprint(p)
		}
	})
}
