// etcd as Kubernetes is released with it: Debian's does not report the progress of a watch to an API server.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
