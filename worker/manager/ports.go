package manager

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// Port is a variable that gets a port of its own; From is where the search begins, 0 is anywhere.
type Port struct {
	Name string
	From int
}

const portsFile = "ports"

const (
	firstPort = 3000
	portStep  = 10 // between the blocks of two workers; more where a worker has more
	lastPort  = 32_767
)

// claimPorts gives the worker ports that no other worker has and that can be bound now. Workers of all projects of this
// user are asked, under one lock.
func claimPorts(c *Manager, book *ledger.Book, s *Spawned, ports []Port) error {
	if len(ports) == 0 {
		return nil
	}
	above := filepath.Dir(c.Store.Dir)
	root, err := os.OpenRoot(above)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, "ports.lock", patience)
	if err != nil {
		return err
	}
	defer lock.Release()
	chosen := free(ports, claimed(above))
	if chosen == nil {
		return &tree.Problem{Text: "no free block of " + plain.Plural(int64(len(ports)), "port"), Advice: "aburn cleanup gives those of ended workers back"}
	}
	b, err := json.Marshal(chosen)
	if err == nil {
		err = os.WriteFile(filepath.Join(book.Dir, portsFile), b, 0o600)
	}
	if err != nil {
		return err
	}
	for _, p := range ports {
		s.Steps = append(s.Steps, p.Name+"="+strconv.Itoa(chosen[p.Name]))
	}
	s.Env = append(s.Env, portEnv(c, book)...)
	e := stepped("ports")
	e.Ports = chosen
	return book.Append(e)
}

// portEnv is what the worker's ports add to its environment, at each of its starts.
func portEnv(c *Manager, book *ledger.Book) (env []string) {
	var chosen map[string]int
	if b, err := os.ReadFile(filepath.Join(book.Dir, portsFile)); err != nil || json.Unmarshal(b, &chosen) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		env = append(env, name+"="+strconv.Itoa(chosen[name]))
	}
	return append(env, "COMPOSE_PROJECT_NAME="+strings.Trim(strings.ToLower(c.Store.Key+"-"+book.Name), "-_"))
}

// writeEnvFile writes the worker's ports into a file of its tree, for programs that read such a file instead of their environment.
func writeEnvFile(ctx context.Context, c *Manager, t *tree.Tree, book *ledger.Book, s *Spawned, path string, all []tree.Copied) ([]tree.Copied, error) {
	env := portEnv(c, book)
	if path == "" || len(env) == 0 {
		return all, nil
	}
	why, one, err := t.AddLines(ctx, path, strings.Join(env, "\n")+"\n")
	if err != nil {
		return all, err
	}
	if why != "" {
		s.Warnings = append(s.Warnings, "env_file: "+path+" "+why)
		return all, nil
	}
	s.Steps = append(s.Steps, "ports in "+path)
	all = slices.DeleteFunc(all, func(c tree.Copied) bool { return c.Path == one.Path })
	return append(all, one), nil
}

// claimed are the ports of all workers of this user.
func claimed(above string) map[int]bool {
	taken := map[int]bool{}
	files, _ := filepath.Glob(filepath.Join(above, "*", "*", portsFile))
	for _, file := range files {
		var ports map[string]int
		if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, &ports) == nil {
			for _, n := range ports {
				taken[n] = true
			}
		}
	}
	return taken
}

func free(ports []Port, taken map[int]bool) map[string]int {
	step := max(portStep, len(ports))
	for k := 1; k*step+firstPort <= lastPort; k++ {
		chosen, used, ok := map[string]int{}, map[int]bool{}, true
		for i, p := range ports {
			n := firstPort + k*step + i
			if p.From > 0 {
				n = p.From + k*step
			}
			if ok = n <= 65_535 && !taken[n] && !used[n] && bindable(n); !ok {
				break
			}
			chosen[p.Name], used[n] = n, true
		}
		if ok {
			return chosen
		}
	}
	return nil
}

// bindable tries a port on all addresses and on the loopback one: on some systems one works where the other is taken.
func bindable(port int) bool {
	for _, host := range []string{"", "127.0.0.1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}
