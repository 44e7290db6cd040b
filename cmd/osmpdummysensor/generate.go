package main

//go:generate sh -c "go run . variables > ../../docs/VARIABLES.md.new && mv ../../docs/VARIABLES.md.new ../../docs/VARIABLES.md || { rm -f ../../docs/VARIABLES.md.new; exit 1; }"
