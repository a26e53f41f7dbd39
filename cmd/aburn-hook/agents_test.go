package main

import (
	"slices"
	"testing"

	"aburn/install"
	"aburn/internal/agentcli"
)

// TestAgents: whoever has hooks in its record has an adapter here and one for its settings, and nobody else has.
func TestAgents(t *testing.T) {
	var want, hooked, installed []string
	for _, a := range agentcli.All() {
		if a.Hooked() {
			want = append(want, a.Name)
		}
	}
	for _, a := range agents() {
		hooked = append(hooked, a.Name)
		if agentcli.Of(a.Name) != a.Agent {
			t.Errorf("the hooks of %s have another record", a.Name)
		}
	}
	for _, a := range install.Agents() {
		installed = append(installed, a.Name)
	}
	if !slices.Equal(hooked, want) || !slices.Equal(installed, want) {
		t.Errorf("records with hooks are of %v, hooks of %v, settings of %v", want, hooked, installed)
	}
}

// Of the variables that agents' records name, a detached ingest gets all.
func TestArchiveEnvironmentOfAgents(t *testing.T) {
	given := archiveEnv(func(name string) string { return "/of/" + name }, "/project", "/project")
	for _, a := range agentcli.All() {
		for _, name := range a.Variables() {
			if name != "" && !slices.Contains(given, name+"=/of/"+name) {
				t.Errorf("%s of %s is missing in %v", name, a.Name, given)
			}
		}
	}
}
