// Writes, reads, lists, renames and removes files below a directory by system calls of its own.
package main

import "os"

func check(err error) {
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

func main() {
	check(os.Chdir(os.Args[1]))
	line := []byte("a line of text\n")
	file, err := os.Create("part")
	check(err)
	for i := 0; i < 1000; i++ {
		_, err = file.Write(line)
		check(err)
	}
	check(file.Sync())
	check(file.Close())
	check(os.MkdirAll("a/b", 0o755))
	check(os.Rename("part", "a/b/whole"))
	check(os.Symlink("b/whole", "a/link"))
	bytes, err := os.ReadFile("a/link")
	check(err)
	if len(bytes) != 1000*len(line) || string(bytes[:len(line)]) != string(line) {
		println("other bytes")
		os.Exit(1)
	}
	entries, err := os.ReadDir("a")
	check(err)
	for _, entry := range entries {
		os.Stdout.WriteString(entry.Name() + "\n")
	}
	check(os.Remove("a/link"))
}
