package main

// roomy makes the main goroutine's stack as large as a run needs, at once: its
// frame asks for that even when nothing of it is used. Growing by doubling, in the
// depth of a run, copies four stacks and reads cold tables for every frame, which
// is a tenth of a whole run.
//
//go:noinline
func roomy(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [24 << 10]byte
	for i := range frame {
		frame[i] = byte(i * n)
	}
	return frame[n%len(frame)]
}
