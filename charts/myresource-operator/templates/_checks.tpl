{{/* Checks that values.schema.json can't express. Each message names the value and the remedy. */}}
{{- define "myresource-operator.checks" -}}
{{- include "myresource-operator.checkImage" . -}}
{{- include "myresource-operator.checkNames" . -}}
{{- include "myresource-operator.checkNumbers" . -}}
{{- include "myresource-operator.checkResources" . -}}
{{- include "myresource-operator.checkAddresses" . -}}
{{- include "myresource-operator.checkLabels" . -}}
{{- include "myresource-operator.checkAnnotations" . -}}
{{- include "myresource-operator.checkExtras" . -}}
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
{{- if not $image.repository -}}
{{- fail "image.repository is empty: set it to the repository that you pushed the image to, such as registry.example.com/myresource-operator" -}}
{{- end -}}
{{- $registry := include "myresource-operator.registry" . -}}
{{- if not (regexMatch "^([a-zA-Z0-9][-a-zA-Z0-9.]*(:[0-9]+)?(/[-a-z0-9._]+)*)?$" $registry) -}}
{{- fail (printf "image.registry (or global.imageRegistry) is %s, which is not a valid registry: set it to a host name without a scheme, such as registry.example.com:5000" ($registry | quote)) -}}
{{- end -}}
{{- if and $registry (regexMatch "^(localhost|[^/]*[.:][^/]*)/" $image.repository) -}}
{{- fail (printf "image.repository is %s, which includes a registry, and image.registry (or global.imageRegistry) is %s: remove one of the registries" $image.repository $registry) -}}
{{- end -}}
{{- if regexMatch "@|:[^/]*$" $image.repository -}}
{{- fail (printf "image.repository is %s and contains a tag or a digest: set image.tag or image.digest instead" $image.repository) -}}
{{- end -}}
{{- if not (regexMatch "^[a-zA-Z0-9][-a-zA-Z0-9._]*(:[0-9]+)?(/[-a-z0-9._]+)*$" $image.repository) -}}
{{- fail (printf "image.repository is %s, which is not a valid image name: remove the scheme and spaces, as in registry.example.com/myresource-operator" ($image.repository | quote)) -}}
{{- end -}}
{{- if eq $image.tag "latest" -}}
{{- fail "image.tag is latest: set a fixed tag or image.digest, because all replicas must run the same version of the hook" -}}
{{- end -}}
{{- if and (regexMatch "-dev[.][0-9]+$" .Chart.AppVersion) (not $image.tag) (not $image.digest) (lookup "v1" "Namespace" "" "kube-system") -}}
{{- fail (printf "image.tag is empty, and this chart is from between two releases, where each commit has its own image: set image.tag to the one that you built, see %s/clusters/install.md#build-the-image" (include "myresource-operator.docs" .)) -}}
{{- end -}}
{{- if and (regexMatch "-dev[.][0-9]+[.]g[0-9a-f]+$" $image.tag) (not $image.digest) (not (hasPrefix (.Chart.AppVersion | splitList ".g" | first) $image.tag)) -}}
{{- fail (printf "image.tag is %s, an image that was built before another release: set image.tag to the one of this chart" $image.tag) -}}
{{- end -}}
{{- if not (regexMatch "^([A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?$" $image.tag) -}}
{{- fail (printf "image.tag is %s, which is not a valid tag: use letters, digits, '_', '.' and '-', or set image.digest" ($image.tag | quote)) -}}
{{- end -}}
{{- if not (regexMatch "^(sha256:[a-f0-9]{64})?$" $image.digest) -}}
{{- fail (printf "image.digest is %s: set it to sha256: and 64 hexadecimal digits, or leave it empty and set image.tag" ($image.digest | quote)) -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkNames" -}}
{{- $name := include "myresource-operator.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "the full name of the release, %s, is not a valid Service name: set fullnameOverride to lower-case letters, digits and '-', starting with a letter" $name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9A-Z]([-a-zA-Z0-9_.]*[a-zA-Z0-9])?$" (include "myresource-operator.name" .)) -}}
{{- fail (printf "nameOverride is %s, which is not a valid label value: use letters, digits and '-'" .Values.nameOverride) -}}
{{- end -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$" (.Values.namespaceOverride | default "")) -}}
{{- fail (printf "namespaceOverride is %s, which is not a valid namespace: use at most 63 lower-case letters, digits and '-', or leave it empty for the namespace of the release" .Values.namespaceOverride) -}}
{{- end -}}
{{- if not .Values.metacontroller.namespace -}}
{{- fail "metacontroller.namespace is empty: set it to the namespace that Metacontroller runs in, see kubectl get statefulsets --all-namespaces" -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkNumbers" -}}
{{- $values := .Values -}}
{{- if lt (int $values.replicaCount) 1 -}}
{{- fail (printf "replicaCount is %v: set it to 1 or more; without a replica, changes to MyResources have no effect" $values.replicaCount) -}}
{{- end -}}
{{- if or (lt (int $values.maxBody) 1) (gt (int $values.maxBody) 256) -}}
{{- fail (printf "maxBody is %v: set it to 1 to 256 (MiB), and raise resources.limits.memory by 14Mi for each MiB above 32" $values.maxBody) -}}
{{- end -}}
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
{{- if or (lt (int $values.compositeController.timeoutSeconds) 1) (gt (int $values.compositeController.timeoutSeconds) 10) -}}
{{- fail (printf "compositeController.timeoutSeconds is %v: set it to a number from 1 to 10; every call blocks a worker of Metacontroller for up to this time" $values.compositeController.timeoutSeconds) -}}
{{- end -}}
{{- if gt (int $values.compositeController.timeoutSeconds) (int $values.stopTimeout) -}}
{{- fail (printf "stopTimeout is %v and compositeController.timeoutSeconds is %v: set stopTimeout to at least compositeController.timeoutSeconds, so that a hook that stops finishes its requests" $values.stopTimeout $values.compositeController.timeoutSeconds) -}}
{{- end -}}
{{- if lt (int $values.compositeController.resyncPeriodSeconds) 60 -}}
{{- fail (printf "compositeController.resyncPeriodSeconds is %v: set it to 60 or more; Metacontroller reacts to changes at once regardless" $values.compositeController.resyncPeriodSeconds) -}}
{{- end -}}
{{- if or (lt (int $values.shards) 1) (gt (int $values.shards) 16) -}}
{{- fail (printf "shards is %v: set it to a number from 1 to 16; see %s/clusters/scale.md for how many you need. If you upgrade with --reuse-values, use --reset-then-reuse-values instead" $values.shards (include "myresource-operator.docs" $)) -}}
{{- end -}}
{{- if and (not (kindIs "invalid" $values.runAsUser)) (lt (int64 $values.runAsUser) 1) -}}
{{- fail (printf "runAsUser is %v: root is refused; set it to a number above 0, or to null to let the cluster choose a user" $values.runAsUser) -}}
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
{{- $requests := (.Values.resources).requests | default dict -}}
{{- range $name, $limit := (.Values.resources).limits -}}
{{- $request := get $requests $name -}}
{{- if and $limit $request (gt (include "myresource-operator.amount" (dict "of" "size" "text" $request) | float64) (include "myresource-operator.amount" (dict "of" "size" "text" $limit) | float64)) -}}
{{- fail (printf "resources.requests.%s is %v and resources.limits.%s is %v: set the limit to at least the request" $name $request $name $limit) -}}
{{- end -}}
{{- end -}}
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

{{- define "myresource-operator.checkAddresses" -}}
{{- if not (regexMatch "^(docs|https?://[^/].*)$" (include "myresource-operator.docs" .)) -}}
{{- fail (printf "docsUrl is %s, which no browser opens: set it to an address that starts with https://, such as https://github.com/OWNER/REPOSITORY/blob/main/docs, or leave it out" .Values.docsUrl) -}}
{{- end -}}
{{- if not (regexMatch "^((docs/|https?://[^/]).*)?$" (.Values.metrics.rules.runbookUrl | default "")) -}}
{{- fail (printf "metrics.rules.runbookUrl is %s, which no browser opens: set it to an address that starts with https://, or leave it empty for the page below docsUrl" .Values.metrics.rules.runbookUrl) -}}
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

{{/* Extra values must not replace what the chart sets. */}}
{{- define "myresource-operator.checkExtras" -}}
{{- range $place, $variable := .Values.extraEnv -}}
{{- if hasPrefix "MYRESOURCE_" $variable.name -}}
{{- fail (printf "extraEnv[%d].name is %s, which the chart sets: remove it, and set the value for it instead, such as drain for MYRESOURCE_DRAIN" $place $variable.name) -}}
{{- end -}}
{{- end -}}
{{- range $place, $variable := .Values.extraEnv -}}
{{- if and (hasKey $variable "value") (hasKey $variable "valueFrom") -}}
{{- fail (printf "extraEnv[%d], %s, has both value and valueFrom: remove one of them" $place $variable.name) -}}
{{- end -}}
{{- end -}}
{{- range $place, $volume := .Values.extraVolumes -}}
{{- if has $volume.name (list "tls" "tokens") -}}
{{- fail (printf "extraVolumes[%d].name is %s, which is a volume of the chart: choose another name" $place $volume.name) -}}
{{- end -}}
{{- end -}}
{{- $volumes := list -}}
{{- range .Values.extraVolumes -}}
{{- if has .name $volumes -}}
{{- fail (printf "extraVolumes has two volumes called %s: rename one of them" .name) -}}
{{- end -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- range $place, $mount := .Values.extraVolumeMounts -}}
{{- if not (has $mount.name $volumes) -}}
{{- fail (printf "extraVolumeMounts[%d].name is %s, which is not in extraVolumes: add the volume there, or correct the name" $place $mount.name) -}}
{{- end -}}
{{- if regexMatch "^/(etc/myresource|srv|venv)(/|$)|^/(etc|lib|usr)?/?$" $mount.mountPath -}}
{{- fail (printf "extraVolumeMounts[%d].mountPath is %s, where the hook has files of its own: choose another path" $place $mount.mountPath) -}}
{{- end -}}
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
{{- $taken := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" "controller-uid" "mygroup.example.com/shard" -}}
{{- $values := .Values -}}
{{- $labels := dict "commonLabels" $values.commonLabels "podLabels" $values.podLabels "serviceAccount.labels" $values.serviceAccount.labels "compositeController.labels" $values.compositeController.labels "metrics.service.labels" $values.metrics.service.labels "metrics.serviceMonitor.labels" $values.metrics.serviceMonitor.labels "metrics.podMonitor.labels" $values.metrics.podMonitor.labels "metrics.rules.labels" $values.metrics.rules.labels "metrics.dashboard.labels" $values.metrics.dashboard.labels -}}
{{- range $value, $found := $labels -}}
{{- range $label, $text := $found -}}
{{- if not (regexMatch "^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$" $text) -}}
{{- fail (printf "%s has the label %s with the value %s, which is not a valid label value: use at most 63 letters, digits, '-', '_' and '.'" $value $label ($text | quote)) -}}
{{- end -}}
{{- if has $label $taken -}}
{{- fail (printf "%s contains the label %s, which the chart or Metacontroller sets: remove it; to change names, set nameOverride or fullnameOverride" $value $label) -}}
{{- end -}}
{{- if and (hasSuffix ".labels" $value) (hasKey ($values.commonLabels | default dict) $label) -}}
{{- fail (printf "%s and commonLabels both contain the label %s: remove one of them" $value $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkAnnotations" -}}
{{- if hasKey (.Values.crds.annotations | default dict) "helm.sh/resource-policy" -}}
{{- fail "crds.annotations contains helm.sh/resource-policy, which the chart sets, so that helm uninstall keeps all MyResources: remove it" -}}
{{- end -}}
{{- end }}

{{- define "myresource-operator.checkWatch" -}}
{{- $values := .Values -}}
{{- $served := .Capabilities.APIVersions -}}
{{- if gt (len $values.watch.dependencies) 32 -}}
{{- fail (printf "watch.dependencies lists %d kinds: list at most 32, because Metacontroller caches all objects of each" (len $values.watch.dependencies)) -}}
{{- end -}}
{{- $seen := dict -}}
{{- range $place, $kind := $values.watch.dependencies -}}
{{- $at := printf "watch.dependencies[%d]" $place -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?v[a-z0-9]+$" $kind.apiVersion) -}}
{{- fail (printf "%s.apiVersion is %s: set it to group and version, such as example.com/v1, or v1 for the core group" $at ($kind.apiVersion | quote)) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$" $kind.resource) -}}
{{- fail (printf "%s.resource is %s: set it to the plural name in lower case, such as mybackups, see kubectl api-resources" $at ($kind.resource | quote)) -}}
{{- end -}}
{{- if not (regexMatch "^[A-Z][A-Za-z0-9]{0,62}$" $kind.kind) -}}
{{- fail (printf "%s.kind is %s: set it to the kind as in manifests, such as MyBackup, see kubectl api-resources" $at ($kind.kind | quote)) -}}
{{- end -}}
{{- $resource := printf "%s/%s" $kind.apiVersion $kind.resource -}}
{{- if has $resource (list "v1/configmaps" "v1/pods" "v1/secrets" "v1/services") -}}
{{- fail (printf "%s is %s, which can't be a dependency: remove it; the operator watches this kind by itself where it needs to" $at $resource) -}}
{{- end -}}
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
{{- if and $tls.ca.bundle (not (contains "-----BEGIN CERTIFICATE-----" $tls.ca.bundle)) -}}
{{- fail "tls.ca.bundle is not a certificate: set it to PEM text that starts with -----BEGIN CERTIFICATE-----" -}}
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
