{{/* The memory limit of the hook in bytes; empty if it has none. */}}
{{- define "myresource-operator.memoryLimit" -}}
{{- with ((.Values.resources | default dict).limits | default dict).memory -}}
{{- $factors := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 -}}
{{- $quantity := kindIs "string" . | ternary . (int64 . | toString) -}}
{{- $number := regexFind "^[0-9.]+" $quantity -}}
{{- mulf $number (get $factors (trimPrefix $number $quantity)) | int64 -}}
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
