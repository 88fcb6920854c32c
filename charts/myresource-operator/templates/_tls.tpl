{{/* Whether Metacontroller calls the hook by HTTPS; "" if not, as of the next two. */}}
{{- define "myresource-operator.tls" -}}
{{- if ne .Values.tls.mode "disabled" -}}true{{- end -}}
{{- end }}

{{/* Whether the hook refuses callers without a client certificate. */}}
{{- define "myresource-operator.clientCertificate" -}}
{{- if and (include "myresource-operator.tls" .) .Values.tls.clientCertificate.enabled -}}true{{- end -}}
{{- end }}

{{/* Whether the hook refuses callers without a token. */}}
{{- define "myresource-operator.token" -}}
{{- if and (include "myresource-operator.tls" .) .Values.tls.token.enabled -}}true{{- end -}}
{{- end }}

{{- define "myresource-operator.tlsSecret" -}}
{{- .Values.tls.secretName | default (printf "%s-tls" (include "myresource-operator.fullname" .)) -}}
{{- end }}

{{- define "myresource-operator.clientSecret" -}}
{{- .Values.tls.clientCertificate.secretName | default (printf "%s-client-tls" (include "myresource-operator.fullname" .)) -}}
{{- end }}

{{- define "myresource-operator.tokenSecret" -}}
{{- .Values.tls.token.secretName | default (printf "%s-token" (include "myresource-operator.fullname" .)) -}}
{{- end }}

{{/* Names of the Secrets that Helm generates, separated by spaces. */}}
{{- define "myresource-operator.generatedSecrets" -}}
{{- $names := list -}}
{{- if eq .Values.tls.mode "helm" -}}
{{- $names = append $names (include "myresource-operator.tlsSecret" .) -}}
{{- if include "myresource-operator.clientCertificate" . -}}
{{- $names = append $names (include "myresource-operator.clientSecret" .) -}}
{{- end -}}
{{- end -}}
{{- if and (include "myresource-operator.token" .) (not .Values.tls.token.secretName) -}}
{{- $names = append $names (include "myresource-operator.tokenSecret" .) -}}
{{- end -}}
{{- join " " $names -}}
{{- end }}

{{/* The value, base64-encoded, of the key .key of the Secret .name: of one that Helm generates, else of the cluster's; "" without either. */}}
{{- define "myresource-operator.secretValue" -}}
{{- include "myresource-operator.generate" .root -}}
{{- $found := index .root.Values.tls.generated .name -}}
{{- if not $found -}}
{{- $found = lookup "v1" "Secret" (include "myresource-operator.namespace" .root) .name -}}
{{- end -}}
{{- index ($found.data | default dict) .key | default "" -}}
{{- end }}

{{/* Sets .Values.tls.generated: the Secrets that Helm generates, by name. Those that the cluster has are kept as they are.
Why a value: all templates of one rendering must see the same certificates and the same token. */}}
{{- define "myresource-operator.generate" -}}
{{- if not (hasKey .Values.tls "generated") -}}
{{- $namespace := include "myresource-operator.namespace" . -}}
{{- $generated := dict -}}
{{- $missing := dict -}}
{{- range $name := include "myresource-operator.generatedSecrets" . | splitList " " | compact -}}
{{- $kept := lookup "v1" "Secret" $namespace $name -}}
{{- if $kept -}}
{{- $_ := set $generated $name (dict "data" $kept.data "annotations" (pick ($kept.metadata.annotations | default dict) "mygroup.example.com/expires")) -}}
{{- else -}}
{{- $_ := set $missing $name true -}}
{{- end -}}
{{- end -}}
{{- $token := include "myresource-operator.tokenSecret" . -}}
{{- if hasKey $missing $token -}}
{{- $_ := set $generated $token (dict "data" (dict "token" (randAlphaNum 48 | b64enc))) -}}
{{- end -}}
{{- if omit $missing $token -}}
{{- $generated = merge (include "myresource-operator.newCertificates" . | fromJson) $generated -}}
{{- end -}}
{{- $_ := set .Values.tls "generated" $generated -}}
{{- end -}}
{{- end }}

{{/* Secrets with new certificates of a new CA for the hook and for Metacontroller, as JSON. The key of the CA is not stored, so nobody can sign another certificate. */}}
{{- define "myresource-operator.newCertificates" -}}
{{- $name := include "myresource-operator.fullname" . -}}
{{- $expires := dict "mygroup.example.com/expires" (now | dateModify "87600h" | date "2006-01-02") -}}
{{- $ca := genCAWithKey (printf "%s-ca" $name) 3650 (genPrivateKey "ecdsa") -}}
{{- $hook := genSignedCertWithKey $name nil (list (include "myresource-operator.host" .)) 3650 $ca (genPrivateKey "ecdsa") -}}
{{- $client := genSignedCertWithKey "metacontroller" nil nil 3650 $ca (genPrivateKey "ecdsa") -}}
{{- $secrets := dict -}}
{{- range $secret, $pair := dict (include "myresource-operator.tlsSecret" .) $hook (include "myresource-operator.clientSecret" .) $client -}}
{{- $data := dict "tls.crt" (b64enc $pair.Cert) "tls.key" (b64enc $pair.Key) "ca.crt" (b64enc $ca.Cert) -}}
{{- $_ := set $secrets $secret (dict "data" $data "annotations" $expires) -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end }}

{{/* The CA that Metacontroller verifies the hook's certificate with. Inline where it is known, because Metacontroller then needs no right to read it. */}}
{{- define "myresource-operator.caBundle" -}}
{{- $tls := .Values.tls -}}
{{- $secret := include "myresource-operator.tlsSecret" . -}}
{{- $namespace := include "myresource-operator.namespace" . -}}
{{- $bundle := dict "secretRef" (dict "name" $secret "namespace" $namespace "key" "ca.crt") -}}
{{- if eq $tls.mode "helm" -}}
{{- $bundle = dict "inline" (include "myresource-operator.secretValue" (dict "root" . "name" $secret "key" "ca.crt") | b64dec) -}}
{{- else if $tls.ca.bundle -}}
{{- $bundle = dict "inline" $tls.ca.bundle -}}
{{- else if $tls.ca.configMapName -}}
{{- $bundle = dict "configMapRef" (dict "name" $tls.ca.configMapName "namespace" $namespace "key" "ca.crt") -}}
{{- end -}}
{{- toYaml $bundle -}}
{{- end }}

{{/* What Metacontroller reads only once: the CA, its client certificate and its token. Not the hook's certificate, which may be renewed at any time. */}}
{{- define "myresource-operator.identities" -}}
{{- $bundle := include "myresource-operator.caBundle" . | fromYaml -}}
{{- $identities := list .Values.tls.revision $bundle -}}
{{- with $bundle.secretRef -}}
{{- $identities = append $identities (include "myresource-operator.secretValue" (dict "root" $ "name" .name "key" .key)) -}}
{{- end -}}
{{- with $bundle.configMapRef -}}
{{- $identities = append $identities (lookup "v1" "ConfigMap" .namespace .name).data -}}
{{- end -}}
{{- if include "myresource-operator.clientCertificate" . -}}
{{- $secret := include "myresource-operator.clientSecret" . -}}
{{- $identities = append $identities (include "myresource-operator.secretValue" (dict "root" . "name" $secret "key" "tls.crt")) -}}
{{- end -}}
{{- if include "myresource-operator.token" . -}}
{{- $secret := include "myresource-operator.tokenSecret" . -}}
{{- $identities = append $identities (include "myresource-operator.secretValue" (dict "root" . "name" $secret "key" "token")) -}}
{{- end -}}
{{- toJson $identities -}}
{{- end }}

{{/* Whether Metacontroller reads Secrets: to call the hook, or because the operator watches them. */}}
{{- define "myresource-operator.readsSecrets" -}}
{{- $ca := and (include "myresource-operator.tls" .) (hasKey (include "myresource-operator.caBundle" . | fromYaml) "secretRef") -}}
{{- if or .Values.watch.secrets $ca (include "myresource-operator.clientCertificate" .) (include "myresource-operator.token" .) -}}true{{- end -}}
{{- end }}

{{/* The issuer of the hook's and of Metacontroller's certificates in mode certManager. */}}
{{- define "myresource-operator.issuerRef" -}}
{{- $ours := dict "name" (printf "%s-ca" (include "myresource-operator.fullname" .)) "kind" "Issuer" "group" "cert-manager.io" -}}
{{- .Values.tls.certManager.issuerRef | default $ours | toYaml -}}
{{- end }}

{{/* Sources of the files with which helm test calls the hook as Metacontroller does: ca.crt, tls.crt and tls.key, token. */}}
{{- define "myresource-operator.testFiles" -}}
{{- $sources := list -}}
{{- if include "myresource-operator.tls" . -}}
{{- $bundle := include "myresource-operator.caBundle" . | fromYaml -}}
{{- range $field, $source := dict "secretRef" "secret" "configMapRef" "configMap" -}}
{{- with index $bundle $field -}}
{{- $sources = append $sources (dict $source (dict "name" .name "items" (list (dict "key" .key "path" "ca.crt")))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if include "myresource-operator.clientCertificate" . -}}
{{- $items := list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key") -}}
{{- $sources = append $sources (dict "secret" (dict "name" (include "myresource-operator.clientSecret" .) "items" $items)) -}}
{{- end -}}
{{- if include "myresource-operator.token" . -}}
{{- $items := list (dict "key" "token" "path" "token") -}}
{{- $sources = append $sources (dict "secret" (dict "name" (include "myresource-operator.tokenSecret" .) "items" $items)) -}}
{{- end -}}
{{- toYaml $sources -}}
{{- end }}
