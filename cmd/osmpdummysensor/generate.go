package main

//go:generate sh -c "go run . variables > ../../docs/VARIABLES.md"
