package main

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &MyResource{}, &MyResourceList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}

type MyResourceSpec struct {
	Image  string            `json:"image"`
	Memory resource.Quantity `json:"memory"`
}

type MyResourceStatus struct {
	State string `json:"state,omitempty"`
}

type MyResource struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MyResourceSpec   `json:"spec,omitempty"`
	Status MyResourceStatus `json:"status,omitempty"`
}

type MyResourceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []MyResource `json:"items"`
}

// controller-gen generates these methods in a larger project.

func (in *MyResource) DeepCopyInto(out *MyResource) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Memory = in.Spec.Memory.DeepCopy()
}

func (in *MyResource) DeepCopyObject() runtime.Object {
	out := new(MyResource)
	in.DeepCopyInto(out)
	return out
}

func (in *MyResourceList) DeepCopyObject() runtime.Object {
	out := &MyResourceList{TypeMeta: in.TypeMeta, Items: make([]MyResource, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
