package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const manager = client.FieldOwner("go-operator")

// reconciler applies the Deployment of a MyResource if it differs, and writes the status if it changes.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	parent := &MyResource{}
	if err := r.Get(ctx, request.NamespacedName, parent); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	observed := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: parent.Namespace, Name: parent.Name + "-deployment"}
	err := r.Get(ctx, key, observed)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if err != nil || !runs(observed, parent.Spec) {
		if err := r.Apply(ctx, desired(parent, key), manager, client.ForceOwnership); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.report(ctx, parent, observed)
}

// report writes the status, unless it is there.
func (r *reconciler) report(ctx context.Context, parent *MyResource, observed *appsv1.Deployment) error {
	base := parent.DeepCopyObject().(*MyResource)
	condition := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "RolloutInProgress",
		Message: "The Deployment is rolling out.", ObservedGeneration: parent.Generation,
	}
	parent.Status.State, parent.Status.ObservedGeneration = "Building", parent.Generation
	parent.Status.Replicas, parent.Status.Selector = &observed.Status.Replicas, "myresource="+parent.Name
	if isAvailable(observed, parent.Spec) {
		parent.Status.State = "Ready"
		condition.Status, condition.Reason = metav1.ConditionTrue, "Available"
		condition.Message = "The Deployment is available."
	}
	meta.SetStatusCondition(&parent.Status.Conditions, condition)
	if equality.Semantic.DeepEqual(base.Status, parent.Status) {
		return nil
	}
	return r.Status().Patch(ctx, parent, client.MergeFrom(base))
}

// runs tells whether the Deployment has the values of the spec.
func runs(deployment *appsv1.Deployment, spec Spec) bool {
	containers := deployment.Spec.Template.Spec.Containers
	if len(containers) != 1 || containers[0].Image != spec.Image {
		return false
	}
	return containers[0].Resources.Limits.Memory().Equal(resource.MustParse(spec.Memory))
}

// isAvailable tells whether the rollout of the spec is complete, as "kubectl rollout status" does.
func isAvailable(deployment *appsv1.Deployment, spec Spec) bool {
	status, replicas := deployment.Status, deployment.Spec.Replicas
	return replicas != nil && runs(deployment, spec) && status.ObservedGeneration >= deployment.Generation &&
		status.UpdatedReplicas == *replicas && status.Replicas == *replicas && status.AvailableReplicas == *replicas
}

func desired(parent *MyResource, key client.ObjectKey) *appsapply.DeploymentApplyConfiguration {
	labels := map[string]string{"myresource": parent.Name}
	memory := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(parent.Spec.Memory)}
	container := coreapply.Container().WithName("main").WithImage(parent.Spec.Image).
		WithResources(coreapply.ResourceRequirements().WithLimits(memory).WithRequests(memory))
	owner := metaapply.OwnerReference().WithAPIVersion(groupVersion.String()).WithKind("MyResource").
		WithName(parent.Name).WithUID(parent.UID).WithController(true).WithBlockOwnerDeletion(true)
	return appsapply.Deployment(key.Name, key.Namespace).WithLabels(labels).WithOwnerReferences(owner).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(1).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).
				WithSpec(coreapply.PodSpec().WithContainers(container))))
}
