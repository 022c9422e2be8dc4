{{/* Keys that were set without an effect, one per line, each with the webhook's own key. */}}
{{- define "dynamo-operator.without-effect" -}}
{{- range .Files.Get "files/without-effect.yaml" | fromYamlArray }}
{{- $waits := eq .until "never" | ternary true (eq .until "reconciler" | ternary (not $.Values.reconciler.enabled) (eq $.Values.mode "companion")) }}
{{- range $key, $needed := .needs }}
{{- $found := $.Values }}
{{- range splitList "." $key }}{{ $found = get ($found | default dict) . }}{{ end }}
{{- $waits = or $waits (ne (toString $found) (toString $needed)) }}
{{- end }}
{{- $value := $.Values }}
{{- $given := true }}
{{- range splitList "." .key }}
{{- $given = and $given (kindIs "map" $value) }}
{{- $given = and $given (hasKey (ternary $value dict $given) .) }}
{{- $value = get (ternary $value dict $given) . }}
{{- end }}
{{- if and $waits $given (ne (toJson $value) (toJson .default)) }}
{{ .key }}{{ with .webhook }} (of the webhook: {{ . }}){{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A namespace in which a trial object is validated; VALIDATED-NAMESPACE if none is certain. */}}
{{- define "dynamo-operator.validated-namespace" -}}
{{- if .Values.namespaceRestriction.enabled -}}
{{- include "dynamo-operator.target-namespace" . -}}
{{- else if or .Values.webhook.namespaceSelector (has "default" (include "dynamo-operator.excluded-namespaces" . | fromJsonArray)) -}}
VALIDATED-NAMESPACE
{{- else -}}
default
{{- end -}}
{{- end -}}

{{/* The doctor's command, with the options of this server. */}}
{{- define "dynamo-operator.doctor" -}}
{{- $restricted := .Values.namespaceRestriction.enabled -}}
kubectl dynamo doctor --service-account {{ .Release.Namespace }}/{{ include "dynamo-operator.object" (list . "webhook") }}
{{- if include "dynamo-operator.has-keeper" . }} --keeper-service-account {{ .Release.Namespace }}/{{ include "dynamo-operator.keeper-account" . }}{{ end }} --secret {{ .Release.Namespace }}/{{ include "dynamo-operator.certificate-secret" . }}
{{- if $restricted }} --restricted-namespace {{ include "dynamo-operator.target-namespace" . }}
{{- else if ne (include "dynamo-operator.validated-namespace" .) "default" }} --namespace VALIDATED-NAMESPACE
{{- end }}
{{- with include "dynamo-operator.looked-up" . | fromJsonArray }} --cluster-lookups {{ join "," . }}{{ end }}
{{- if include "dynamo-operator.injects-crds" . }} --inject-crds{{ end }}
{{- with .Values.webhook.operatorGeneration }}{{ if has . (list "first" "later") }} --operator-generation {{ . }}{{ end }}{{ end }}
{{- if not $restricted }}
{{- with .Values.markerLease.namespaces }} --lease-namespaces '{{ join "," . }}'{{ end }}
{{- with .Values.markerLease.holders }} --lease-holders '{{ join "," . }}'{{ end }}
{{- end }}
{{- if ne .Values.markerLease.maxDuration "5m" }} --lease-max-duration {{ .Values.markerLease.maxDuration }}{{ end }}
{{- if .Values.reconciler.enabled }} --reconciler-lease {{ .Release.Namespace }}/{{ include "dynamo-operator.object" (list . "reconciler") }}
{{- with include "dynamo-operator.configured-operator-lease" . }} --operator-lease {{ . }}{{ end }}
{{- end }}
{{- end -}}

{{/* Whether the cluster has an operator of the reference chart: found, none or unknown. */}}
{{- define "dynamo-operator.operator-presence" -}}
{{- if or .Values.namespaceRestriction.enabled (not .Values.conflictChecks) (not (lookup "v1" "Namespace" "" "kube-system")) -}}
unknown
{{- else -}}
{{- $found := false -}}
{{- range list "ClusterRole" "Role" -}}
{{- range (lookup "rbac.authorization.k8s.io/v1" . "" "").items -}}
{{- $found = or $found (not (empty (include "dynamo-operator.is-of-an-operator" .))) -}}
{{- end -}}
{{- end -}}
{{- $found | ternary "found" "none" -}}
{{- end -}}
{{- end -}}

{{- define "dynamo-operator.operator-notes" -}}
{{- $presence := include "dynamo-operator.operator-presence" . -}}
{{- if eq $presence "none" }}

This cluster has no Dynamo operator: graphs are validated, but no controller creates their pods. Install the operator, or let this release do its work with deploy/scenarios/replacement.yaml (docs/operations/install.md).
{{- else if eq $presence "unknown" }}

This release does not create the pods of graphs: a Dynamo operator does. If this lists none, install one, or let this release do its work with deploy/scenarios/replacement.yaml (docs/operations/install.md):
  kubectl get deployments -A -l control-plane=controller-manager
{{- end }}
{{- end -}}

{{- define "dynamo-operator.notes" -}}
{{- $namespace := .Release.Namespace -}}
{{- $deployment := include "dynamo-operator.label-name" (list . "webhook") -}}
{{- $restricted := .Values.namespaceRestriction.enabled -}}
{{- if not .Values.webhook.enabled }}
webhook.enabled is false: the resources of Dynamo are not validated.
{{- else }}
{{- if $restricted }}
Objects of Dynamo in the namespace {{ include "dynamo-operator.target-namespace" . }} are validated ({{ .Values.mode }}, certificates: {{ include "dynamo-operator.certificates" . }}).
{{- else }}
Objects of Dynamo are validated in every namespace except {{ .Values.webhook.excludedNamespaces | join ", " }}{{ if .Values.webhook.excludeReleaseNamespace }} and {{ $namespace }}{{ end }} ({{ .Values.mode }}, certificates: {{ include "dynamo-operator.certificates" . }}).
{{- end }}

1. Check the installation; this changes nothing:
     {{ include "dynamo-operator.doctor" . }}
2. Wait for the servers. They are ready when API servers trust them:
     kubectl -n {{ $namespace }} rollout status deployment/{{ $deployment }}
3. Check that an invalid object is denied:
     echo '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"bad"},"spec":{"services":{}}}' |
       kubectl create --dry-run=server --namespace {{ include "dynamo-operator.validated-namespace" . }} -f -

In an emergency, this disables validation of all writes:
     kubectl delete validatingwebhookconfiguration {{ include "dynamo-operator.cluster-object" (list . "validating") }}
     kubectl delete mutatingwebhookconfiguration {{ include "dynamo-operator.cluster-object" (list . "mutating") }}
`helm upgrade` creates them again.
{{- if eq .Values.webhook.enforcement "audit" }}

webhook.enforcement is audit: nothing is denied. Watch dynamo_webhook_audit_would_deny_total, then set deny.
{{- end }}
{{- if eq (include "dynamo-operator.certificates" .) "external" }}

You renew the Secret {{ include "dynamo-operator.certificate-secret" . }} yourself; it must be for {{ include "dynamo-operator.service" . }}.{{ $namespace }}.svc. The servers reload it. To change the CA, first set webhook.caBundle to the old and the new CA.
{{- end }}
{{- if and (eq .Values.mode "companion") (has (.Values.webhook.operatorVersion | default "unknown") (list "unknown")) }}

webhook.operatorVersion is not set: new graphs are permanently recorded with version 0.0.0-unknown{{ if $restricted }}, and the marker Lease is not held as the installed operator holds it{{ end }}. Set it to that operator's version, which this shows:
  kubectl get deployments -A -l control-plane=controller-manager -L app.kubernetes.io/version
{{- end }}
{{- if and (eq .Values.mode "replacement") .Values.webhook.operatorVersion (ne .Values.webhook.operatorVersion .Chart.AppVersion) }}

webhook.operatorVersion is {{ .Values.webhook.operatorVersion }}: new graphs are permanently recorded with that version, and this release replaces that operator. Empty it to record the version of this release, {{ .Chart.AppVersion }}.
{{- end }}
{{- if .Values.markerLeasePolicy.enabled }}

The Lease dynamo-operator-namespace-scope {{ $restricted | ternary (printf "in %s" (include "dynamo-operator.target-namespace" .)) "of a namespace" }} may be written by accounts that may create namespaceexclusions.dynamo-admission.nvidia.com there{{ with .Values.markerLeasePolicy.allowedServiceAccounts }}, and by {{ join ", " . }}{{ end }}. A restricted Dynamo operator of the later generation has no such right, and ends when its Lease is refused: before it is installed, its account must be listed in markerLeasePolicy.allowedServiceAccounts.
{{- if not .Values.conflictChecks }} conflictChecks is false: existing ones were not searched for. This shows them:
  kubectl get rolebindings -A -o wide | grep manager-role
{{- end }}
{{- end }}
{{- with include "dynamo-operator.without-effect" . | trim }}

Without effect in this release (mode {{ $.Values.mode }}, reconciler.enabled {{ $.Values.reconciler.enabled }}; see docs/reference-values.md){{ if eq $.Values.mode "companion" }}; for the installed operator, set them in its own release{{ end }}:
  {{- . | nindent 2 }}
{{- end }}
{{- end }}
{{- if eq .Values.mode "companion" }}
{{- include "dynamo-operator.operator-notes" . }}
{{- end }}
{{- if .Values.reconciler.enabled }}

{{ include "dynamo-operator.reconciler-notes" . | trim }}
{{- end }}
{{- if and $restricted (or .Values.webhook.enabled (and .Values.reconciler.enabled (eq .Values.mode "replacement"))) }}

`helm uninstall` leaves the Lease that holds the namespace, because the right to delete it is removed first. Unless another operator keeps renewing it, delete it afterwards; as long as it exists, a server of the whole cluster treats objects older than its expiry as not validated:
     kubectl -n {{ include "dynamo-operator.target-namespace" . }} delete lease dynamo-operator-namespace-scope
{{- end }}
{{- if and .Values.monitoring.prometheusRule.enabled (not .Values.monitoring.prometheusRule.runbook) }}

monitoring.prometheusRule.runbook is not set: alerts link to docs/runbook.md, which is no address. Set it to the address of that page.
{{- end }}
{{- if and .Values.webhook.enabled (or (has "all" .Values.webhook.clusterLookups) (has "secrets" .Values.webhook.clusterLookups)) (not (include "dynamo-operator.asks-clients" .)) }}

webhook.clientCA.existingConfigMap is not set: Secrets are not looked up, and the account has no right to list them. Clients without a certificate could find out which Secrets exist.
{{- end }}
{{- if and .Values.webhook.enabled .Values.webhook.networkPolicy.enabled (not .Values.webhook.networkPolicy.apiServerCIDRs) }}

webhook.networkPolicy.apiServerCIDRs is not set: every client reaches the webhook port, which requires no authentication. Set it to the addresses of your API servers.
{{- end }}
{{- end -}}

{{- define "dynamo-operator.reconciler-notes" -}}
{{- $namespace := .Release.Namespace }}
{{- if and (eq .Values.mode "replacement") (not (include "dynamo-operator.author-limits" . | fromYaml)) }}

graphAuthors sets no limits. Unless parameters of the policy set them, authors of graphs may use any host path, host access and any service account of the namespace.
{{- end }}
{{- $deployment := include "dynamo-operator.reconciler-deployment" . }}
{{- $scope := .Values.namespaceRestriction.enabled | ternary (printf "-n %s" (include "dynamo-operator.target-namespace" .)) "-A" }}
{{- if eq .Values.mode "companion" }}
Stored objects are validated, too, by deployment/{{ $deployment }}; it writes the condition DynamoAdmissionValid and Events, and nothing that the operator writes:
     kubectl -n {{ $namespace }} rollout status deployment/{{ $deployment }}
     kubectl get dgd,dcd,dm,dgdr,dckpt {{ $scope }} -o custom-columns='KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name,VALID:.status.conditions[?(@.type=="DynamoAdmissionValid")].status'
{{- else }}
deployment/{{ $deployment }} is the operator here, with the controllers {{ include "dynamo-operator.controllers" . }}:
     kubectl -n {{ $namespace }} rollout status deployment/{{ $deployment }}
     kubectl get dgd,dcd,dgdsa,dm,dckpt {{ $scope }}
As long as another operator holds the Lease {{ include "dynamo-operator.operator-lease" . }} in {{ include "dynamo-operator.operator-lease-namespace" . }} it does nothing, and its log names the holder.
{{- end }}
{{- end -}}
