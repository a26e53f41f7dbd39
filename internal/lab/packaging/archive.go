package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one file of a package. All files of a package have the release's time and no owner, so that the same source
// gives the same bytes.
type file struct {
	name string // with slashes; a folder ends in one
	mode fs.FileMode
	data []byte
}

// texts are what the root of the source gives to every archive.
var texts = []string{"CHANGELOG.md", "LICENSE", "README.md"}

// dist writes an archive for each target with its bill of materials, and checksums.txt.
func dist(ctx context.Context, r Release, out string, _ []string) error {
	shared, err := r.sharedFiles(ctx)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range r.Targets {
		files, err := r.native(ctx, t)
		if err != nil {
			return err
		}
		name, data, err := r.archive(t, append(files, shared...))
		if err != nil {
			return err
		}
		bill, err := r.bill(name, data)
		if err != nil {
			return err
		}
		for _, f := range []file{{name, 0o644, data}, {name + sbomEnd, 0o644, bill}} {
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.data), f.name)
			if err := os.WriteFile(filepath.Join(out, f.name), f.data, f.mode); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(out, "checksums.txt"), []byte(sums.String()), 0o644)
}

// sharedFiles are those that the archives of all targets hold.
func (r Release) sharedFiles(ctx context.Context) ([]file, error) {
	var files []file
	for _, name := range texts {
		data, err := os.ReadFile(filepath.Join(r.Root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, data})
	}
	others, err := r.others(ctx)
	if err != nil {
		return nil, err
	}
	made, err := r.pages(ctx)
	return append(append(files, others), made...), err
}

// native is the executables for a target. It builds them once.
func (r Release) native(ctx context.Context, t Target) ([]file, error) {
	if r.built[t] != nil {
		return slices.Clone(r.built[t]), nil
	}
	dir, err := os.MkdirTemp("", "aburn-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := r.build(ctx, t, dir); err != nil {
		return nil, err
	}
	var files []file
	for _, name := range r.Executables {
		data, err := os.ReadFile(filepath.Join(dir, t.exe(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{t.exe(name), 0o755, data})
	}
	r.built[t] = files
	return slices.Clone(files), nil
}

// archive is a target's archive and its name. Windows gets a zip, which it opens by itself.
func (r Release) archive(t Target, files []file) (name string, data []byte, err error) {
	folder := r.Name(t)
	files = slices.Clone(files)
	for i := range files {
		files[i].name = path.Join(folder, files[i].name)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	if t.OS == "windows" {
		err = writeZip(&b, files, r.Time)
		return folder + ".zip", b.Bytes(), err
	}
	err = writeTarGz(&b, files, r.Time)
	return folder + ".tar.gz", b.Bytes(), err
}

func writeZip(w io.Writer, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		to, err := z.CreateHeader(h)
		if err == nil {
			_, err = to.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// compression of tar archives. A package's test takes less: it takes seven seconds for all executables otherwise.
var compression = gzip.BestCompression

// writeTarGz writes entries for the folders too: image layers and some unpackers want them.
func writeTarGz(w io.Writer, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, compression)
	if err != nil {
		return err
	}
	if err := writeTar(z, files, at); err != nil {
		return err
	}
	return z.Close()
}

func writeTar(w io.Writer, files []file, at time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range withFolders(files) {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: at} // its type follows from the name
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// withFolders puts each folder in front of the first file in it.
func withFolders(files []file) (all []file) {
	made := map[string]bool{"./": true}
	for _, f := range files {
		var above []file
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")) + "/"; !made[dir]; dir = path.Dir(strings.TrimSuffix(dir, "/")) + "/" {
			made[dir] = true
			above = append([]file{{dir, 0o755, nil}}, above...)
		}
		all = append(append(all, above...), f)
	}
	return all
}
