{{/* What the schema can't say of the values. A message names the value and the remedy. */}}
{{- define "myresource-operator.checks" -}}
{{- include "myresource-operator.checkImage" . -}}
{{- include "myresource-operator.checkNames" . -}}
{{- include "myresource-operator.checkNumbers" . -}}
{{- include "myresource-operator.checkLabels" . -}}
{{- include "myresource-operator.checkWatch" . -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name is empty and serviceAccount.create is false: name a ServiceAccount that is there, or set serviceAccount.create to true" -}}
{{- end -}}
{{- if .Values.metacontroller.check -}}
{{- include "myresource-operator.checkCluster" . -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkImage" -}}
{{- $image := .Values.image -}}
{{- if not $image.repository -}}
{{- fail "image.repository is empty: name where you pushed the image, such as registry.example.com/myresource-operator" -}}
{{- end -}}
{{- if regexMatch "@|:[^/]*$" $image.repository -}}
{{- fail (printf "image.repository is %s, with a tag or a digest: move that to image.tag or image.digest" $image.repository) -}}
{{- end -}}
{{- if not (regexMatch "^[a-zA-Z0-9][-a-zA-Z0-9._]*(:[0-9]+)?(/[-a-z0-9._]+)*$" $image.repository) -}}
{{- fail (printf "image.repository is %s, which names no image: leave out scheme and spaces, as in registry.example.com/myresource-operator" ($image.repository | quote)) -}}
{{- end -}}
{{- if eq $image.tag "latest" -}}
{{- fail "image.tag is latest: set a fixed tag or image.digest, because replicas of one tag must be one version of the hook" -}}
{{- end -}}
{{- if not (regexMatch "^([A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?$" $image.tag) -}}
{{- fail (printf "image.tag is %s, which is no tag: use letters, digits, '_', '.' and '-', or image.digest for a digest" ($image.tag | quote)) -}}
{{- end -}}
{{- if not (regexMatch "^(sha256:[a-f0-9]{64})?$" $image.digest) -}}
{{- fail (printf "image.digest is %s: write sha256: and 64 hexadecimal digits, or leave it empty and set image.tag" ($image.digest | quote)) -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkNames" -}}
{{- $name := include "myresource-operator.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "the name %s can't be that of a Service: set fullnameOverride to lower-case letters, digits and dashes that start with a letter" $name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9A-Z]([-a-zA-Z0-9_.]*[a-zA-Z0-9])?$" (include "myresource-operator.name" .)) -}}
{{- fail (printf "nameOverride is %s, which can't be a label: use letters, digits and dashes" .Values.nameOverride) -}}
{{- end -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$" .Values.namespaceOverride) -}}
{{- fail (printf "namespaceOverride is %s, which is no namespace: use at most 63 lower-case letters, digits and dashes, or leave it empty for the release's" .Values.namespaceOverride) -}}
{{- end -}}
{{- if not .Values.metacontroller.namespace -}}
{{- fail "metacontroller.namespace is empty: name the namespace that Metacontroller runs in, see kubectl get statefulsets --all-namespaces" -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkNumbers" -}}
{{- $values := .Values -}}
{{- if lt (int $values.replicaCount) 1 -}}
{{- fail (printf "replicaCount is %v: set 1 or more; with none, no change of a MyResource is carried out" $values.replicaCount) -}}
{{- end -}}
{{- if or (lt (int $values.maxBody) 1) (gt (int $values.maxBody) 256) -}}
{{- fail (printf "maxBody is %v: set 1 to 256, in MiB, and give resources.limits.memory 14Mi more for each above 32" $values.maxBody) -}}
{{- end -}}
{{- $most := int $values.podDisruptionBudget.maxUnavailable -}}
{{- if and $values.podDisruptionBudget.enabled (gt (int $values.replicaCount) 1) (or (lt $most 1) (ge $most (int $values.replicaCount))) -}}
{{- fail (printf "podDisruptionBudget.maxUnavailable is %v and replicaCount is %v: set at least 1, so that nodes can be drained, and less than replicaCount, so that one hook stays; or set podDisruptionBudget.enabled to false" $values.podDisruptionBudget.maxUnavailable $values.replicaCount) -}}
{{- end -}}
{{- if or (lt (int $values.compositeController.timeoutSeconds) 1) (gt (int $values.compositeController.timeoutSeconds) 10) -}}
{{- fail (printf "compositeController.timeoutSeconds is %v: set 1 to 10, because a hook that stops gives running requests no longer" $values.compositeController.timeoutSeconds) -}}
{{- end -}}
{{- if lt (int $values.compositeController.resyncPeriodSeconds) 60 -}}
{{- fail (printf "compositeController.resyncPeriodSeconds is %v: set 60 or more; changes are seen at once anyway" $values.compositeController.resyncPeriodSeconds) -}}
{{- end -}}
{{- if and (not (kindIs "invalid" $values.runAsUser)) (lt (int64 $values.runAsUser) 1) -}}
{{- fail (printf "runAsUser is %v: root and no user are refused; set a number above 0, or null to let the cluster choose one" $values.runAsUser) -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkLabels" -}}
{{- $taken := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" "controller-uid" -}}
{{- range $value := list "commonLabels" "podLabels" -}}
{{- range $label, $_ := index $.Values $value -}}
{{- if has $label $taken -}}
{{- fail (printf "%s has the label %s, which the chart or Metacontroller sets: remove it; nameOverride and fullnameOverride change names" $value $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkWatch" -}}
{{- if .Values.follow -}}
{{- fail "follow is now named watch: move follow.pods, follow.secrets and follow.dependencies to watch. If an upgrade reuses the values of an earlier release, also add --set follow=null" -}}
{{- end -}}
{{- $values := .Values -}}
{{- $served := .Capabilities.APIVersions -}}
{{- if gt (len $values.watch.dependencies) 32 -}}
{{- fail (printf "watch.dependencies lists %d kinds: list at most 32, because Metacontroller keeps all objects of each in memory" (len $values.watch.dependencies)) -}}
{{- end -}}
{{- $seen := dict -}}
{{- range $place, $kind := $values.watch.dependencies -}}
{{- $at := printf "watch.dependencies[%d]" $place -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?v[a-z0-9]+$" $kind.apiVersion) -}}
{{- fail (printf "%s.apiVersion is %s: write group and version, such as example.com/v1, or v1 for Kubernetes' core" $at ($kind.apiVersion | quote)) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$" $kind.resource) -}}
{{- fail (printf "%s.resource is %s: write the plural name in lower case, such as mybackups, see kubectl api-resources" $at ($kind.resource | quote)) -}}
{{- end -}}
{{- if not (regexMatch "^[A-Z][A-Za-z0-9]{0,62}$" $kind.kind) -}}
{{- fail (printf "%s.kind is %s: write it as in manifests, such as MyBackup, see kubectl api-resources" $at ($kind.kind | quote)) -}}
{{- end -}}
{{- $resource := printf "%s/%s" $kind.apiVersion $kind.resource -}}
{{- if has $resource (list "v1/configmaps" "v1/pods" "v1/secrets" "v1/services") -}}
{{- fail (printf "%s is %s, which can't be waited for: remove it" $at $resource) -}}
{{- end -}}
{{- if hasKey $seen $resource -}}
{{- fail (printf "%s is %s, which is listed before: remove one of them" $at $resource) -}}
{{- end -}}
{{- $_ := set $seen $resource true -}}
{{- $served_as := printf "%s/%s" $kind.apiVersion $kind.kind -}}
{{- if and $values.metacontroller.check (not ($served.Has $served_as)) -}}
{{- fail (printf "%s is %s, which the cluster does not serve: install its CRD first, or remove it here; with it listed, MyResources that name it would not be synced at all. Where helm template can't ask a cluster, add --api-versions %s (metacontroller.check=false leaves out this check)" $at $served_as $served_as) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* What the cluster must have. Without a cluster (helm template, a GitOps render) lookup finds nothing, and nothing is refused. */}}
{{- define "myresource-operator.checkCluster" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "compositecontrollers.metacontroller.k8s.io" -}}
{{- if not $crd -}}
{{- fail "Metacontroller's CRD compositecontrollers.metacontroller.k8s.io is absent: install Metacontroller 4.17.2 or later first, see docs/install.md (metacontroller.check=false leaves out this check)" -}}
{{- end -}}
{{- range $field := list "ignoreStatusChanges" "responseUnMarshallMode" "endpointConfigs" -}}
{{- if not (contains (printf "%q:" $field) ($crd | toJson)) -}}
{{- fail (printf "Metacontroller's CRD is too old, it has no field %s: apply the CRDs of Metacontroller 4.17.2 or later, which an upgrade with Helm does not, see docs/operate.md (metacontroller.check=false leaves out this check)" $field) -}}
{{- end -}}
{{- end -}}
{{- if and (not .Values.crds.enabled) (not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "myresources.mygroup.example.com")) -}}
{{- fail "crds.enabled is false and the CRD myresources.mygroup.example.com is absent: set crds.enabled to true, or apply the folder crds/ first" -}}
{{- end -}}
{{- end -}}
{{- end }}
