{{/* The name of the application. */}}
{{- define "myresource-operator.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* The name of the installation: at most 50 characters, so that names made from it stay within 63. */}}
{{- define "myresource-operator.fullname" -}}
{{- $name := include "myresource-operator.name" . -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $made | replace "." "-" | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "myresource-operator.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end }}

{{/* What a Deployment selects its Pods by: it can't be changed later, so it depends on names alone. */}}
{{- define "myresource-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "myresource-operator.name" . | toYaml }}
app.kubernetes.io/instance: {{ toYaml .Release.Name }}
{{- end }}

{{/* The labels of everything but Pods. */}}
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

{{- define "myresource-operator.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The hook's settings, as its environment. */}}
{{- define "myresource-operator.environment" -}}
{{- $kinds := list -}}
{{- range .Values.watch.dependencies -}}
{{- $kinds = append $kinds (printf "%s/%s/%s" .apiVersion .resource .kind) -}}
{{- end -}}
- {name: MYRESOURCE_HOST, value: {{ .Values.host | quote }}}
- {name: MYRESOURCE_MAX_BODY, value: {{ .Values.maxBody | toString | quote }}}
- {name: MYRESOURCE_WATCH_PODS, value: {{ .Values.watch.pods | toString | quote }}}
- {name: MYRESOURCE_WATCH_SECRETS, value: {{ .Values.watch.secrets | toString | quote }}}
{{- with $kinds }}
- {name: MYRESOURCE_WATCH_DEPENDENCIES, value: {{ join "," . | quote }}}
{{- end }}
{{- end }}

{{/* Changes with what decides the hook's answers: then Metacontroller asks again for every MyResource. */}}
{{- define "myresource-operator.revision" -}}
{{- $decides := list .Chart.AppVersion (include "myresource-operator.image" .) (include "myresource-operator.environment" .) -}}
{{- printf "%s-%s" (.Chart.AppVersion | replace "+" "-") ($decides | toJson | sha256sum | trunc 8) -}}
{{- end }}

{{/* Where Metacontroller reaches the hook. */}}
{{- define "myresource-operator.url" -}}
{{- printf "http://%s.%s.svc" (include "myresource-operator.fullname" .) (include "myresource-operator.namespace" .) -}}
{{- end }}

{{/* Who a container of ours is: what Pod Security "restricted" asks for, and a root that can't be written. */}}
{{- define "myresource-operator.podSecurityContext" -}}
runAsNonRoot: true
{{- with .Values.runAsUser }}
runAsUser: {{ int64 . }}
runAsGroup: {{ int64 . }}
{{- end }}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "myresource-operator.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
