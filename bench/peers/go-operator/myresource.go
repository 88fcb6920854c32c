package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "mygroup.example.com", Version: "v1alpha1"}

// MyResource has the fields that this operator reads and writes.
type MyResource struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec"`
	Status            Status `json:"status,omitempty"`
}

// Spec is what the operator builds the Deployment from.
type Spec struct {
	Image  string `json:"image"`
	Memory string `json:"memory"`
}

// Status has the fields that the CRD requires, and of the conditions only Ready.
type Status struct {
	Replicas           *int32             `json:"replicas,omitempty"`
	Selector           string             `json:"selector"`
	State              string             `json:"state,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// MyResourceList is a list of MyResources.
type MyResourceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MyResource `json:"items"`
}

// DeepCopyObject returns a copy, as the cache needs.
func (m *MyResource) DeepCopyObject() runtime.Object {
	out := *m
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), m.Status.Conditions...)
	return &out
}

// DeepCopyObject returns a copy, as the cache needs.
func (l *MyResourceList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]MyResource, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*MyResource)
	}
	return &out
}

func addToScheme(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &MyResource{}, &MyResourceList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}
