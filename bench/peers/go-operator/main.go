// Command go-operator is an operator in Go with controller-runtime. It does the core of what this project does: a
// Deployment for each MyResource, by server-side apply, and a status. make scale compares with it.
package main

import (
	"flag"
	"os"
	"time"

	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

func main() {
	kubeconfig := flag.String("kubeconfig-file", "", "file with the credentials")
	metrics := flag.String("metrics-address", "127.0.0.1:0", "address of /metrics")
	workers := flag.Int("workers", 5, "number of MyResources that are reconciled at the same time")
	resync := flag.Duration("resync", 10*time.Minute, "period after which all MyResources are reconciled")
	flag.Parse()
	if err := run(*kubeconfig, *metrics, *workers, *resync); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func run(kubeconfig, metrics string, workers int, resync time.Duration) error {
	ctrl.SetLogger(funcr.New(func(_, line string) { os.Stderr.WriteString(line + "\n") }, funcr.Options{}))
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000 // as of Metacontroller in these measurements
	scheme := runtime.NewScheme()
	addToScheme(scheme)
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: metrics},
		Cache:   cache.Options{SyncPeriod: &resync},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&MyResource{}, builder.WithPredicates(withoutStatusChanges())).
		Owns(&appsv1.Deployment{}, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Named("myresource").
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

// withoutStatusChanges passes changes of the spec, and resyncs, in which nothing has changed.
func withoutStatusChanges() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(change event.UpdateEvent) bool {
		before, after := change.ObjectOld, change.ObjectNew
		return before.GetGeneration() != after.GetGeneration() ||
			before.GetResourceVersion() == after.GetResourceVersion()
	}}
}
