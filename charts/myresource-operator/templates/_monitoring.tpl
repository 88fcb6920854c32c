{{/* The memory limit of the hook in bytes; empty if it has none. */}}
{{- define "myresource-operator.memoryLimit" -}}
{{- with ((.Values.resources | default dict).limits | default dict).memory -}}
{{- include "myresource-operator.amount" (dict "of" "size" "text" .) | float64 | int64 -}}
{{- end -}}
{{- end }}

{{/* files/alerts.yaml with the values of this installation in the places that its first lines name. */}}
{{- define "myresource-operator.alerts" -}}
{{- $job := .Values.metrics.rules.job | default (include "myresource-operator.name" .) -}}
{{- $silence := max 1800 (mul 3 (int .Values.compositeController.resyncPeriodSeconds)) -}}
{{- .Files.Get "files/alerts.yaml"
  | replace "job=\"myresource-operator\"" (printf "job=%q" $job)
  | replace "docs/reference/alerts.md" (.Values.metrics.rules.runbookUrl | default (printf "%s/reference/alerts.md" (include "myresource-operator.docs" .)))
  | replace "570425344" (include "myresource-operator.memoryLimit" .)
  | replace "600s" (printf "%ds" (int .Values.compositeController.resyncPeriodSeconds))
  | replace "[1800s]" (printf "[%ds]" $silence) -}}
{{- end }}
