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

{{/* Where Helm, or cert-manager, keeps the CA and its key. Nothing mounts it. */}}
{{- define "myresource-operator.caSecret" -}}
{{- printf "%s-ca" (include "myresource-operator.fullname" .) -}}
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
{{- $names = concat $names (list (include "myresource-operator.tlsSecret" .) (include "myresource-operator.caSecret" .)) -}}
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

{{/* Sets .Values.tls.generated: the Secrets that Helm generates, by name. The token and the key of the CA are kept as the cluster has them.
Why a value: all templates of one rendering must see the same certificates and the same token. */}}
{{- define "myresource-operator.generate" -}}
{{- if not (hasKey .Values.tls "generated") -}}
{{- $namespace := include "myresource-operator.namespace" . -}}
{{- $names := include "myresource-operator.generatedSecrets" . | splitList " " | compact -}}
{{- $generated := dict -}}
{{- range $name := $names -}}
{{- with lookup "v1" "Secret" $namespace $name -}}
{{- $_ := set $generated $name (dict "data" .data "annotations" (pick (.metadata.annotations | default dict) "mygroup.example.com/expires")) -}}
{{- end -}}
{{- end -}}
{{- $token := include "myresource-operator.tokenSecret" . -}}
{{- if and (has $token $names) (not (hasKey $generated $token)) -}}
{{- $_ := set $generated $token (dict "data" (dict "token" (randAlphaNum 48 | b64enc))) -}}
{{- end -}}
{{- if eq .Values.tls.mode "helm" -}}
{{- $generated = merge (include "myresource-operator.newCertificates" (dict "root" . "kept" $generated) | fromJson) $generated -}}
{{- end -}}
{{- $_ := set .Values.tls "generated" $generated -}}
{{- end -}}
{{- end }}

{{/* Secrets with new certificates, as JSON: of the CA, with its key in the Secrets .kept; of the hook, and of Metacontroller.
Why a new certificate of the CA, too: it never expires before the others. With the same key and name, the earlier one verifies the new certificates, and the new one verifies the earlier ones, so no call fails while some have the one and some the other.
Without the key (after release 0.3.0 or an earlier one, or because its Secret was deleted) the CA is another one: the hook and Metacontroller then accept both, and Metacontroller keeps its certificate until the next upgrade, when all Pods of the hook know the new CA. */}}
{{- define "myresource-operator.newCertificates" -}}
{{- $name := include "myresource-operator.fullname" .root -}}
{{- $tlsSecret := include "myresource-operator.tlsSecret" .root -}}
{{- $clientSecret := include "myresource-operator.clientSecret" .root -}}
{{- $days := dig "helm" "days" 365 .root.Values.tls | int -}}
{{- $expires := dict "mygroup.example.com/expires" (now | dateModify (printf "%dh" (mul 24 $days)) | date "2006-01-02") -}}
{{- $earlier := dig $tlsSecret "data" "ca.crt" "" .kept | b64dec -}}
{{- $caKey := dig (include "myresource-operator.caSecret" .root) "data" "tls.key" "" .kept | b64dec -}}
{{- $ca := genCAWithKey (printf "%s-ca" $name) $days ($caKey | default (genPrivateKey "ecdsa")) -}}
{{- $cas := $caKey | empty | ternary (print $ca.Cert $earlier) $ca.Cert -}}
{{- $hook := genSignedCertWithKey $name nil (list (include "myresource-operator.host" .root)) $days $ca (genPrivateKey "ecdsa") -}}
{{- $client := genSignedCertWithKey "metacontroller" nil nil $days $ca (genPrivateKey "ecdsa") -}}
{{- $secrets := dict (include "myresource-operator.caSecret" .root) (dict "annotations" $expires "data" (dict "tls.crt" (b64enc $ca.Cert) "tls.key" (b64enc $ca.Key))) -}}
{{- range $secret, $pair := dict $tlsSecret $hook $clientSecret $client -}}
{{- $data := dict "tls.crt" (b64enc $pair.Cert) "tls.key" (b64enc $pair.Key) "ca.crt" (b64enc $cas) -}}
{{- $_ := set $secrets $secret (dict "data" $data "annotations" $expires) -}}
{{- end -}}
{{- if and $earlier (not $caKey) (hasKey .kept $clientSecret) -}}
{{- $secrets = omit $secrets $clientSecret -}}
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
