package main

func maxResident(any) int64 { return 0 }
