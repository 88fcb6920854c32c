// Package controller has the controller of MyResources.
package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	mygroupv1alpha1 "example.com/myresource/api/v1alpha1"
)

const (
	conditionReady = "Ready"
	containerName  = "main"
	selectorLabel  = "myresource"
)

// MyResourceReconciler reconciles a MyResource.
type MyResourceReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=mygroup.example.com,resources=myresources,verbs=get;list;watch
// +kubebuilder:rbac:groups=mygroup.example.com,resources=myresources/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=mygroup.example.com,resources=myresources/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch;delete

// Reconcile makes the Deployment what the MyResource asks for, and the status what the Deployment shows.
func (r *MyResourceReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	log := logf.FromContext(ctx)

	var resource mygroupv1alpha1.MyResource
	if err := r.Get(ctx, req.NamespacedName, &resource); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !resource.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // the garbage collector deletes the Deployment
	}

	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Name:      resource.Name + "-deployment",
		Namespace: resource.Namespace,
	}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		return r.mutate(&resource, deployment)
	})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("could not write the Deployment: %w", err)
	}
	if result != controllerutil.OperationResultNone {
		log.Info("Reconciled Deployment", "operation", result)
	}

	return ctrl.Result{}, r.updateStatus(ctx, &resource, deployment)
}

// mutate sets the fields of the Deployment that this controller owns.
func (r *MyResourceReconciler) mutate(resource *mygroupv1alpha1.MyResource, deployment *appsv1.Deployment) error {
	deployment.Labels = withLabels(deployment.Labels, resource.Name)
	spec := &deployment.Spec
	spec.Replicas = resource.Spec.Replicas
	spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{selectorLabel: resource.Name}}
	spec.Template.Labels = withLabels(spec.Template.Labels, resource.Name)

	containers := spec.Template.Spec.Containers
	if len(containers) != 1 || containers[0].Name != containerName {
		containers = []corev1.Container{{Name: containerName}}
	}
	memory := corev1.ResourceList{corev1.ResourceMemory: resource.Spec.Memory}
	containers[0].Image = resource.Spec.Image
	containers[0].Resources = corev1.ResourceRequirements{Requests: memory, Limits: memory}
	spec.Template.Spec.Containers = containers

	return controllerutil.SetControllerReference(resource, deployment, r.Scheme)
}

// updateStatus patches the status of the MyResource, if it differs from what the Deployment shows.
func (r *MyResourceReconciler) updateStatus(
	ctx context.Context, resource *mygroupv1alpha1.MyResource, deployment *appsv1.Deployment,
) error {
	before := resource.DeepCopy()
	status := &resource.Status

	condition := metav1.Condition{
		Type:               conditionReady,
		Status:             metav1.ConditionFalse,
		ObservedGeneration: resource.Generation,
	}
	status.State = "Building"
	switch observed := deployment.Status; {
	case observed.ObservedGeneration < deployment.Generation:
		condition.Reason = "Building"
		condition.Message = "The Deployment controller has not observed the Deployment yet."
	case observed.UpdatedReplicas != *deployment.Spec.Replicas ||
		observed.Replicas != *deployment.Spec.Replicas ||
		observed.AvailableReplicas != *deployment.Spec.Replicas:
		condition.Reason = "RollingOut"
		condition.Message = "The Deployment is starting or replacing Pods."
	default:
		condition.Status = metav1.ConditionTrue
		condition.Reason = "Available"
		condition.Message = "All Pods are updated and available."
		status.State = "Ready"
	}
	meta.SetStatusCondition(&status.Conditions, condition)
	status.ObservedGeneration = resource.Generation
	status.Replicas = min(deployment.Status.Replicas, *deployment.Spec.Replicas)
	status.Selector = selectorLabel + "=" + resource.Name

	if equality.Semantic.DeepEqual(before.Status, resource.Status) {
		return nil
	}
	if err := r.Status().Patch(ctx, resource, client.MergeFrom(before)); err != nil {
		return client.IgnoreNotFound(err)
	}
	return nil
}

// withLabels returns the labels with those of each child of the MyResource with this name.
func withLabels(labels map[string]string, name string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	labels[selectorLabel] = name
	labels["app.kubernetes.io/instance"] = name
	labels["app.kubernetes.io/managed-by"] = "myresource-operator"
	labels["app.kubernetes.io/name"] = name
	return labels
}

// SetupWithManager sets up the controller with the Manager.
func (r *MyResourceReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&mygroupv1alpha1.MyResource{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Named("myresource").
		WithOptions(controller.Options{MaxConcurrentReconciles: 5}).
		Complete(r)
}
