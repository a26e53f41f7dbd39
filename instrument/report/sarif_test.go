package report

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"aburn/instrument/rules"
)

// TestSARIF: what forges get is valid by the format's own schema, columns are UTF-16 code units,
// and two findings of the same text have fingerprints of their own.
func TestSARIF(t *testing.T) {
	finding := rules.Finding{Rule: "NDS-003", Severity: rules.Blocking, Line: 2, Column: 9, Function: "place", Message: "is b, was a", Why: "w", Example: "e"}
	later := finding
	later.Line, later.Severity = 3, rules.Advisory
	text, err := SARIF([]Checked{
		{Path: "src/a b:ü.js", Text: []byte("f();\n/*😀ü*/ b;\nb;\n"), Findings: []rules.Finding{finding, later}},
		{Path: "package.json", Findings: []rules.Finding{{Rule: "API-002", Severity: rules.Advisory, Line: 1, Column: 1, Message: "m"}}},
	}, []Unchecked{{"x.tsx", "TypeScript with JSX cannot be judged"}}, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	validSARIF(t, text)
	var log struct{ Runs []sarifRun }
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	list := log.Runs[0].Results
	if at := list[0].Locations[0].Physical; at.Region.StartColumn != 6 || at.Artifact.URI != "src/a%20b:%C3%BC.js" {
		t.Errorf("the place: %+v %+v", at.Artifact, at.Region)
	}
	if list[0].Prints["aburn/v1"] == list[1].Prints["aburn/v1"] || list[0].Level != "error" || list[1].Level != "warning" {
		t.Errorf("two findings of one text: %+v %+v", list[0], list[1])
	}
	if id := log.Runs[0].Tool.Driver.Rules[list[2].Index].ID; id != "API-002" {
		t.Errorf("the index of API-002 is that of %s", id)
	}
	none, err := SARIF(nil, nil, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	validSARIF(t, none)
}

// validSARIF validates against the schema of OASIS, errata 01 of 2.1.0, as it was published.
func validSARIF(t *testing.T, text []byte) {
	t.Helper()
	f, err := os.Open("testdata/sarif-schema-2.1.0.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
