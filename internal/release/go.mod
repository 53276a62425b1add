module github.com/seed-0529bac1/taints/internal/release

go 1.24.0
