package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"aburn/instrument/rules"
	"aburn/internal/plain"
)

// Checked is a file with what the rules found in it.
type Checked struct {
	Path     string // from the repository's top folder, with /
	Text     []byte // the file that the findings are of; nil where it is not at hand
	Findings []rules.Finding
}

// Unchecked is a file that could not be judged.
type Unchecked struct {
	Path, Reason string
}

// SARIF words findings in the Static Analysis Results Interchange Format 2.1.0, which
// forges show in reviews. version is aburn's.
func SARIF(files []Checked, left []Unchecked, version string) ([]byte, error) {
	table := rules.Table()
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "aburn instrument check", Version: version, Rules: sarifRules(table)}},
		ColumnKind: "utf16CodeUnits", Results: []sarifResult{},
	}
	call := sarifInvocation{ExecutionSuccessful: len(left) == 0, Notifications: []sarifNotification{}}
	for _, u := range left {
		call.Notifications = append(call.Notifications, sarifNotification{"error", sarifText{plain.Line(u.Path + " was not judged: " + u.Reason)},
			[]sarifLocation{{Physical: sarifPhysical{Artifact: sarifArtifact{uriOf(u.Path)}}}}})
	}
	run.Invocations = []sarifInvocation{call}
	for _, file := range files {
		seen := map[string]int{}
		for _, f := range file.Findings {
			run.Results = append(run.Results, sarifResultOf(table, file, f, seen))
		}
	}
	out := bytes.Buffer{}
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]any{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []sarifRun{run}})
	return out.Bytes(), err
}

func sarifRules(table []rules.Rule) (list []sarifRule) {
	for _, r := range table {
		list = append(list, sarifRule{ID: r.ID, Short: sarifText{r.Name}, Full: sarifText{r.Why}, Help: sarifText{"like: " + r.Example},
			Default: sarifConfiguration{sarifLevel(r.Severity)}})
	}
	return list
}

func sarifLevel(s rules.Severity) string {
	if s == rules.Blocking {
		return "error"
	}
	return "warning"
}

func sarifResultOf(table []rules.Rule, file Checked, f rules.Finding, seen map[string]int) sarifResult {
	at := sarifLocation{Physical: sarifPhysical{sarifArtifact{uriOf(file.Path)}, &sarifRegion{f.Line, utf16Column(file.Text, f.Line, f.Column)}}}
	if f.Function != "" {
		at.Logical = []sarifLogical{{plain.Line(f.Function), "function"}}
	}
	same := f.Rule + "\x00" + file.Path + "\x00" + f.Function + "\x00" + f.Message
	seen[same]++
	sum := sha256.Sum256([]byte(same + "\x00" + strconv.Itoa(seen[same])))
	return sarifResult{
		Rule: f.Rule, Index: slices.IndexFunc(table, func(r rules.Rule) bool { return r.ID == f.Rule }), Level: sarifLevel(f.Severity),
		Message: sarifText{plain.Line(f.Message) + ". Why: " + f.Why + ". Like: " + f.Example}, Locations: []sarifLocation{at},
		// It has no line: a finding that only moved is the same finding.
		Prints: map[string]string{"aburn/v1": hex.EncodeToString(sum[:16])},
	}
}

// uriOf is a path as a relative URI.
func uriOf(path string) string { return (&url.URL{Path: path}).String() }

// utf16Column converts a column in bytes, from 1, to one in UTF-16 code units.
func utf16Column(text []byte, line, column int) int {
	for range line - 1 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	text, _, _ = bytes.Cut(text, []byte("\n"))
	if column < 1 || column-1 > len(text) {
		return max(column, 1)
	}
	return len(utf16.Encode([]rune(strings.ToValidUTF8(string(text[:column-1]), "\uFFFD")))) + 1
}

// The members of SARIF that aburn writes, by their names in the format.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string             `json:"id"`
		Short   sarifText          `json:"shortDescription"`
		Full    sarifText          `json:"fullDescription"`
		Help    sarifText          `json:"help"`
		Default sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifResult struct {
		Rule      string            `json:"ruleId"`
		Index     int               `json:"ruleIndex"`
		Level     string            `json:"level"`
		Message   sarifText         `json:"message"`
		Locations []sarifLocation   `json:"locations"`
		Prints    map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)
