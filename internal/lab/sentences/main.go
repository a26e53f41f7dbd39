// Command sentences lists what people can meet in the program's words: help, errors, hints, notices, pages, lines of the log. Each line is a
// place and a text, in the order of the files, so that all of it can be read as one text:
//
//	go run ./internal/lab/sentences [-odd] [FOLDER...] | less
//
// It reads the texts of Go code and of page templates. What has fewer than three words is left out, as are tests and the workshop. -odd lists
// only texts with words that aburn doesn't use any more.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	odd := flag.Bool("odd", false, "only texts with words that have a plainer one")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, folder := range folders {
		list, err := collect(folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, "sentences:", err)
			os.Exit(1)
		}
		for _, s := range list {
			word := oddWord(s.text)
			switch {
			case *odd && word == "":
			case *odd:
				fmt.Printf("%s:%d\t[%s]\t%s\n", s.path, s.line, word, s.text)
			default:
				fmt.Printf("%s:%d\t%s\n", s.path, s.line, s.text)
			}
		}
	}
}
