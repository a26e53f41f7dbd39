package main

import "errors"

func burstCase(*world, *page) error { return errors.New("bursts need fork and wait") }
