package instrument

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"aburn/instrument/registry"
	"aburn/instrument/rules"
)

// ConfigFile is the name of a project's configuration.
const ConfigFile = "aburn-instrument.yaml"

// Config is a project's configuration. A key that it does not have is an error.
type Config struct {
	SchemaPath               string                    `yaml:"schemaPath"`  // folder of the registry
	SDKInitFile              string                    `yaml:"sdkInitFile"` // the file that sets up telemetry
	AgentModel               string                    `yaml:"agentModel"`  // "" is the provider's own
	AgentEffort              string                    `yaml:"agentEffort"`
	Provider                 string                    `yaml:"provider"`
	Mode                     string                    `yaml:"mode"`
	AutoApproveLibraries     bool                      `yaml:"autoApproveLibraries"`
	TestCommand              any                       `yaml:"testCommand"` // a line, or a list of words
	DependencyStrategy       string                    `yaml:"dependencyStrategy"`
	MaxFilesPerRun           int                       `yaml:"maxFilesPerRun"`
	MaxFixAttempts           int                       `yaml:"maxFixAttempts"`
	MaxTokensPerFile         int                       `yaml:"maxTokensPerFile"`
	MaxTokensPerRun          int                       `yaml:"maxTokensPerRun"` // 0: only the ceiling
	LargeFileThresholdLines  int                       `yaml:"largeFileThresholdLines"`
	SchemaCheckpointInterval int                       `yaml:"schemaCheckpointInterval"`
	Weaver                   string                    `yaml:"weaver"`
	WeaverMinVersion         string                    `yaml:"weaverMinVersion"`
	ReviewSensitivity        string                    `yaml:"reviewSensitivity"`
	DryRun                   bool                      `yaml:"dryRun"`
	ConfirmEstimate          bool                      `yaml:"confirmEstimate"`
	Exclude                  []string                  `yaml:"exclude"`
	Include                  []string                  `yaml:"include"`
	TracerName               string                    `yaml:"tracerName"`
	Concurrency              int                       `yaml:"concurrency"`
	Telemetry                Telemetry                 `yaml:"telemetry"`
	Rules                    map[string]rules.Severity `yaml:"rules"`               // by id: off, advisory, blocking
	InstrumentationMode      string                    `yaml:"instrumentationMode"` // reserved
}

// Telemetry is where aburn's own spans go; "" is nowhere.
type Telemetry struct {
	Endpoint string `yaml:"endpoint"`
}

// Defaults are the values of keys that a file does not have.
func Defaults() Config {
	return Config{
		AgentEffort: "medium", Provider: "auto", Mode: "plan", AutoApproveLibraries: true, MaxFilesPerRun: 50, MaxFixAttempts: 2,
		MaxTokensPerFile: 80_000, LargeFileThresholdLines: 500, SchemaCheckpointInterval: 5, Weaver: "auto", WeaverMinVersion: "0.21.2",
		ReviewSensitivity: "moderate", ConfirmEstimate: true, Concurrency: 1,
		Exclude: []string{"**/*.test.*", "**/*.spec.*", "**/__tests__/**", "**/*.d.{ts,mts,cts}"},
		Include: []string{"**/*.{js,mjs,cjs,jsx,ts,mts,cts}"},
	}
}

// ConfigError is a mistake in a configuration.
type ConfigError struct {
	File string
	Line int
	Msg  string
	// Word is what was written and Words what it could be; "" where it is no choice.
	Word  string
	Words []string
}

func (e *ConfigError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// words are what some keys may hold. Which providers there are is not known here.
var words = map[string][]string{
	"agentEffort": {"low", "medium", "high"}, "mode": {"plan", "rewrite"},
	"dependencyStrategy": {"dependencies", "peerDependencies"}, "weaver": {"auto", "required", "never"}, "reviewSensitivity": {"strict", "moderate", "off"},
}

// maxConcurrency bounds how many questions may be out at once.
const maxConcurrency = 8

// maxConfig bounds a configuration, in bytes.
const maxConfig = 256 << 10

// ReadConfig reads a configuration. A mistake in it is a *ConfigError.
func ReadConfig(path string) (Config, error) {
	if isPipe(path) {
		return Config{}, &ConfigError{File: path, Line: 1, Msg: errNoFile.Error()}
	}
	f, err := os.Open(path)
	if err != nil {
		return Config{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(data) > maxConfig {
		return Config{}, &ConfigError{File: path, Line: 1, Msg: fmt.Sprintf("the file is longer than %d KB", maxConfig>>10)}
	}
	return ParseConfig(path, data)
}

// ParseConfig reads a configuration's text. path is for messages.
func ParseConfig(path string, data []byte) (Config, error) {
	c := Defaults()
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) { // an empty file
			return c, nil
		}
		return c, yamlError(path, data, err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return c, &ConfigError{File: path, Line: root.Line, Msg: "is no list of keys and values"}
	}
	for i := 0; i < len(root.Content); i += 2 {
		if name := aliases[root.Content[i].Value]; name != "" {
			root.Content[i].Value = name
		}
	}
	if err := checkKeys(path, root, reflect.TypeFor[Config]()); err != nil {
		return c, err
	}
	if err := root.Decode(&c); err != nil {
		return c, yamlError(path, data, err)
	}
	return c, nil
}

// aliases are names that the specification has for a key.
var aliases = map[string]string{"registryPath": "schemaPath"}

func yamlError(path string, data []byte, err error) error {
	var types *yaml.TypeError
	if !errors.As(err, &types) || len(types.Errors) == 0 {
		line, text := registry.NoYAML(err, data)
		return &ConfigError{File: path, Line: line, Msg: text}
	}
	e := &ConfigError{File: path, Line: 1, Msg: types.Errors[0]}
	if n, err := fmt.Sscanf(e.Msg, "line %d:", &e.Line); n == 1 && err == nil {
		_, e.Msg, _ = strings.Cut(e.Msg, ": ")
	}
	value, kind, ok := strings.Cut(e.Msg, " into ")
	if what := kindWords[kind]; ok && what != "" {
		e.Msg = "the value has to be " + what
		if _, value, ok = strings.Cut(strings.TrimSpace(value), "`"); ok {
			e.Msg = strings.TrimSuffix(value, "`") + " has to be " + what
		}
	}
	return e
}

// kindWords are the kinds of values, by the types that hold them.
var kindWords = map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false", "string": "a text", "[]string": "a list of texts"}

// checkKeys refuses keys that typ has not, keys that stand twice, and words that a
// key does not take.
func checkKeys(path string, mapping *yaml.Node, typ reflect.Type) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		field, names := fieldOf(typ, key.Value)
		e := &ConfigError{File: path, Line: key.Line, Word: key.Value}
		switch {
		case field == nil:
			e.Msg, e.Words = fmt.Sprintf("unknown key %q", key.Value), names
			return e
		case seen[key.Value]:
			return &ConfigError{File: path, Line: key.Line, Msg: fmt.Sprintf("%s stands twice", key.Value)}
		}
		seen[key.Value] = true
		if choices := words[key.Value]; choices != nil && value.Kind == yaml.ScalarNode && !slices.Contains(choices, value.Value) {
			return &ConfigError{path, value.Line, fmt.Sprintf("%s is %q", key.Value, value.Value), value.Value, choices}
		}
		if n, err := strconv.Atoi(value.Value); key.Value == "concurrency" && err == nil && (n < 1 || n > maxConcurrency) {
			return &ConfigError{File: path, Line: value.Line, Msg: fmt.Sprintf("concurrency is %d, and has to be 1 to %d", n, maxConcurrency)}
		}
		if field.Type.Kind() == reflect.Struct && value.Kind == yaml.MappingNode {
			if err := checkKeys(path, value, field.Type); err != nil {
				return err
			}
		}
		if key.Value == "rules" {
			if err := checkRules(path, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func fieldOf(typ reflect.Type, key string) (field *reflect.StructField, names []string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Tag.Get("yaml") == key {
			return &f, nil
		}
		names = append(names, f.Tag.Get("yaml"))
	}
	return nil, names
}

// checkRules refuses rules that are not there, and levels of those that are fixed.
func checkRules(path string, mapping *yaml.Node) error {
	if mapping.Kind != yaml.MappingNode {
		return &ConfigError{File: path, Line: mapping.Line, Msg: "rules holds no list of rules and levels"}
	}
	table := rules.Table()
	var ids []string
	for _, r := range table {
		ids = append(ids, r.ID)
	}
	levels := []string{string(rules.Off), string(rules.Advisory), string(rules.Blocking)}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		at := slices.Index(ids, key.Value)
		switch {
		case at < 0:
			return &ConfigError{path, key.Line, fmt.Sprintf("unknown rule %q", key.Value), key.Value, ids}
		case !slices.Contains(levels, value.Value):
			return &ConfigError{path, value.Line, fmt.Sprintf("the level of %s is %q", key.Value, value.Value), value.Value, levels}
		case table[at].Fixed && value.Value != string(table[at].Severity):
			return &ConfigError{File: path, Line: value.Line, Msg: key.Value + " cannot be changed: without it a file may do something else than before"}
		}
	}
	return nil
}
