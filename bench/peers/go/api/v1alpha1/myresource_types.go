package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// MyResourceSpec is the desired state of a MyResource. The CRD sets the defaults.
type MyResourceSpec struct {
	Image    string            `json:"image"`
	Memory   resource.Quantity `json:"memory,omitzero"`
	Replicas *int32            `json:"replicas,omitempty"`
}

// MyResourceStatus is the observed state of a MyResource.
type MyResourceStatus struct {
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	State              string `json:"state"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions"`
	Replicas   int32              `json:"replicas"`
	Selector   string             `json:"selector"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// MyResource is an application that runs as a Deployment.
type MyResource struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   MyResourceSpec   `json:"spec"`
	Status MyResourceStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// MyResourceList is a list of MyResources.
type MyResourceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []MyResource `json:"items"`
}

func init() {
	SchemeBuilder.Register(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &MyResource{}, &MyResourceList{})
		return nil
	})
}
