package instrument

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// NewRegistry is where init writes a registry if there is none.
const NewRegistry = "telemetry/registry"

// Namespace is what the names of a new registry begin with.
func (p *Project) Namespace() string {
	if p.Package == "" {
		return namespaceOf(filepath.Base(p.Dir))
	}
	return namespaceOf(p.Package)
}

// namespaceOf makes a namespace of the name of a package.
func namespaceOf(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(name, "_"), "_")
	if name == "" || name[0] < 'a' {
		name = strings.Trim("app_"+name, "_")
	}
	return name
}

// SmallestRegistry is the text of a valid registry without spans, by file.
func SmallestRegistry(namespace string) map[string]string {
	return map[string]string{
		"manifest.yaml": "schema_url: https://example.com/schemas/" + namespace + "/0.1.0\ndescription: What " + namespace + " emits\nstability: development\n",
		namespace + ".yaml": "# file_format: definition/1 of OpenTelemetry Weaver. Spans and attributes of " + namespace + " stand here.\n" +
			"groups:\n- id: registry." + namespace + "\n  type: attribute_group\n  stability: development\n  brief: Attributes of " + namespace + ".\n  attributes:\n" +
			"  - id: " + namespace + ".operation\n    type: string\n    stability: development\n    brief: What was asked for.\n    examples: [\"import\"]\n",
	}
}

// quoteYAML is a value as YAML has it on one line.
func quoteYAML(s string) string {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 ._/-]*[A-Za-z0-9]$`).MatchString(s) &&
		!slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(s)) {
		return s
	}
	b, _ := json.Marshal(s) // a JSON string is one of YAML's; strings always marshal
	return string(b)
}

// ConfigText is a configuration with what was found. had is the text that is there, nil
// for none: then only keys that it lacks are added, at its end, and named in added.
func (p *Project) ConfigText(had []byte, c Config) (text []byte, added []string) {
	type line struct{ key, value, comment string }
	lines := []line{{"schemaPath", p.Registry, "the registry: which spans and attributes this project makes"},
		{"sdkInitFile", p.SetUp, "sets up telemetry; is never instrumented"},
		{"testCommand", p.TestCommand, "run only after you permitted exactly this line"},
		{"dependencyStrategy", p.Strategy, "where the API belongs: this is a " + p.Type}}
	has := map[string]bool{"schemaPath": c.SchemaPath != "", "sdkInitFile": c.SDKInitFile != "", "testCommand": c.TestCommand != nil,
		"dependencyStrategy": c.DependencyStrategy != ""}
	var b strings.Builder
	if had == nil {
		b.WriteString("# How aburn instruments this project. All keys stand in the guide; what is not here has its default.\n")
	} else {
		b.Write(had)
		if len(had) > 0 && had[len(had)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	for _, l := range lines {
		if l.value == "" || has[l.key] && had != nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s # %s\n", l.key, quoteYAML(l.value), l.comment)
		added = append(added, l.key)
	}
	if had != nil && len(added) == 0 {
		return had, nil
	}
	return []byte(b.String()), added
}

// WriteNew writes files below dir that are not there yet, by path with /.
func WriteNew(dir string, files map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, text := range files {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if _, err := root.Lstat(filepath.FromSlash(name)); err == nil {
			continue
		}
		if err := replace(root, name, nil, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// WriteConfig replaces the configuration in dir in one step, if it is still had.
func WriteConfig(dir string, had, text []byte) error { return Replace(dir, ConfigFile, had, text) }
