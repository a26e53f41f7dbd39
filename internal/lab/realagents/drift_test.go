//go:build agents

package realagents

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/trace/shapes"
)

// drift prints what the session files below work have that the agents' lists lack, and the fields of hooks' payloads that no adapter knows.
func drift(out io.Writer, work string) error {
	stored, hooked := map[string]*shapes.Unknown{}, map[string]map[string]int{}
	err := filepath.WalkDir(work, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // a socket, or what a killed client left
		}
		if e.Name() == "workflow.log" {
			return hookDrift(path, hooked)
		}
		for _, a := range agentcli.All() {
			known, ok := shapes.Known(a.Name)
			if _, below, inside := strings.Cut(path, "/home/"+a.Home.Dir+"/"); ok && inside {
				if match, _ := filepath.Match(a.Store.Sessions, below); match {
					if stored[a.Name] == nil {
						stored[a.Name] = &shapes.Unknown{}
					}
					return eachRecord(path, func(line []byte) { stored[a.Name].Add(line, known) })
				}
			}
		}
		return nil
	})
	for _, a := range agentcli.All() {
		if u := stored[a.Name]; u != nil {
			fmt.Fprintf(out, "drift: %s: %d unknown names in %d records of session files\n", a.Title, len(u.Names), u.Records)
			for _, name := range slices.Sorted(maps.Keys(u.Names)) {
				fmt.Fprintf(out, "+ %s (%d records)\n", name, u.Names[name])
			}
		}
		if fields := hooked[a.Name]; len(fields) > 0 {
			fmt.Fprintf(out, "drift: %s: unknown fields of hooks' payloads\n", a.Title)
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				fmt.Fprintf(out, "+ %s (%d payloads)\n", name, fields[name])
			}
		}
	}
	return err
}

func hookDrift(path string, hooked map[string]map[string]int) error {
	return eachRecord(path, func(line []byte) {
		entry := gjson.ParseBytes(line)
		source := entry.Get("source").Str
		entry.Get("data.fields").ForEach(func(key, _ gjson.Result) bool {
			if hooked[source] == nil {
				hooked[source] = map[string]int{}
			}
			hooked[source][entry.Get("event").Str+"."+key.Str]++
			return true
		})
	})
}

func eachRecord(path string, f func(line []byte)) error {
	data, err := os.ReadFile(path)
	for line := range bytes.Lines(data) {
		f(line)
	}
	return err
}
