// Command packaging makes what goreleaser doesn't: manual pages and bills of materials for its archives, npm packages, an
// image, and the files by which package managers find a release. What to build, for which systems and with which flags,
// it reads in .goreleaser.yaml. No executable of the product links it, and it needs nothing but Go.
//
//	packaging pages    [-o DIR]    manual pages, completions, licences
//	packaging npm      [-o DIR]    npm packages, as .tgz files
//	packaging image    [-o DIR]    an image FROM scratch, as an OCI layout
//	packaging recipes  [-o DIR] checksums.txt    for Homebrew, Scoop and Nix
//	packaging sbom     [-o DIR] ARCHIVE...       bills of materials of archives
//	packaging version              the version that all of these give themselves here
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// maker makes one kind of package into the folder out.
type maker func(ctx context.Context, r Release, out string, args []string) error

var makers = map[string]maker{"pages": pages, "npm": npm, "image": image, "recipes": recipes, "sbom": sbom}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("one of pages, npm, image, recipes, sbom, version is needed")
	}
	flags := flag.NewFlagSet("packaging "+args[0], flag.ContinueOnError)
	root := flags.String("C", ".", "the `folder` of the repository, or of its unpacked source")
	out := flags.String("o", "dist", "the `folder` to write into")
	version := flags.String("version", "", "the `version`, such as v1.2.3; by default what git says")
	targets := flags.String("targets", "", "`systems` such as linux/amd64,darwin/arm64; by default all")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	r, err := newRelease(ctx, *root, *version)
	if err != nil {
		return err
	}
	if *targets != "" {
		r.Targets = nil
		for name := range strings.SplitSeq(*targets, ",") {
			system, arch, _ := strings.Cut(name, "/")
			r.Targets = append(r.Targets, Target{system, arch})
		}
	}
	if args[0] == "version" {
		fmt.Println(r.Version)
		return nil
	}
	make := makers[args[0]]
	if make == nil {
		return fmt.Errorf("%s is none of pages, npm, image, recipes, sbom, version", args[0])
	}
	dir, err := filepath.Abs(*out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := make(ctx, r, dir, flags.Args()); err != nil {
		return err
	}
	fmt.Printf("%s of aburn %s: %s\n", args[0], r.Version, dir)
	return nil
}
