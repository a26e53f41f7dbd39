package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"aburn/web/xterm"
)

// Each archive has a bill of materials beside it, in CycloneDX's JSON. It is read from the executables themselves: the linker wrote
// every module and its checksum into them. So it needs no scanner, and the same archive gives the same bytes.

// sbomEnd is what the name of an archive's bill ends in.
const sbomEnd = ".cdx.json"

// bill is a document of CycloneDX 1.6. The order of its fields is the order in the file.
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Time      string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string      `json:"type"`
	Ref        string      `json:"bom-ref"`
	Name       string      `json:"name"`
	Version    string      `json:"version"`
	Hashes     []hash      `json:"hashes,omitempty"`
	Package    string      `json:"purl,omitempty"`
	Properties []property  `json:"properties,omitempty"`
	Components []component `json:"components,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// property holds what CycloneDX has no field for: go.sum's hash is of a list of hashes, not of a file.
type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// sbom writes the bills of the archives that are its arguments into out.
func sbom(_ context.Context, r Release, out string, archives []string) error {
	if len(archives) == 0 {
		return errors.New("sbom needs the path of an archive")
	}
	for _, at := range archives {
		data, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		text, err := r.bill(filepath.Base(at), data)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if err := os.WriteFile(filepath.Join(out, filepath.Base(at)+sbomEnd), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bill is the bill of materials of an archive.
func (r Release) bill(name string, archive []byte) ([]byte, error) {
	root := component{Type: "application", Ref: name, Name: "aburn", Version: r.Version, Hashes: hashes(archive)}
	parts := map[string]component{}
	var on []dependency
	err := eachFile(name, archive, func(file string, data []byte) error {
		info, err := buildinfo.Read(bytes.NewReader(data))
		if err != nil {
			return nil // no executable of Go
		}
		exe := component{Type: "application", Ref: file, Name: file, Version: r.Version, Hashes: hashes(data)}
		root.Components = append(root.Components, exe)
		of := dependency{Ref: exe.Ref}
		for _, m := range append(info.Deps, &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}) {
			part := goModule(m)
			parts[part.Ref] = part
			of.On = append(of.On, part.Ref)
		}
		slices.Sort(of.On)
		on = append(on, of)
		return nil
	})
	if err == nil && len(root.Components) == 0 {
		err = errors.New("it holds no executable of Go")
	}
	if err != nil {
		return nil, err
	}
	scripts, err := r.scripts()
	if err != nil {
		return nil, err
	}
	own := dependency{Ref: root.Ref}
	for _, part := range scripts {
		parts[part.Ref] = part
		own.On = append(own.On, part.Ref)
	}
	for _, exe := range root.Components {
		own.On = append(own.On, exe.Ref)
	}
	slices.Sort(own.On)
	list := slices.SortedFunc(maps.Values(parts), func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	sum := sha256.Sum256(archive)
	text, err := json.MarshalIndent(bill{"CycloneDX", "1.6", serial(sum), 1, metadata{r.Time.UTC().Format(time.RFC3339), root}, list,
		append([]dependency{own}, on...)}, "", "  ")
	return append(text, '\n'), err
}

// serial is a UUID of version 8 (RFC 9562): of the archive's hash, so that it is the same twice.
func serial(sum [32]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	x := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

func hashes(data []byte) []hash {
	sum := sha256.Sum256(data)
	return []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
}

func goModule(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	ref := "pkg:golang/" + m.Path + "@" + url.PathEscape(m.Version)
	part := component{Type: "library", Ref: ref, Name: m.Path, Version: m.Version, Package: ref}
	if m.Sum != "" {
		part.Properties = []property{{"aburn:go.sum", m.Sum}}
	}
	return part
}

// bundled is a line above a licence in the bundle of JavaScript.
var bundled = regexp.MustCompile(`(?m)^(\S+) (\d\S*) \([^)]+\)$`)

// scripts are the packages of JavaScript that executables hold.
func (r Release) scripts() ([]component, error) {
	text, err := os.ReadFile(filepath.Join(r.Root, "instrument", "jsast", "bundle", "LICENSES"))
	if err != nil {
		return nil, err
	}
	names := [][2]string{{"@xterm/xterm", xterm.Version}, {"@xterm/addon-fit", xterm.FitVersion}}
	for _, m := range bundled.FindAllStringSubmatch(string(text), -1) {
		names = append(names, [2]string{m[1], m[2]})
	}
	var list []component
	for _, n := range names {
		ref := "pkg:npm/" + strings.Replace(n[0], "@", "%40", 1) + "@" + n[1]
		list = append(list, component{Type: "library", Ref: ref, Name: n[0], Version: n[1], Package: ref})
	}
	return list, nil
}

// eachFile calls f with the files of an archive, by their names without folders, in the archive's order.
func eachFile(name string, archive []byte, f func(name string, data []byte) error) error {
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			return err
		}
		for _, entry := range z.File {
			from, err := entry.Open()
			if err != nil {
				return err
			}
			data, err := io.ReadAll(from)
			if err = errors.Join(err, from.Close()); err == nil {
				err = f(path.Base(entry.Name), data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(t)
		if err == nil {
			err = f(path.Base(h.Name), data)
		}
		if err != nil {
			return err
		}
	}
}
