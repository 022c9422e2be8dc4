// etcd as Kubernetes is released with it: Debian's cannot tell an API server how far a watch has come.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
