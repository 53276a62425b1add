module github.com/seed-0529bac1/taints/internal/test/release

go 1.24.0
