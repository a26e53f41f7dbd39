package install

import (
	"os"
	"path/filepath"
	"testing"
)

// Comments are the user's: they stay where they are, with a record of the install and without, also those that come later.
func TestComments(t *testing.T) {
	for _, c := range []struct{ name, before, add, after string }{
		{"around a last member", "{\n  // a\n  \"x\": 1 // b\n  // c\n}\n", "", "{\n  // a\n  \"x\": 1 // b\n  // c\n}\n"},
		{"a comment with a comma", "{\n  \"x\": 1, /* , */\n  \"y\": 2 /* } */ // ]\n}", "", "{\n  \"x\": 1, /* , */\n  \"y\": 2 /* } */ // ]\n}"},
		{"nothing but a comment", "{\n  // mine\n}\n", "", "{\n  // mine\n}\n"},
		{"on one line", `{"x": 1 /* a */}`, "", `{"x": 1 /* a */}`},
		{"one that comes later", "{\n  \"x\": 1\n}\n", " // later", "{\n  \"x\": 1\n} // later\n"},
		{"hooks with one", "{\n  \"hooks\": {\n    // none yet\n  }\n}\n", "", "{\n  \"hooks\": {\n    // none yet\n  }\n}\n"},
	} {
		for _, recorded := range []bool{true, false} {
			if !recorded && c.name == "hooks with one" {
				continue // without a record nobody knows that the object was there
			}
			t.Run(c.name, func(t *testing.T) {
				b := newBench(t, Qwen, []byte(c.before))
				b.install()
				if c.add != "" {
					installed := b.read()
					b.write(append(installed[:len(installed)-1:len(installed)-1], c.add+"\n"...))
				}
				if !recorded {
					if err := os.RemoveAll(filepath.Join(b.home, ".local")); err != nil {
						t.Fatal(err)
					}
				}
				load(t, b.read())
				b.uninstall()
				got := b.read()
				load(t, got)
				if recorded {
					b.want("uninstalled", got, []byte(c.after))
				} else if w, n := comments(c.after), comments(string(got)); w != n {
					t.Errorf("%q has other comments than %q", got, c.after)
				}
			})
		}
	}
}

// comments are those of a file.
func comments(data string) (all string) {
	d, err := scan("", []byte(data), true)
	if err != nil {
		return err.Error()
	}
	for _, c := range d.comments {
		all += d.text(c.start, c.end) + "\n"
	}
	return all
}

// A line comment behind which the hooks stood must not swallow what follows them.
func TestCommentBeforeTheHooksOnOneLine(t *testing.T) {
	b := newBench(t, Gemini, []byte("{\"x\": 1 // a\n}"))
	b.install()
	installed := string(b.read())
	b.write([]byte(installed[:len(installed)-2] + "}")) // the closing bracket behind the hooks
	b.uninstall()
	b.want("uninstalled", b.read(), []byte("{\"x\": 1 // a\n}"))
}
