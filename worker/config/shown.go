package config

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// hidden is shown in place of a key.
const hidden = "(not shown)"

// MarshalJSON leaves out keys: what a file says may be printed, sent and kept.
func (s Setting) MarshalJSON() ([]byte, error) {
	type plain Setting
	s.Value = s.Shown()
	return json.Marshal(plain(s))
}

// services are the parts of a file that may hold keys. All of them count from the person's own file only.
var services = []string{"notifiers", "trackers", "tracker", "scm", "ssh"}

// Shown is the value without keys: of an address only its host, as the rest may be one.
func (s *Setting) Shown() any {
	top, _, _ := strings.Cut(s.Key, ".")
	if !slices.Contains(services, top) {
		return s.Value
	}
	return shown(s.Key[strings.LastIndexByte(s.Key, '.')+1:], s.Value)
}

func shown(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, inner := range v {
			m[k] = shown(k, inner)
			if _, isText := inner.(string); isText && strings.EqualFold(name, "headers") {
				m[k] = hidden
			}
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = shown(name, inner)
		}
		return list
	case string:
		return shownWord(strings.ToLower(name), v)
	}
	return value
}

func shownWord(name, value string) string {
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host + "/…"
	}
	for _, part := range []string{"token", "key", "secret", "password", "webhook"} {
		if strings.Contains(name, part) && !strings.HasSuffix(name, "_env") {
			return hidden
		}
	}
	return value
}

// Listed is a project that a file names.
type Listed struct {
	ID   string
	Path string // absolute, if the file says one
}

// Projects are those that a file of this or the other tool's form names, in order. The error is a *Mistake, or that of reading.
func Projects(file, home string) (list []Listed, err error) {
	d, err := read(file, filepath.Base(file) != ours && filepath.Base(file) != "workers.yaml")
	if err != nil {
		return nil, err
	}
	for _, id := range d.projects {
		one := Listed{ID: id}
		for _, s := range d.said {
			if path, ok := s.value.(string); ok && s.project == id && s.name == "path" {
				one.Path = absolute(d, path, home)
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// absolute is a path of a file's: relative ones begin at its folder.
func absolute(d *document, path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(d.file), path)
	}
	return path
}

// Part is a setting that holds further ones; nil if nobody says it.
func (c *Config) Part(key string) map[string]any { m, _ := c.get(key).(map[string]any); return m }
