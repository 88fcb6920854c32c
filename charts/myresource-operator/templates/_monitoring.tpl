{{/* files/alerts.yaml with the values of this installation in the places that its first lines name. */}}
{{- define "myresource-operator.alerts" -}}
{{- $job := .Values.metrics.rules.job | default (include "myresource-operator.name" .) -}}
{{- $silence := max 1800 (mul 3 (int .Values.compositeController.resyncPeriodSeconds)) -}}
{{- .Files.Get "files/alerts.yaml"
  | replace "job=\"myresource-operator\"" (printf "job=%q" $job)
  | replace "docs/reference/alerts.md" (.Values.metrics.rules.runbookUrl | default (printf "%s/reference/alerts.md" (include "myresource-operator.docs" .)))
  | replace "600s" (printf "%ds" (int .Values.compositeController.resyncPeriodSeconds))
  | replace "[1800s]" (printf "[%ds]" $silence) -}}
{{- end }}
