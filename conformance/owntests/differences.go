package main

// differences gives the reason for each test of Kubernetes, by package and name,
// that fails with the library and is meant to.
var differences = map[string]string{}
