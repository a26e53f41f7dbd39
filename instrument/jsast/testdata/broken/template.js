let a = `unfinished
