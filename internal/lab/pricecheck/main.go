// Pricecheck lists the models that installed agents name and that aburn has no price for (make prices-check). It reads the bytes of
// the agents' programs, and asks no network.
package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aburn/insight/cost"
)

func main() {
	programs := os.Args[1:]
	if len(programs) == 0 {
		for _, name := range []string{"claude", "codex"} {
			if path, err := exec.LookPath(name); err == nil {
				programs = append(programs, path)
			}
		}
	}
	os.Exit(run(os.Stdout, os.Stderr, programs))
}

// run returns 1 if a program names a model without a price, and 2 if there is no program to read.
func run(stdout, stderr io.Writer, programs []string) int {
	if len(programs) == 0 {
		fmt.Fprintln(stderr, "neither claude nor codex is installed: name their files or folders")
		return 2
	}
	prices, code := cost.Shipped(), 0
	for _, program := range programs {
		models, err := modelsIn(program)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 2
		}
		unpriced := slices.DeleteFunc(models, func(m string) bool { return prices.Knows(m) || known(prices, m) })
		fmt.Fprintf(stdout, "%s: %d models without a price\n", program, len(unpriced))
		for _, m := range unpriced {
			fmt.Fprintln(stdout, "  "+m)
			code = 1
		}
	}
	return code
}

// known reports whether the table says of a model that nobody states its price.
func known(p *cost.Prices, model string) bool {
	return slices.ContainsFunc(p.NotPriced, func(text string) bool { return slices.Contains(strings.FieldsFunc(text, notInName), model) })
}

func notInName(r rune) bool { return r == ' ' || r == ',' || r == ':' }

// modelsIn lists the models that the files of a program name, each once. A program is a file, or the folder of a package; of a link
// it is what the link leads to.
func modelsIn(program string) ([]string, error) {
	names := regexp.MustCompile(`\b(claude-(?:opus|sonnet|haiku|fable|mythos)-[0-9]+(?:[-.][0-9]+)*|gpt-[0-9]+(?:\.[0-9]+)?(?:-[a-z]+)*)\b`)
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	err = filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, name := range names.FindAll(data, -1) {
			seen[string(name)] = true
		}
		return err
	})
	var list []string
	for name := range seen {
		list = append(list, name)
	}
	slices.Sort(list)
	return list, err
}
