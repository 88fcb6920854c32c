package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MyResourceReconciler creates one Deployment for each MyResource.
type MyResourceReconciler struct {
	client.Client
}

func (r *MyResourceReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var parent MyResource // (1)
	if err := r.Get(ctx, req.NamespacedName, &parent); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}

	var found appsv1.DeploymentList // (2)
	labels := client.MatchingLabels{"app": parent.Name}
	if err := r.List(ctx, &found, client.InNamespace(parent.Namespace), labels); err != nil {
		return ctrl.Result{}, err
	}

	switch len(found.Items) {
	case 0: // (3)
		if err := r.createDeployment(ctx, &parent); err != nil {
			return ctrl.Result{}, err
		}
		parent.Status.State = "Building"
	case 1: // (4)
		parent.Status.State = "Building"
		if found.Items[0].Status.ReadyReplicas == 1 {
			parent.Status.State = "Ready"
		}
	default: // (5)
		return ctrl.Result{}, fmt.Errorf("%d Deployments have the label app=%s", len(found.Items), parent.Name)
	}

	if err := r.Status().Update(ctx, &parent); err != nil { // (6)
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: 10 * time.Second}, nil // (7)
}

func (r *MyResourceReconciler) createDeployment(ctx context.Context, parent *MyResource) error {
	labels := map[string]string{"app": parent.Name}
	replicas := int32(1)
	container := corev1.Container{Name: "main", Image: parent.Spec.Image}
	container.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: parent.Spec.Memory}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: parent.Name, Namespace: parent.Namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{container}},
			},
		},
	}
	if err := ctrl.SetControllerReference(parent, deployment, r.Scheme()); err != nil { // (8)
		return err
	}
	return r.Create(ctx, deployment)
}

func (r *MyResourceReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&MyResource{}).Owns(&appsv1.Deployment{}).Complete(r) // (9)
}
