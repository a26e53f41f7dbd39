package main

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
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
