// Command plain is a program that is not an FMU.
package main

func main() {}
