{{/*
Names. FULLNAME is RELEASE-CHART. Cluster-scoped names end in a dot, which no namespace name has, and the
release's namespace, so two releases, of one name or in one namespace, never create the same object. A name
that is too long for its kind, or has a dot where none is allowed, is changed and ends in a hash of the
whole.
*/}}

{{- define "dynamo-operator.name" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{- define "dynamo-operator.fullname" -}}
{{- .Values.fullnameOverride | default (printf "%s-%s" .Release.Name (include "dynamo-operator.name" .)) -}}
{{- end -}}

{{/* Cuts a name: (list NAME LENGTH). */}}
{{- define "dynamo-operator.cut" -}}
{{- $name := index . 0 -}}
{{- $length := index . 1 -}}
{{- if le (len $name) $length -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" (trunc (int (sub $length 9)) $name | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- end -}}

{{/* The name of a namespaced object: (list CONTEXT SUFFIX). */}}
{{- define "dynamo-operator.object" -}}
{{- printf "%s-%s" (include "dynamo-operator.fullname" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* The name of a Service, which must be a DNS label, or of a workload, which prefixes pod names: (list CONTEXT SUFFIX). */}}
{{- define "dynamo-operator.label-name" -}}
{{- $name := include "dynamo-operator.object" . -}}
{{- if contains "." $name -}}
{{- printf "%s-%s" (replace "." "-" $name | trunc 43 | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- else -}}
{{- include "dynamo-operator.cut" (list $name 52) -}}
{{- end -}}
{{- end -}}

{{/* The name of a cluster-scoped object: (list CONTEXT SUFFIX). */}}
{{- define "dynamo-operator.cluster-object" -}}
{{- printf "%s.%s" (include "dynamo-operator.object" .) (index . 0).Release.Namespace -}}
{{- end -}}

{{- define "dynamo-operator.service" -}}
{{- include "dynamo-operator.label-name" (list . "webhook-service") -}}
{{- end -}}

{{/* The Deployment's replicas. With autoscaling, the current count: removing the count from a manifest that had it
means one replica. Empty without a cluster or without an existing Deployment. */}}
{{- define "dynamo-operator.webhook-replicas" -}}
{{- $webhook := .Values.webhook -}}
{{- if not $webhook.autoscaling.enabled -}}
{{- $webhook.replicas -}}
{{- else -}}
{{- with lookup "apps/v1" "Deployment" .Release.Namespace (include "dynamo-operator.label-name" (list . "webhook")) -}}
{{- max (int $webhook.autoscaling.minReplicas) (int .spec.replicas) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A Secret of the user has the name of the reference chart's. Each other source has its own name: while a release
changes from one source to another, both run and would overwrite each other's Secret. */}}
{{- define "dynamo-operator.certificate-secret" -}}
{{- $managed := include "dynamo-operator.object" (list . "webhook-cert") -}}
{{- $names := dict "managed" $managed "cert-manager" (include "dynamo-operator.object" (list . "webhook-tls")) "external" "webhook-server-cert" -}}
{{- .Values.webhook.certificateSecret.name | default (get $names (include "dynamo-operator.certificates" .)) -}}
{{- end -}}

{{/* The namespace of a restricted release's scope. */}}
{{- define "dynamo-operator.target-namespace" -}}
{{- .Values.namespaceRestriction.targetNamespace | default .Release.Namespace -}}
{{- end -}}

{{/* Labels. Selector labels never change: (list CONTEXT COMPONENT). */}}
{{- define "dynamo-operator.selector" -}}
app.kubernetes.io/name: {{ include "dynamo-operator.cut" (list (include "dynamo-operator.name" (index . 0)) 63) }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "dynamo-operator.labels" -}}
{{- $context := index . 0 -}}
{{ include "dynamo-operator.selector" . }}
helm.sh/chart: {{ printf "%s-%s" $context.Chart.Name $context.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ $context.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $context.Release.Service }}
app.kubernetes.io/part-of: dynamo-operator
{{- with $context.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The labels: and annotations: of metadata: (list CONTEXT COMPONENT [ANNOTATIONS [LABELS]]). */}}
{{- define "dynamo-operator.metadata" -}}
{{- $context := index . 0 -}}
{{- $annotations := merge dict (gt (len .) 2 | ternary (index (append (append . dict) dict) 2) dict) ($context.Values.commonAnnotations | default dict) -}}
{{- $labels := gt (len .) 3 | ternary (index (append (append . dict) dict) 3) dict -}}
labels:
  {{- $all := include "dynamo-operator.labels" (list $context (index . 1)) | fromYaml }}
  {{- toYaml (merge dict $labels $all) | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* REPOSITORY:TAG or REPOSITORY@DIGEST: (list CONTEXT IMAGE). */}}
{{- define "dynamo-operator.image" -}}
{{- $image := index . 1 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default (index . 0).Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The source of certificates: managed, cert-manager or external. */}}
{{- define "dynamo-operator.certificates" -}}
{{- if .Values.webhook.certManager.enabled -}}
cert-manager
{{- else if .Values.webhook.certificateSecret.external -}}
external
{{- else -}}
managed
{{- end -}}
{{- end -}}

{{/* Whether (CONTEXT) is a cluster-wide server: "true" or empty. */}}
{{- define "dynamo-operator.cluster-wide" -}}
{{- if not .Values.namespaceRestriction.enabled -}}true{{- end -}}
{{- end -}}

{{/* Namespaces that are excluded from all webhooks of this release, as a JSON list. A restricted release only gets its own namespace. */}}
{{- define "dynamo-operator.excluded-namespaces" -}}
{{- $excluded := list -}}
{{- if not .Values.namespaceRestriction.enabled -}}
{{- $excluded = .Values.webhook.excludedNamespaces | default list -}}
{{- if .Values.webhook.excludeReleaseNamespace -}}
{{- $excluded = append $excluded .Release.Namespace -}}
{{- end -}}
{{- end -}}
{{- $excluded | uniq | toJson -}}
{{- end -}}

{{/* The namespaces of workloads for which this release creates service accounts. */}}
{{- define "dynamo-operator.workload-namespace" -}}
{{- if .Values.namespaceRestriction.enabled -}}
{{- include "dynamo-operator.target-namespace" . -}}
{{- else -}}
{{- .Release.Namespace -}}
{{- end -}}
{{- end -}}

{{/* The pull secret of service accounts, or empty. It may be in another namespace than the release. */}}
{{- define "dynamo-operator.registry-secret" -}}
{{- $registry := .Values.dynamo.dockerRegistry -}}
{{- if $registry.useKubernetesSecret -}}
{{- $registry.existingSecretName | default (include "dynamo-operator.cluster-object" (list . "regcred")) -}}
{{- end -}}
{{- end -}}

{{/* The imagePullSecrets: of this chart's pods, or empty. */}}
{{- define "dynamo-operator.pull-secrets" -}}
{{- $secrets := .Values.imagePullSecrets | default list -}}
{{- with include "dynamo-operator.registry-secret" . -}}
{{- $secrets = append $secrets (dict "name" .) -}}
{{- end -}}
{{- with $secrets -}}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* A Go duration in seconds, for comparisons. */}}
{{- define "dynamo-operator.seconds" -}}
{{- $units := dict "h" 3600.0 "m" 60.0 "s" 1.0 "ms" 0.001 "us" 0.000001 "ns" 0.000000001 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(h|ms|us|ns|m|s)" (toString .) -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf (float64 (trimSuffix $unit .)) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{/* The value of --operator-version, or empty, which the program records as unknown. */}}
{{- define "dynamo-operator.operator-version" -}}
{{- if eq (.Values.webhook.operatorVersion | default "") "unknown" -}}
{{- else if .Values.webhook.operatorVersion -}}
{{- .Values.webhook.operatorVersion -}}
{{- else if eq .Values.mode "replacement" -}}
{{- .Chart.AppVersion -}}
{{- end -}}
{{- end -}}

{{/* The roleRef and subjects of a binding to a service account of the release: (list CONTEXT KIND ROLE ACCOUNT). */}}
{{- define "dynamo-operator.binding" -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 1 }}
  name: {{ index . 2 }}
subjects:
  - kind: ServiceAccount
    name: {{ index . 3 }}
    namespace: {{ index . 4 }}
{{- end -}}

{{/* "true" if a separate Deployment manages certificates and caBundles. */}}
{{- define "dynamo-operator.has-keeper" -}}
{{- if and .Values.webhook.enabled (eq (include "dynamo-operator.certificates" .) "managed") .Values.webhook.managed.keeper.enabled -}}true{{- end -}}
{{- end -}}

{{/* The account that may write the Secret and the caBundles: (CONTEXT). */}}
{{- define "dynamo-operator.keeper-account" -}}
{{- include "dynamo-operator.object" (list . (empty (include "dynamo-operator.has-keeper" .) | ternary "webhook" "webhook-keeper")) -}}
{{- end -}}

{{/* Flags of managed certificates, the same for servers and keepers. */}}
{{- define "dynamo-operator.managed-arguments" -}}
- --cert-mode=managed
- --namespace={{ .Release.Namespace }}
- --service={{ include "dynamo-operator.service" . }}
- --cert-secret={{ include "dynamo-operator.certificate-secret" . }}
- --cluster-domain={{ .Values.kubernetesClusterDomain }}
{{- with .Values.webhook.certificateValidity }}
- --leaf-lifetime={{ mul 24 . }}h
{{- end }}
{{- with .Values.webhook.managed.caLifetime }}
- --ca-lifetime={{ . }}
{{- end }}
{{- if include "dynamo-operator.injects-crds" . }}
- --inject-crds
{{- end }}
{{- end -}}

{{/* "true" if the caBundle of CustomResourceDefinitions is kept. */}}
{{- define "dynamo-operator.injects-crds" -}}
{{- if and (eq (include "dynamo-operator.certificates" .) "managed") (or .Values.webhook.managed.injectCRDs .Values.webhook.conversion.enabled) -}}true{{- end -}}
{{- end -}}

{{/* "true" if clients of the webhook port must present a certificate. */}}
{{- define "dynamo-operator.asks-clients" -}}
{{- if or .Values.webhook.clientCA.existingConfigMap (regexMatch "(^|\n)--?client-ca-file[=\n]" (join "\n" (.Values.webhook.extraArgs | default list))) -}}true{{- end -}}
{{- end -}}

{{/* The kinds that the server looks up, as a JSON list, without Secrets if clients present no certificate. */}}
{{- define "dynamo-operator.looked-up" -}}
{{- $asked := .Values.webhook.clusterLookups | default list -}}
{{- $kinds := list -}}
{{- range list "dynamographdeployments" "persistentvolumeclaims" "configmaps" "secrets" -}}
{{- if and (or (has "all" $asked) (has . $asked)) (or (ne . "secrets") (include "dynamo-operator.asks-clients" $)) -}}
{{- $kinds = append $kinds . -}}
{{- end -}}
{{- end -}}
{{- if has "clustertopologybindings" $asked -}}
{{- $kinds = append $kinds "clustertopologybindings" -}}
{{- end -}}
{{- $kinds | toJson -}}
{{- end -}}

{{/* Selects the pods with metrics of the webhook: servers and keepers. Not for the webhook's Service. */}}
{{- define "dynamo-operator.metrics-selector" -}}
{{- if include "dynamo-operator.has-keeper" . -}}
app.kubernetes.io/name: {{ include "dynamo-operator.cut" (list (include "dynamo-operator.name" .) 63) }}
app.kubernetes.io/instance: {{ .Release.Name }}
dynamo-admission.nvidia.com/metrics: webhook
{{- else -}}
{{ include "dynamo-operator.selector" (list . "webhook") }}
{{- end -}}
{{- end -}}
