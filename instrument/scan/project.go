package scan

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxThrough is how many functions of the project may stand between a function and the call that
// leaves the program.
const maxThrough = 8

// spot is one function of a project.
type spot struct {
	file     *File
	function int
}

// project is the graph of calls of all files.
type project struct {
	files map[string]*File
	busy  map[spot]bool
	known map[spot]*way
}

// way is how a function leaves the program.
type way struct {
	through []string // functions of the project, the called one first
	call    string
	pkg     string
}

// Join judges functions over the files of a project: those that entries, the files that package.json
// names, give to others or start. One of them that leaves the program by way of other functions is a
// candidate. Each file is one that Inventory made and Forget has not seen.
func Join(files []*File, entries []string) {
	p := &project{files: map[string]*File{}, busy: map[spot]bool{}, known: map[spot]*way{}}
	for _, f := range files {
		p.files[f.Path] = f
	}
	public := map[spot]bool{}
	for _, name := range entries {
		f := p.files[name]
		if f == nil || f.links == nil {
			continue
		}
		for _, t := range f.links.top {
			p.find(f, t, 0, public)
		}
		for _, e := range f.links.exports {
			p.give(f, e, 0, public)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(public), func(a, b spot) int {
		return cmp.Or(strings.Compare(a.file.Path, b.file.Path), a.function-b.function)
	}) {
		fn := &at.file.Functions[at.function]
		if w := p.leaves(at, 0); w != nil && fn.Verdict == Skip && !fn.part && fn.Async { // a span of one that answers by a callback would end too early
			fn.Verdict, fn.Tier, fn.Through = Candidate, 1, w.through
			fn.Reason = fmt.Sprintf("it calls %s of %s", w.call, w.pkg)
			if len(w.through) > 0 {
				fn.Reason = fmt.Sprintf("it calls %s, which calls %s of %s", strings.Join(w.through, ", which calls "), w.call, w.pkg)
			}
			if fn.Span != "" {
				fn.Reason += "; the registry has the span " + fn.Span
			}
		}
	}
}

// give marks what an export gives.
func (p *project) give(f *File, e exportLink, depth int, public map[spot]bool) {
	if depth > maxThrough {
		return
	}
	if e.class != "" {
		for i := range f.Functions {
			if method, ok := strings.CutPrefix(f.Functions[i].Name, e.class+"."); ok && !strings.HasPrefix(method, "#") && !strings.HasPrefix(method, "_") {
				public[spot{f, i}] = true
			}
		}
	}
	for _, t := range e.to {
		if e.name == "*" {
			if to := p.module(f, t.module); to != nil {
				for _, e := range to.links.exports {
					p.give(to, e, depth+1, public)
				}
			}
			continue
		}
		p.find(f, t, depth, public)
	}
}

// find marks the functions that a target is.
func (p *project) find(f *File, t target, depth int, public map[spot]bool) {
	if t.function >= 0 {
		public[spot{f, t.function}] = true
		return
	}
	if to := p.module(f, t.module); to != nil {
		for _, e := range to.links.exports {
			if e.names(t.name) {
				p.give(to, e, depth+1, public)
			}
		}
	}
}

// names says whether an export is what a module gives by a name. The default of a module of
// CommonJS is the module itself.
func (e exportLink) names(name string) bool {
	return e.name == name || e.name == "" && name == "default" || e.name == "default" && name == ""
}

// leaves says how a function leaves the program by calls that no library covers; nil if it does not.
func (p *project) leaves(at spot, depth int) *way {
	if w, ok := p.known[at]; ok {
		return w
	}
	if p.busy[at] || depth > maxThrough {
		return nil
	}
	p.busy[at] = true
	defer delete(p.busy, at)
	fn := &at.file.Functions[at.function]
	for _, c := range fn.Calls {
		if len(c.CoveredBy) == 0 || offByDefault[c.Package] != "" {
			p.known[at] = &way{nil, c.Call, c.Package}
			return p.known[at]
		}
	}
	for _, t := range at.file.links.calls[at.function] {
		if w := p.by(at.file, t, depth+1); w != nil {
			p.known[at] = w
			return w
		}
	}
	if depth == 0 { // deeper ones may have met the bound, or a function that is being looked at
		p.known[at] = nil
	}
	return nil
}

// by says how a called function leaves the program.
func (p *project) by(f *File, t target, depth int) *way {
	if depth > maxThrough {
		return nil
	}
	if t.function >= 0 {
		return p.into(spot{f, t.function}, depth)
	}
	to := p.module(f, t.module)
	if to == nil {
		return nil
	}
	named := false
	for _, e := range to.links.exports {
		var list []target
		switch {
		case e.names(t.name):
			list, named = e.to, true
		case e.name == "*":
			for _, star := range e.to {
				list = append(list, target{function: -1, module: star.module, name: t.name})
			}
		}
		for _, next := range list {
			if w := p.by(to, next, depth+1); w != nil {
				return w
			}
		}
	}
	if !named && t.name != "" && to.links.wraps != "" { // exports[method] = u(fs[method])
		return &way{nil, t.call, to.links.wraps + " by way of " + to.Path}
	}
	return nil
}

func (p *project) into(at spot, depth int) *way {
	w := p.leaves(at, depth)
	if w == nil {
		return nil
	}
	return &way{append([]string{at.file.Functions[at.function].Name}, w.through...), w.call, w.pkg}
}

// module is the file of the project that a module's name means.
func (p *project) module(f *File, name string) *File {
	if !strings.HasPrefix(name, ".") {
		return nil
	}
	base := path.Join(path.Dir(f.Path), name)
	for _, at := range Candidates(base) {
		if to := p.files[at]; to != nil && to.links != nil {
			return to
		}
	}
	return nil
}

// Candidates are the files that a module's path can mean, the likeliest first.
func Candidates(base string) []string {
	list := []string{base}
	for _, ext := range []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts"} {
		list = append(list, base+ext, base+"/index"+ext)
	}
	if ext := path.Ext(base); ext == ".js" || ext == ".mjs" || ext == ".cjs" { // of a TypeScript file
		list = append(list, strings.TrimSuffix(base, ext)+strings.Replace(ext, "js", "ts", 1))
	}
	return list
}
