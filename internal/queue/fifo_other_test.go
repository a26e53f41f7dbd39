//go:build !unix

package queue_test

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
