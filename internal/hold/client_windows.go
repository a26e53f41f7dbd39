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
func Hand(context.Context, string, int, Launch, ...func() error) error { return errUnsupported }

// Await is not supported here.
func Await(context.Context, string, int) (Began, error) { return Began{}, errUnsupported }

// Poke is not supported here.
func Poke(string, int) error { return errUnsupported }

// Held is not known here.
func Held(string, int) (bool, error) { return false, errUnsupported }

// End is not supported here.
func End(context.Context, string, int) error { return errUnsupported }

// EndRest is not supported here.
func EndRest(context.Context, Rest) (int, error) { return 0, errUnsupported }

// View is not supported here.
type View struct{}

// See is not supported here.
func See(string, int) (*View, error) { return nil, errUnsupported }

// Close is not supported here.
func (*View) Close() error { return nil }

// Send is not supported here.
func (*View) Send(byte, string) error { return errUnsupported }

// Receive is not supported here.
func (*View) Receive() (byte, string, error) { return 0, "", errUnsupported }

// Look is not supported here.
func Look(context.Context, string, int) (Shown, error) { return Shown{}, errUnsupported }

// Paste is not supported here.
func Paste(context.Context, string, int, string) error { return errUnsupported }

// Press is not supported here.
func Press(context.Context, string, int, string) error { return errUnsupported }

// Spare is not supported here.
func Spare(string, proc.Process) error { return errUnsupported }

// Detach is not supported here.
func Detach([]string, string, []string) error { return errUnsupported }
