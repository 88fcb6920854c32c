// Package v1alpha1 has what this controller uses of the API mygroup.example.com/v1alpha1.
// +kubebuilder:object:generate=true
// +groupName=mygroup.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the group and version of these objects.
	GroupVersion = schema.GroupVersion{Group: "mygroup.example.com", Version: "v1alpha1"}

	// SchemeBuilder adds these types to a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		metav1.AddToGroupVersion(scheme, GroupVersion)
		return nil
	})

	// AddToScheme adds these types to the given scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
