{{/* The name of the application. */}}
{{- define "myresource-operator.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* The full name of the release: at most 50 characters, so that names with a suffix stay within 63. */}}
{{- define "myresource-operator.fullname" -}}
{{- $name := include "myresource-operator.name" . -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $made | replace "." "-" | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* The folder docs/ where users of the cluster can open it. Values of a release before docsUrl, which --reuse-values passes, lack it. */}}
{{- define "myresource-operator.docs" -}}
{{- .Values.docsUrl | default "docs" | trimSuffix "/" -}}
{{- end }}

{{- define "myresource-operator.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end }}

{{/* The selector of the Deployment. It is immutable, so it depends on names only. */}}
{{- define "myresource-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "myresource-operator.name" . | toYaml }}
app.kubernetes.io/instance: {{ toYaml .Release.Name }}
{{- end }}

{{/* The labels of all objects except Pods. */}}
{{- define "myresource-operator.labels" -}}
{{ include "myresource-operator.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "myresource-operator.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "myresource-operator.fullname" .) -}}
{{- end }}

{{/* The registry of the image; "" if the repository includes it. */}}
{{- define "myresource-operator.registry" -}}
{{- .Values.global.imageRegistry | default .Values.image.registry -}}
{{- end }}

{{- define "myresource-operator.image" -}}
{{- $image := .Values.image -}}
{{- with include "myresource-operator.registry" . }}{{ . }}/{{ end -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "myresource-operator.pullSecrets" -}}
{{- concat (.Values.global.imagePullSecrets | default list) (.Values.imagePullSecrets | default list) | uniq | toYaml -}}
{{- end }}

{{/* The number of replicas that there are at least. */}}
{{- define "myresource-operator.leastReplicas" -}}
{{- if .Values.autoscaling.enabled -}}
{{- int .Values.autoscaling.minReplicas -}}
{{- else -}}
{{- int .Values.replicaCount -}}
{{- end -}}
{{- end }}

{{/* The times of a probe. */}}
{{- define "myresource-operator.probe" -}}
{{- $probe := . | default dict -}}
{{- range $field := list "initialDelaySeconds" "timeoutSeconds" "periodSeconds" "failureThreshold" -}}
{{- with index $probe $field }}
{{ $field }}: {{ int . }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The settings that decide the hook's responses, as its environment. */}}
{{- define "myresource-operator.environment" -}}
{{- $kinds := list -}}
{{- range .Values.watch.dependencies -}}
{{- $kinds = append $kinds (printf "%s/%s/%s" .apiVersion .resource .kind) -}}
{{- end -}}
- {name: MYRESOURCE_HOST, value: {{ .Values.host | quote }}}
- {name: MYRESOURCE_MAX_BODY, value: {{ .Values.maxBody | toString | quote }}}
- {name: MYRESOURCE_WATCH_PODS, value: {{ .Values.watch.pods | toString | quote }}}
- {name: MYRESOURCE_WATCH_SECRETS, value: {{ .Values.watch.secrets | toString | quote }}}
- {name: MYRESOURCE_DOCS_URL, value: {{ .Values.docsUrl | quote }}}
{{- with $kinds }}
- {name: MYRESOURCE_WATCH_DEPENDENCIES, value: {{ join "," . | quote }}}
{{- end }}
{{- with .Values.expectedManagers }}
- {name: MYRESOURCE_EXPECTED_MANAGERS, value: {{ join "," . | quote }}}
{{- end }}
{{- with .Values.allowedAnnotations }}
- {name: MYRESOURCE_ALLOWED_ANNOTATIONS, value: {{ join "," . | quote }}}
{{- end }}
{{- end }}

{{/* The other settings: how the hook listens, stops and logs. limits.maxInFlight is MYRESOURCE_MAX_IN_FLIGHT. */}}
{{- define "myresource-operator.serverEnvironment" -}}
{{- range $limit, $value := .Values.limits }}
- {name: MYRESOURCE_{{ snakecase $limit | upper }}, value: {{ int64 $value | quote }}}
{{- end }}
- {name: MYRESOURCE_DRAIN, value: {{ int64 .Values.drain | quote }}}
- {name: MYRESOURCE_STOP_TIMEOUT, value: {{ int64 .Values.stopTimeout | quote }}}
- {name: MYRESOURCE_LOG_FORMAT, value: {{ .Values.logFormat }}}
- {name: MYRESOURCE_LOG_LEVEL, value: {{ .Values.logLevel }}}
{{- if include "myresource-operator.tls" . }}
- {name: MYRESOURCE_TLS_CERT, value: /etc/myresource/tls/tls.crt}
- {name: MYRESOURCE_TLS_KEY, value: /etc/myresource/tls/tls.key}
{{- end }}
{{- if include "myresource-operator.clientCertificate" . }}
- {name: MYRESOURCE_TLS_CLIENT_CA, value: /etc/myresource/tls/ca.crt}
{{- with .Values.tls.clientCertificate.names }}
- {name: MYRESOURCE_TLS_CLIENT_NAMES, value: {{ join "," . | quote }}}
{{- end }}
{{- end }}
{{- if include "myresource-operator.token" . }}
- {name: MYRESOURCE_TOKENS, value: /etc/myresource/tokens}
{{- end }}
{{- end }}

{{/* The revision in the hook's URLs. It changes with everything that decides the hook's responses, and with what Metacontroller reads only once. Metacontroller then syncs every MyResource. The tag is first, because between releases it has the commit. */}}
{{- define "myresource-operator.revision" -}}
{{- $decides := list .Chart.AppVersion (include "myresource-operator.image" .) (include "myresource-operator.environment" .) -}}
{{- if include "myresource-operator.tls" . -}}
{{- $decides = append $decides (include "myresource-operator.identities" .) -}}
{{- end -}}
{{- printf "%s-%s" (.Values.image.digest | empty | ternary .Values.image.tag "" | default .Chart.AppVersion | replace "+" "-") ($decides | toJson | sha256sum | trunc 8) -}}
{{- end }}

{{/* The host name at which Metacontroller calls the hook, which its certificate must have. */}}
{{- define "myresource-operator.host" -}}
{{- printf "%s.%s.svc" (include "myresource-operator.fullname" .) (include "myresource-operator.namespace" .) -}}
{{- end }}

{{/* The URL at which Metacontroller calls the hook. */}}
{{- define "myresource-operator.url" -}}
{{- printf "%s://%s" (include "myresource-operator.tls" . | empty | ternary "http" "https") (include "myresource-operator.host" .) -}}
{{- end }}

{{/* The security contexts: Pod Security "restricted", and a read-only root file system. */}}
{{- define "myresource-operator.podSecurityContext" -}}
runAsNonRoot: true
{{- with .Values.runAsUser }}
runAsUser: {{ int64 . }}
runAsGroup: {{ int64 . }}
{{- if include "myresource-operator.tls" $ }}
fsGroup: {{ int64 . }} # can read the mounted Secrets
{{- end }}
{{- end }}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "myresource-operator.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* How Prometheus scrapes the hook: the endpoint of a ServiceMonitor or PodMonitor, of whose value it is made. */}}
{{- define "myresource-operator.scrape" -}}
port: health
path: /metrics
{{- with .interval }}
interval: {{ . }}
{{- end }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- if .honorLabels }}
honorLabels: true
{{- end }}
{{- with .relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The kinds of children that are made with these values. Values of an earlier release, which --reuse-values passes, lack some. */}}
{{- define "myresource-operator.children" -}}
{{- range .Files.Get "files/children.yaml" | fromYamlArray }}
{{- $value := $.Values -}}
{{- range .value | default "" | splitList "." | compact -}}
{{- $value = get ($value | default dict) . -}}
{{- end }}
{{- if $value }}
{{ list . | toYaml }}
{{- end }}
{{- end }}
{{- end }}
