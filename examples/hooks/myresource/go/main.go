// Command myresource runs the reconciler in the cluster of the current kubeconfig.
package main

import (
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(addToScheme(scheme))

	options := ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	if err == nil {
		err = (&MyResourceReconciler{Client: mgr.GetClient()}).SetupWithManager(mgr)
	}
	if err == nil {
		err = mgr.Start(ctrl.SetupSignalHandler())
	}
	if err != nil {
		ctrl.Log.Error(err, "the manager has stopped")
		os.Exit(1)
	}
}
