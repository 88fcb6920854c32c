// A hook with net/http, typed structs and encoding/json/v2. It does the least that works.
//
//	GOEXPERIMENT=jsonv2 go run . PORT
package main

import (
	"encoding/json/v2"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
)

type Metadata struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Generation  int64             `json:"generation,omitzero"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type MyResource struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   Metadata       `json:"metadata"`
	Spec       MyResourceSpec `json:"spec"`
}

type MyResourceSpec struct {
	Image    string   `json:"image"`
	Memory   string   `json:"memory"`
	Replicas int      `json:"replicas"`
	Env      []EnvVar `json:"env"`
}

type Resources struct {
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
}

type Container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Env       []EnvVar  `json:"env,omitempty"`
	Resources Resources `json:"resources"`
}

type PodSpec struct {
	Containers []Container `json:"containers"`
}

type PodTemplate struct {
	Metadata Metadata `json:"metadata"`
	Spec     PodSpec  `json:"spec"`
}

type Selector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

type DeploymentSpec struct {
	Replicas int         `json:"replicas"`
	Selector Selector    `json:"selector"`
	Template PodTemplate `json:"template"`
}

type DeploymentStatus struct {
	ObservedGeneration int64 `json:"observedGeneration"`
	Replicas           int   `json:"replicas"`
	UpdatedReplicas    int   `json:"updatedReplicas"`
	AvailableReplicas  int   `json:"availableReplicas"`
}

type Deployment struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   Metadata         `json:"metadata"`
	Spec       DeploymentSpec   `json:"spec"`
	Status     DeploymentStatus `json:"status,omitzero"`
}

type SyncRequest struct {
	Parent   MyResource `json:"parent"`
	Children struct {
		Deployments map[string]Deployment `json:"Deployment.apps/v1"`
	} `json:"children"`
}

type Status struct {
	State    string `json:"state"`
	Replicas int    `json:"replicas"`
}

type SyncResponse struct {
	Children []Deployment `json:"children"`
	Status   Status       `json:"status"`
}

func answer(request *SyncRequest) SyncResponse {
	parent := &request.Parent
	name, namespace, spec := parent.Metadata.Name, parent.Metadata.Namespace, parent.Spec
	labels := map[string]string{"myresource": name}
	memory := map[string]string{"memory": spec.Memory}
	container := Container{Name: "main", Image: spec.Image, Env: spec.Env, Resources: Resources{memory, memory}}
	deployment := Deployment{
		APIVersion: "apps/v1",
		Kind:       "Deployment",
		Metadata:   Metadata{Name: name + "-deployment", Namespace: namespace, Labels: labels},
		Spec: DeploymentSpec{
			Replicas: spec.Replicas,
			Selector: Selector{labels},
			Template: PodTemplate{Metadata{Labels: labels}, PodSpec{[]Container{container}}},
		},
	}
	observed := request.Children.Deployments[namespace+"/"+name+"-deployment"].Status
	state := "Building"
	if observed.AvailableReplicas >= spec.Replicas && observed.UpdatedReplicas >= spec.Replicas {
		state = "Ready"
	}
	return SyncResponse{[]Deployment{deployment}, Status{state, observed.Replicas}}
}

func sync(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var request SyncRequest
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	response, err := json.Marshal(answer(&request))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(response)))
	_, _ = w.Write(response)
}

func main() {
	http.HandleFunc("POST /sync", sync)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
