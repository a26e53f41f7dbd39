// Command clock runs Go tests at moments that are not today: days to years ahead, at the end of February, and while a time zone changes its clocks.
// It never changes the machine's clock. It builds the tests with a copy of the Go installation whose programs add a shift to the time, and to the
// times of files. Of the programs that are not built by Go, date and node have the shifted clock where libfaketime is installed, and all
// others, such as git, have the machine's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/lockfile"
)

// moment is when a run of the tests begins, and where.
type moment struct {
	name  string
	zone  string // of the local time; "" = the machine's
	begin func(now time.Time) time.Time
}

func ahead(days int) func(time.Time) time.Time {
	return func(now time.Time) time.Time { return now.Add(time.Duration(days) * 24 * time.Hour) }
}

// begun is how long before its moment a run begins, so that the moment comes while tests run.
const begun = 2 * time.Minute

// leapDay returns when the next 29 February ends in zone.
func leapDay(zone string) func(time.Time) time.Time {
	return func(now time.Time) time.Time {
		where, err := time.LoadLocation(zone)
		if err != nil {
			where = time.UTC
		}
		for year := now.Year(); ; year++ {
			end := time.Date(year, time.March, 1, 0, 0, 0, 0, where)
			if end.After(now.Add(time.Hour)) && end.AddDate(0, 0, -1).Day() == 29 {
				return end.Add(-begun)
			}
		}
	}
}

// change returns when zone next changes its clocks in the given month.
func change(zone string, month time.Month) func(time.Time) time.Time {
	return func(now time.Time) time.Time {
		where, err := time.LoadLocation(zone)
		if err != nil {
			return now
		}
		for at := now.Add(time.Hour).Truncate(time.Hour).In(where); ; at = at.Add(time.Hour) {
			_, before := at.Add(-time.Second).Zone()
			if _, after := at.Zone(); before != after && at.Month() == month {
				return at.Add(-begun)
			}
		}
	}
}

var moments = []moment{
	{"8d", "", ahead(8)},
	{"40d", "", ahead(40)},
	{"400d", "", ahead(400)},
	{"february", "Asia/Tokyo", leapDay("Asia/Tokyo")}, // midnight too
	{"spring", "Europe/Berlin", change("Europe/Berlin", time.March)},
	{"autumn", "America/New_York", change("America/New_York", time.November)},
}

func main() {
	at := flag.String("at", "all", "moments, separated by commas: "+names())
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./internal/lab/clock [-at 8d,spring] -- ARGUMENTS OF go test")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *at, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "clock:", err)
		os.Exit(1)
	}
}

func names() string {
	var all []string
	for _, m := range moments {
		all = append(all, m.name)
	}
	return strings.Join(all, ",")
}

func run(ctx context.Context, at string, args []string) error {
	if at == "all" {
		at = names()
	}
	chosen := strings.Split(at, ",")
	for _, name := range chosen {
		if !slices.ContainsFunc(moments, func(m moment) bool { return m.name == name }) {
			return fmt.Errorf("no moment is called %q: choose of %s", name, names())
		}
	}
	goroot, err := installed(ctx)
	if err != nil {
		return err
	}
	// All processes that the toolchain built read one shift.
	root, err := os.OpenRoot(goroot)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, shiftName+".lock", 3*time.Hour)
	if err != nil {
		return fmt.Errorf("another run holds %s: %w", goroot, err)
	}
	defer lock.Release()
	var failed []string
	for _, m := range moments {
		if !slices.Contains(chosen, m.name) {
			continue
		}
		if err := tests(ctx, goroot, m, args); err != nil {
			failed = append(failed, fmt.Sprintf("%s (%v)", m.name, err))
		}
	}
	if len(failed) > 0 {
		return errors.New("the tests failed at " + strings.Join(failed, ", "))
	}
	return nil
}

var errShifted = errors.New("this runs with a shifted clock already")

// installed returns a shifted toolchain of the Go that runs, in the user's cache. It is made once for each version of Go and of this program.
func installed(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	goroot := strings.TrimSpace(string(out))
	if _, err := os.Stat(filepath.Join(goroot, shiftName)); err == nil {
		return "", errShifted
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "aburn", "clock-"+runtime.Version()+"-"+version())
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	// The name of the folder is in what it builds, so it is told where it will be. The rename says that it is whole.
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "clock-new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(made)
	if err := shiftedToolchain(goroot, made, filepath.Join(dir, shiftName)); err != nil {
		return "", err
	}
	return dir, os.Rename(made, dir)
}

func tests(ctx context.Context, goroot string, m moment, args []string) error {
	now := time.Now()
	begin := m.begin(now)
	shift := strconv.FormatInt(int64(begin.Sub(now)/time.Second), 10)
	if err := os.WriteFile(filepath.Join(goroot, shiftName), []byte(shift), 0o644); err != nil {
		return err
	}
	if err := others(filepath.Join(goroot, "bin"), shift); err != nil {
		return err
	}
	where := time.Local
	if m.zone != "" {
		if loaded, err := time.LoadLocation(m.zone); err == nil {
			where = loaded
		}
	}
	fmt.Printf("=== %s: the tests begin at %s\n", m.name, begin.In(where).Format("Mon 2 Jan 2006 15:04:05 MST"))
	cmd := exec.CommandContext(ctx, filepath.Join(goroot, "bin", "go"), append([]string{"test", "-count=1", "-vet=off"}, args...)...)
	cmd.Env = append(os.Environ(), "GOROOT="+goroot, "PATH="+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if m.zone != "" {
		cmd.Env = append(cmd.Env, "TZ="+m.zone)
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// others puts scripts into dir, which is the first folder of PATH, that start programs of others with the shifted clock.
func others(dir, shift string) error {
	libraries, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil || len(libraries) == 0 {
		fmt.Fprintln(os.Stderr, "clock: libfaketime is not installed, so date and node have the machine's clock: some tests will fail")
		return err
	}
	for _, name := range []string{"date", "node"} {
		path, err := exec.LookPath(name)
		if err != nil || filepath.Dir(path) == dir {
			continue
		}
		script := fmt.Sprintf("#!/bin/sh\nLD_PRELOAD=%s FAKETIME=+%ss DONT_FAKE_MONOTONIC=1 exec %s \"$@\"\n", libraries[0], shift, path)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			return err
		}
	}
	return nil
}
