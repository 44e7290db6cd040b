// Command plain is a program that is no FMU.
package main

func main() {}
