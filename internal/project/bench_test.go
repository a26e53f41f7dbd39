package project

import "testing"

// BenchmarkFind is what a hook pays: find the project and open its .oss, from a folder three below it.
func BenchmarkFind(b *testing.B) {
	for _, name := range []string{"own folder", "another"} {
		b.Run(name, func(b *testing.B) {
			w := &world{t: new(testing.T), root: b.TempDir()}
			w.vars = map[string]string{"HOME": w.root + "/home", "XDG_STATE_HOME": w.root + "/state"}
			w.draw("home/work/p/.oss/\nhome/work/p/.git/HEAD=ref: refs/heads/main\nhome/work/p/a/b/c/")
			start := w.path("home/work/p/a/b/c")
			if name == "own folder" {
				b.Chdir(start)
			}
			for b.Loop() {
				p, err := Find(start, w.env)
				if err != nil {
					b.Fatal(err)
				}
				root, err := p.OpenOss()
				if err != nil {
					b.Fatal(err)
				}
				root.Close()
			}
		})
	}
}
