package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The image is for reports where containers run. It is useless for hooks: those run where the agent runs.

const (
	ociIndex    = "application/vnd.oci.image.index.v1+json"
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	ociConfig   = "application/vnd.oci.image.config.v1+json"
	ociLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor points to a blob (OCI image specification 1.1).
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	OS   string `json:"os"`
	Arch string `json:"architecture"`
}

type index struct {
	Schema    int          `json:"schemaVersion"`
	MediaType string       `json:"mediaType"`
	Manifests []descriptor `json:"manifests"`
}

// layout is an OCI layout in a folder.
type layout struct{ dir string }

// image writes an OCI layout with one image for each Linux among the targets, built FROM scratch.
func image(ctx context.Context, r Release, out string, _ []string) error {
	l := layout{out}
	if err := os.MkdirAll(filepath.Join(out, "blobs", "sha256"), 0o755); err != nil {
		return err
	}
	all := index{Schema: 2, MediaType: ociIndex}
	for _, t := range r.Targets {
		if t.OS != "linux" {
			continue
		}
		d, err := l.add(ctx, r, t)
		if err != nil {
			return err
		}
		all.Manifests = append(all.Manifests, d)
	}
	if len(all.Manifests) == 0 {
		return fmt.Errorf("an image needs a target of Linux")
	}
	top, err := l.object(ociIndex, all)
	if err != nil {
		return err
	}
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.Number()}
	data, err := json.Marshal(index{2, ociIndex, []descriptor{top}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "index.json"), data, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644)
}

// add writes the image of one target and returns what points to it.
func (l layout) add(ctx context.Context, r Release, t Target) (descriptor, error) {
	files, err := r.native(ctx, t)
	if err != nil {
		return descriptor{}, err
	}
	for i := range files {
		files[i].name = "usr/bin/" + files[i].name
	}
	others, err := r.others(ctx)
	if err != nil {
		return descriptor{}, err
	}
	copyright, err := r.copyright(others)
	if err != nil {
		return descriptor{}, err
	}
	copyright.name = "usr/share/doc/aburn/" + copyright.name
	files = append(files, copyright,
		file{"home/", 0o777, nil}, file{"tmp/", 0o777, nil}, file{"work/", 0o777, nil}) // for whoever the container runs as
	var plain, packed bytes.Buffer
	if err := writeTar(&plain, files, r.Time); err != nil {
		return descriptor{}, err
	}
	if err := writeTarGz(&packed, files, r.Time); err != nil {
		return descriptor{}, err
	}
	layer, err := l.blob(ociLayer, packed.Bytes())
	if err != nil {
		return layer, err
	}
	config, err := l.object(ociConfig, imageConfig(r, t, digest(plain.Bytes())))
	if err != nil {
		return config, err
	}
	d, err := l.object(ociManifest, map[string]any{"schemaVersion": 2, "mediaType": ociManifest, "config": config, "layers": []descriptor{layer}})
	d.Platform = &platform{t.OS, t.Arch}
	return d, err
}

func imageConfig(r Release, t Target, layer string) map[string]any {
	return map[string]any{
		"created": r.Time.Format(time.RFC3339), "os": t.OS, "architecture": t.Arch,
		"config": map[string]any{
			"Env": []string{"PATH=/usr/bin", "HOME=/home"}, "Entrypoint": []string{"/usr/bin/aburn"}, "WorkingDir": "/work",
			"Labels": map[string]string{
				"org.opencontainers.image.title": "aburn", "org.opencontainers.image.description": r.About(), "org.opencontainers.image.version": r.Number(),
				"org.opencontainers.image.licenses": "MIT", "org.opencontainers.image.url": r.Homepage(),
			},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{layer}},
		"history": []map[string]any{{"created": r.Time.Format(time.RFC3339), "created_by": "aburn's executables, FROM scratch"}},
	}
}

func (l layout) object(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return descriptor{}, err
	}
	return l.blob(mediaType, data)
}

func (l layout) blob(mediaType string, data []byte) (descriptor, error) {
	d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
	return d, os.WriteFile(filepath.Join(l.dir, "blobs", "sha256", d.Digest[len("sha256:"):]), data, fs.FileMode(0o644))
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }
