package hold

import (
	"context"
	"errors"

	"aburn/internal/proc"
)

// ErrGone says that nobody holds the generation any more.
var ErrGone = errors.New("the holder is gone")

var errUnsupported = errors.New("workers do not run on Windows yet")

// Offer is not supported here.
func Offer(string, int) error { return errUnsupported }

// Hand is not supported here.
func Hand(context.Context, string, int, Launch) error { return errUnsupported }

// Await is not supported here.
func Await(context.Context, string, int) (Began, error) { return Began{}, errUnsupported }

// Poke is not supported here.
func Poke(string, int) error { return errUnsupported }

// Held is not known here.
func Held(string, int) (bool, error) { return false, errUnsupported }

// End is not supported here.
func End(context.Context, string, int) error { return errUnsupported }

// Orphans are not known here.
func Orphans(Began, string, string) []proc.Process { return nil }

// EndOrphans is not supported here.
func EndOrphans(context.Context, Began, string, string) error { return errUnsupported }
