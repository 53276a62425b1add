// The file has no code. Its presence lets the package declare functions without a body, which the linker then resolves
// to unexported functions of Cluster API.
