package taints
