package instrument

import (
	"errors"
	"strings"
	"testing"

	"aburn/instrument/rules"
)

func TestParseConfig(t *testing.T) {
	c, err := ParseConfig("c.yaml", []byte("tracerName: shop\nrules:\n  CDQ-007: advisory\ntelemetry:\n  endpoint: http://localhost\nexclude: [a]\n"))
	if err != nil || c.TracerName != "shop" || c.Rules["CDQ-007"] != rules.Advisory || c.Telemetry.Endpoint == "" || c.MaxFilesPerRun != 50 ||
		len(c.Exclude) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := ParseConfig("c.yaml", []byte("registryPath: telemetry\n")); err != nil || c.SchemaPath != "telemetry" {
		t.Errorf("the specification's name: %+v, %v", c, err)
	}
	if c, err := ParseConfig("c.yaml", nil); err != nil || c.Mode != "plan" {
		t.Errorf("an empty file: %+v, %v", c, err)
	}
}

func TestConfigMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"\nmod: plan":                           `c.yaml:2: unknown key "mod"`,
		"mode: plans":                           `c.yaml:1: mode is "plans"`,
		"schemaPath: a\nregistryPath: b":        `c.yaml:2: schemaPath stands twice`,
		"mode: plan\nmode: plan":                `c.yaml:2: mode stands twice`,
		"concurrency: 9":                        "c.yaml:1: concurrency is 9, and has to be 1 to 8",
		"concurrency: 0":                        "c.yaml:1: concurrency is 0",
		"maxFilesPerRun: many":                  "c.yaml:1: many has to be a whole number",
		"dryRun: 5":                             "c.yaml:1: 5 has to be true or false",
		"mode: plan\nexclude: {a: b}":           "c.yaml:2: the value has to be a list of texts",
		"mode: plan\n\nexclude: [a\n":           "c.yaml:3: did not find expected ',' or ']'",
		"mode: plan\n\texclude: 1\n":            "c.yaml:2: found a tab character",
		"mode: plan\nexclude\n  b: c\n":         "c.yaml:2: could not find expected ':'",
		"- a":                                   "c.yaml:1: is no list of keys and values",
		"a: [":                                  "c.yaml:1: did not find expected node content",
		"telemetry:\n  url: x":                  `c.yaml:2: unknown key "url"`,
		"rules:\n  XXX-1: off":                  `c.yaml:2: unknown rule "XXX-1"`,
		"rules:\n  CDQ-007: low":                `c.yaml:2: the level of CDQ-007 is "low"`,
		"rules:\n  SAF-001: off":                "c.yaml:2: SAF-001 cannot be changed: without it a file may do something else than before",
		"rules: off":                            "c.yaml:1: rules holds no list of rules and levels",
		"tracerName: &a [b]\nexclude: *missing": "unknown anchor",
	} {
		_, err := ParseConfig("c.yaml", []byte(text))
		var mistake *ConfigError
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
