package ingest

import (
	"sync"

	"aburn/internal/project"
	"aburn/trace"
)

// projects finds out which repository a session's folder belongs to, once a folder.
type projects struct {
	getenv func(string) string
	mu     sync.Mutex
	keys   map[string]string // by path
}

// settle sets the key of a project to the root of its main checkout. Where there is no work tree any more, the key is what
// an earlier reading found, else the path.
func (p *projects) settle(of *trace.Project) {
	if of.Path == "" || of.Key != "" && of.Key != of.Path {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key, ok := p.keys[of.Path]
	if !ok {
		key = of.Path
		if _, main := project.Checkout(of.Path, p.getenv); main != "" {
			key = main
		}
		p.keys[of.Path] = key
	}
	of.Key = key
}
