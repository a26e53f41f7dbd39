package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// system is what deb, rpm and apk hold where archives hold plain files: manual pages and changelog compressed as Debian
// wants them, which is as well as gzip can and without a time, and one copyright file for everything in the executables.
// changelog.yaml is what goreleaser makes the packages' own changelogs of.
func (r Release) system(pages []file, others file) ([]file, error) {
	copyright, err := r.copyright(others)
	if err != nil {
		return nil, err
	}
	changes, err := os.ReadFile(filepath.Join(r.Root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	files := []file{copyright, {"changelog.gz", 0o644, compressed(changes)}, {"changelog.yaml", 0o644, r.changes()},
		{"lintian-overrides", 0o644, []byte(lintianOverrides)}}
	for _, f := range pages {
		if strings.HasPrefix(f.name, "man/") {
			files = append(files, file{f.name + ".gz", f.mode, compressed(f.data)})
		}
	}
	for i := range files {
		files[i].name = "system/" + files[i].name
	}
	return files, nil
}

// lintianOverrides are lintian's findings that are meant, each with its reason.
const lintianOverrides = `# Go links statically: the same executables run on every Linux.
aburn: statically-linked-binary
# rpm and apk bring the same file, and their systems have no common-licenses.
aburn: copyright-file-contains-full-apache-2-license
aburn: copyright-not-using-common-license-for-apache2
# goreleaser writes it. Ubuntu knows it.
aburn: unknown-field Architecture-Variant
# This package is not uploaded to Debian.
aburn: initial-upload-closes-no-bugs
`

func compressed(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // writing to memory does not fail
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// changes is the packages' own changelog, which knows of this release only. What changed in aburn stands in changelog.gz.
func (r Release) changes() []byte {
	return fmt.Appendf(nil, `- semver: %q
  date: %s
  packager: %s
  deb: { urgency: medium, distributions: [unstable] }
  changes:
    - note: Release %s
    - note: What changed in aburn stands in changelog.gz
`, strings.Replace(r.Number(), "-", "~", 1)+"-1", r.Time.Format(time.RFC3339), r.Maintainer(), r.Number())
}
