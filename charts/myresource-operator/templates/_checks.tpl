{{/* Checks across values, and on the cluster; values.schema.json has what a single value may be. Each message names the value and the remedy. */}}
{{- define "myresource-operator.checks" -}}
{{- include "myresource-operator.checkImage" . -}}
{{- include "myresource-operator.checkNames" . -}}
{{- include "myresource-operator.checkNumbers" . -}}
{{- include "myresource-operator.checkResources" . -}}
{{- include "myresource-operator.checkLabels" . -}}
{{- include "myresource-operator.checkMetrics" . -}}
{{- include "myresource-operator.checkWatch" . -}}
{{- include "myresource-operator.checkExpose" . -}}
{{- include "myresource-operator.checkTls" . -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name is empty and serviceAccount.create is false: set serviceAccount.name to an existing ServiceAccount, or serviceAccount.create to true" -}}
{{- end -}}
{{- if and .Values.admissionPolicy.enabled (not .Values.metacontroller.serviceAccountName) -}}
{{- fail "admissionPolicy.enabled is true and metacontroller.serviceAccountName is empty: set metacontroller.serviceAccountName to the ServiceAccount of Metacontroller, whose requests the policy checks, or admissionPolicy.enabled to false" -}}
{{- end -}}
{{- if .Values.metacontroller.check -}}
{{- include "myresource-operator.checkCluster" . -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkImage" -}}
{{- $image := .Values.image -}}
{{- $registry := include "myresource-operator.registry" . -}}
{{- if and $registry (regexMatch "^(localhost|[^/]*[.:][^/]*)/" $image.repository) -}}
{{- fail (printf "image.repository is %s, which includes a registry, and image.registry (or global.imageRegistry) is %s: remove one of the registries" $image.repository $registry) -}}
{{- end -}}
{{- if and (regexMatch "-dev[.][0-9]+$" .Chart.AppVersion) (not $image.tag) (not $image.digest) (lookup "v1" "Namespace" "" "kube-system") -}}
{{- fail (printf "image.tag is empty, and this chart is from between two releases, where each commit has its own image: set image.tag to the one that you built, see %s/clusters/install.md#build-the-image" (include "myresource-operator.docs" .)) -}}
{{- end -}}
{{- if and (regexMatch "-dev[.][0-9]+[.]g[0-9a-f]+$" $image.tag) (not $image.digest) (not (hasPrefix (.Chart.AppVersion | splitList ".g" | first) $image.tag)) -}}
{{- fail (printf "image.tag is %s, an image that was built before another release: set image.tag to the one of this chart" $image.tag) -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkNames" -}}
{{- $name := include "myresource-operator.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "the full name of the release, %s, is not a valid Service name: set fullnameOverride to lower-case letters, digits and '-', starting with a letter" $name) -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkNumbers" -}}
{{- $values := .Values -}}
{{- $least := include "myresource-operator.leastReplicas" . | int -}}
{{- $replicas := $values.autoscaling.enabled | empty | ternary "replicaCount" "autoscaling.minReplicas" -}}
{{- $most := int $values.podDisruptionBudget.maxUnavailable -}}
{{- if and $values.podDisruptionBudget.enabled (gt $least 1) (or (lt $most 1) (ge $most $least)) -}}
{{- fail (printf "podDisruptionBudget.maxUnavailable is %d and %s is %d: set maxUnavailable to at least 1, so that nodes can be drained, and to less than %s, so that one replica stays; or set podDisruptionBudget.enabled to false" $most $replicas $least $replicas) -}}
{{- end -}}
{{- $rolling := $values.rollingUpdate -}}
{{- if not (or (int $rolling.maxSurge) (int $rolling.maxUnavailable)) -}}
{{- fail "rollingUpdate.maxSurge and rollingUpdate.maxUnavailable are both 0: set one of them to 1 or more; otherwise no Pod can be replaced" -}}
{{- end -}}
{{- if and (int $rolling.maxUnavailable) (ge (int $rolling.maxUnavailable) $least) -}}
{{- fail (printf "rollingUpdate.maxUnavailable is %v and %s is %d: set maxUnavailable to less than %s, so that one replica responds during a rollout; or to 0, and rollingUpdate.maxSurge to 1" $rolling.maxUnavailable $replicas $least $replicas) -}}
{{- end -}}
{{- include "myresource-operator.checkAutoscaling" . -}}
{{- if gt (int $values.compositeController.timeoutSeconds) (int $values.stopTimeout) -}}
{{- fail (printf "stopTimeout is %v and compositeController.timeoutSeconds is %v: set stopTimeout to at least compositeController.timeoutSeconds, so that a hook that stops finishes its requests" $values.stopTimeout $values.compositeController.timeoutSeconds) -}}
{{- end -}}
{{- end }}

{{/* A quantity, such as 64Mi, or a duration, such as 30s, as a number. */}}
{{- define "myresource-operator.amount" -}}
{{- $units := dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "ms" 0.001 "s" 1.0 "m" (ternary 60.0 0.001 (eq .of "time")) "h" 3600.0 -}}
{{- $text := ternary .text (printf "%d" (int64 .text)) (kindIs "string" .text) -}}
{{- $number := regexFind "^[0-9.]+" $text -}}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text)) -}}
{{- end }}

{{- define "myresource-operator.checkResources" -}}
{{- $memory := dig "limits" "memory" "" (.Values.resources | default dict) -}}
{{- $needed := add 96 (mul 14 (int .Values.maxBody)) -}}
{{- if $memory -}}
{{- $has := divf (include "myresource-operator.amount" (dict "of" "size" "text" $memory) | float64) 1048576.0 -}}
{{- if lt $has (float64 $needed) -}}
{{- $fitting := div (sub (int $has) 96) 14 -}}
{{- fail (printf "maxBody is %v and resources.limits.memory is %v: set resources.limits.memory to at least %dMi, which are 96Mi and 14Mi for each MiB of maxBody%s" .Values.maxBody $memory $needed (ternary (printf ", or maxBody to at most %d" $fitting) "" (ge $fitting 1))) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkAutoscaling" -}}
{{- $scaling := .Values.autoscaling -}}
{{- if $scaling.enabled -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "autoscaling.minReplicas is %v and autoscaling.maxReplicas is %v: set maxReplicas to at least minReplicas" $scaling.minReplicas $scaling.maxReplicas) -}}
{{- end -}}
{{- if and (not $scaling.metrics) (not (dig "requests" "cpu" "" (.Values.resources | default dict))) -}}
{{- fail "autoscaling.enabled is true and resources.requests.cpu is not set: set it, because autoscaling.targetCPUUtilizationPercentage is a percentage of it; or set autoscaling.metrics" -}}
{{- end -}}
{{- else if or $scaling.metrics $scaling.behavior -}}
{{- fail "autoscaling.metrics or autoscaling.behavior is set and autoscaling.enabled is false: set autoscaling.enabled to true, or remove them" -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkMetrics" -}}
{{- $metrics := .Values.metrics -}}
{{- range $metrics.rules.disabled -}}
{{- if not (contains (printf "- alert: %s\n" .) ($.Files.Get "files/alerts.yaml")) -}}
{{- fail (printf "metrics.rules.disabled contains %s, which is not an alert: correct the name, which is one of those in %s/reference/alerts.md, or remove it" . (include "myresource-operator.docs" $)) -}}
{{- end -}}
{{- end -}}
{{- if and $metrics.serviceMonitor.enabled (not $metrics.service.enabled) -}}
{{- fail "metrics.serviceMonitor.enabled is true and metrics.service.enabled is false: set metrics.service.enabled to true, because the ServiceMonitor selects that Service; or enable metrics.podMonitor instead, which needs no Service" -}}
{{- end -}}
{{- if and $metrics.serviceMonitor.enabled $metrics.podMonitor.enabled -}}
{{- fail "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled are both true: set one of them to false; otherwise each Pod is scraped twice, and sums are doubled" -}}
{{- end -}}
{{- /* Why an error and not a note: the installation would succeed, and the missing metrics would show only when an alert does not fire. */ -}}
{{- range $value := list "serviceMonitor" "podMonitor" -}}
{{- $monitor := index $metrics $value -}}
{{- if and $monitor.interval $monitor.scrapeTimeout (gt (include "myresource-operator.amount" (dict "of" "time" "text" $monitor.scrapeTimeout) | float64) (include "myresource-operator.amount" (dict "of" "time" "text" $monitor.interval) | float64)) -}}
{{- fail (printf "metrics.%s.scrapeTimeout is %s and metrics.%s.interval is %s: set scrapeTimeout to at most interval, or the Prometheus operator ignores the monitor" $value $monitor.scrapeTimeout $value $monitor.interval) -}}
{{- end -}}
{{- end -}}
{{- range $value := list "service" "serviceMonitor" "podMonitor" -}}
{{- if and (index $metrics $value).enabled $.Values.networkPolicy.enabled (not $.Values.networkPolicy.metricsFrom) -}}
{{- fail (printf "metrics.%s.enabled is true and networkPolicy.metricsFrom is empty, so the NetworkPolicy blocks every scrape: add the peers that scrape, such as [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}], or set networkPolicy.enabled to false" $value) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkLabels" -}}
{{- $values := .Values -}}
{{- $labels := dict "serviceAccount" $values.serviceAccount "compositeController" $values.compositeController "metrics.service" $values.metrics.service "metrics.serviceMonitor" $values.metrics.serviceMonitor "metrics.podMonitor" $values.metrics.podMonitor "metrics.rules" $values.metrics.rules "metrics.dashboard" $values.metrics.dashboard -}}
{{- range $value, $found := $labels -}}
{{- range $label, $_ := $found.labels -}}
{{- if hasKey ($values.commonLabels | default dict) $label -}}
{{- fail (printf "%s.labels and commonLabels both contain the label %s: remove one of them" $value $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkWatch" -}}
{{- $values := .Values -}}
{{- $served := .Capabilities.APIVersions -}}
{{- $seen := dict -}}
{{- range $place, $kind := $values.watch.dependencies -}}
{{- $at := printf "watch.dependencies[%d]" $place -}}
{{- $resource := printf "%s/%s" $kind.apiVersion $kind.resource -}}
{{- if hasKey $seen $resource -}}
{{- fail (printf "%s is %s, which is listed twice: remove one of them" $at $resource) -}}
{{- end -}}
{{- $_ := set $seen $resource true -}}
{{- $served_as := printf "%s/%s" $kind.apiVersion $kind.kind -}}
{{- if and $values.metacontroller.check (not ($served.Has $served_as)) -}}
{{- fail (printf "%s is %s, which the cluster does not serve: install its CRD first, or remove the kind; otherwise Metacontroller can't sync MyResources that name it. With helm template, which has no cluster to check, add --api-versions %s (metacontroller.check=false skips this check)" $at $served_as $served_as) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkExpose" -}}
{{- if and (.Values.expose).gateway .Values.metacontroller.check (not (.Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1/HTTPRoute")) -}}
{{- fail "expose.gateway is true and the cluster does not serve gateway.networking.k8s.io/v1/HTTPRoute: install the CRDs of the Gateway API first, or set expose.gateway to false; otherwise Metacontroller can't sync any MyResource. With helm template, which has no cluster to check, add --api-versions gateway.networking.k8s.io/v1/HTTPRoute (metacontroller.check=false skips this check)" -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkTls" -}}
{{- $tls := .Values.tls -}}
{{- $secrets := dict "tls.secretName" $tls.secretName "tls.clientCertificate.secretName" $tls.clientCertificate.secretName -}}
{{- range $value, $name := $secrets -}}
{{- if and $name (ne $tls.mode "secret") -}}
{{- fail (printf "%s is %s and tls.mode is %s: set tls.mode to secret, or leave %s empty" $value $name $tls.mode $value) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $tls.mode "secret") (not $tls.secretName) -}}
{{- fail "tls.mode is secret and tls.secretName is empty: set it to the Secret with the hook's certificate in tls.crt and tls.key" -}}
{{- end -}}
{{- if and (eq $tls.mode "secret") $tls.clientCertificate.enabled (not $tls.clientCertificate.secretName) -}}
{{- fail "tls.mode is secret and tls.clientCertificate.secretName is empty: set it to the Secret with Metacontroller's client certificate in tls.crt and tls.key, or set tls.clientCertificate.enabled to false" -}}
{{- end -}}
{{- if and $tls.clientCertificate.names (not (include "myresource-operator.clientCertificate" .)) -}}
{{- fail "tls.clientCertificate.names is set and no client certificate is used: set tls.mode and tls.clientCertificate.enabled, or leave tls.clientCertificate.names empty" -}}
{{- end -}}
{{- if and $tls.token.secretName (not (include "myresource-operator.token" .)) -}}
{{- fail "tls.token.secretName is set and no token is used: set tls.mode and tls.token.enabled, or leave tls.token.secretName empty" -}}
{{- end -}}
{{- if and (or $tls.ca.bundle $tls.ca.configMapName) (has $tls.mode (list "disabled" "helm")) -}}
{{- fail (printf "tls.ca is set and tls.mode is %s: set tls.mode to certManager or secret, or leave tls.ca empty" $tls.mode) -}}
{{- end -}}
{{- if and $tls.ca.bundle $tls.ca.configMapName -}}
{{- fail "tls.ca.bundle and tls.ca.configMapName are both set: set one of them" -}}
{{- end -}}
{{- if and $tls.certManager.issuerRef (or (ne $tls.mode "certManager") (not $tls.certManager.issuerRef.name)) -}}
{{- fail "tls.certManager.issuerRef needs a name, and tls.mode certManager: set both, or leave it empty" -}}
{{- end -}}
{{- if not (lookup "v1" "Namespace" "" "kube-system") -}}
{{- if eq $tls.mode "helm" -}}
{{- fail "tls.mode is helm, which needs a cluster that keeps the certificates: with helm template or Argo CD, set it to certManager or secret" -}}
{{- end -}}
{{- if and (include "myresource-operator.token" .) (not $tls.token.secretName) -}}
{{- fail "tls.token.secretName is empty, so Helm would generate the token, which needs a cluster that keeps it: with helm template or Argo CD, set tls.token.secretName to a Secret that you create, or tls.token.enabled to false" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Requirements on the cluster. Without a cluster (helm template, a GitOps render) lookup returns nothing, and these checks pass. */}}
{{- define "myresource-operator.checkCluster" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "compositecontrollers.metacontroller.k8s.io" -}}
{{- if not $crd -}}
{{- fail (printf "the CRD compositecontrollers.metacontroller.k8s.io of Metacontroller is not installed: install Metacontroller 4.17.2 or later first, see %s/clusters/install.md (metacontroller.check=false skips this check)" (include "myresource-operator.docs" $)) -}}
{{- end -}}
{{- range $field := list "ignoreStatusChanges" "responseUnMarshallMode" "endpointConfigs" -}}
{{- if not (contains (printf "%q:" $field) ($crd | toJson)) -}}
{{- fail (printf "the CRD compositecontrollers.metacontroller.k8s.io of Metacontroller is too old, it has no field %s: apply the CRDs of Metacontroller 4.17.2 or later; helm upgrade does not upgrade them, see %s/clusters/upgrade.md (metacontroller.check=false skips this check)" $field (include "myresource-operator.docs" $)) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.tls.mode "certManager") (not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "certificates.cert-manager.io")) -}}
{{- fail "tls.mode is certManager and the CRD certificates.cert-manager.io is not installed: install cert-manager first, or set tls.mode to helm or secret" -}}
{{- end -}}
{{- range $value, $plural := dict "serviceMonitor" "servicemonitors" "podMonitor" "podmonitors" "rules" "prometheusrules" -}}
{{- if and (index $.Values.metrics $value).enabled (not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (printf "%s.monitoring.coreos.com" $plural))) -}}
{{- fail (printf "metrics.%s.enabled is true and the CRD %s.monitoring.coreos.com is not installed: install the Prometheus operator first, or set metrics.%s.enabled to false" $value $plural $value) -}}
{{- end -}}
{{- end -}}
{{- if and (not .Values.crds.enabled) (not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "myresources.mygroup.example.com")) -}}
{{- fail "crds.enabled is false and the CRD myresources.mygroup.example.com is not installed: set crds.enabled to true, or apply the directory crds/ first" -}}
{{- end -}}
{{- end -}}
{{- end }}
