// Shows its arguments, its environment and the size of a page, writes a file itself, one in C, and one by a child.
package main

/*
#include <stdio.h>
static int write_lines(void) {
  FILE* file = fopen("from-c", "w");
  if (!file) return 1;
  setvbuf(file, NULL, _IONBF, 0);
  for (int i = 0; i < 10; ++i) fputs("line\n", file);
  return fclose(file);
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	for _, argument := range os.Args[1:] {
		fmt.Println("argument", argument)
	}
	for _, variable := range os.Environ() {
		fmt.Println(variable)
	}
	fmt.Println("a page has", os.Getpagesize(), "bytes; C:", C.write_lines())
	if err := os.WriteFile("from-go", []byte("text\n"), 0o600); err != nil {
		panic(err)
	}
	child := exec.Command("/bin/sh", "-c", "env; echo text > from-child")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Run(); err != nil {
		panic(err)
	}
}
