{{/*
Names. FULLNAME is RELEASE-CHART; what is shared by the whole cluster ends in the release's namespace,
so two releases, of one name or in one namespace, never make the same object. A name that would be
too long for what it names is cut and ends in a hash of the whole.
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

{{/* An object of the namespace: (list CONTEXT SUFFIX). */}}
{{- define "dynamo-operator.object" -}}
{{- printf "%s-%s" (include "dynamo-operator.fullname" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* A Service, whose name is a DNS label, or what gives pods their names: (list CONTEXT SUFFIX). */}}
{{- define "dynamo-operator.label-name" -}}
{{- include "dynamo-operator.cut" (list (include "dynamo-operator.object" .) 52) -}}
{{- end -}}

{{/* An object of the cluster: (list CONTEXT SUFFIX). */}}
{{- define "dynamo-operator.cluster-object" -}}
{{- printf "%s-%s" (include "dynamo-operator.object" .) (index . 0).Release.Namespace -}}
{{- end -}}

{{- define "dynamo-operator.service" -}}
{{- include "dynamo-operator.label-name" (list . "webhook-service") -}}
{{- end -}}

{{- define "dynamo-operator.certificate-secret" -}}
{{- .Values.webhook.certificateSecret.name | default (include "dynamo-operator.object" (list . "webhook-cert")) -}}
{{- end -}}

{{/* The namespace that a restricted release is about. */}}
{{- define "dynamo-operator.target-namespace" -}}
{{- .Values.namespaceRestriction.targetNamespace | default .Release.Namespace -}}
{{- end -}}

{{/* Labels. Those of a selector never change: (list CONTEXT COMPONENT). */}}
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

{{/* labels: and annotations: of an object's metadata: (list CONTEXT COMPONENT [ANNOTATIONS [LABELS]]). */}}
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

{{/* Where certificates come from: managed, cert-manager or external. */}}
{{- define "dynamo-operator.certificates" -}}
{{- if .Values.webhook.certManager.enabled -}}
cert-manager
{{- else if .Values.webhook.certificateSecret.external -}}
external
{{- else -}}
managed
{{- end -}}
{{- end -}}
