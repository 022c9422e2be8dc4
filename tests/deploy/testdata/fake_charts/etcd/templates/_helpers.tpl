{{- define "etcd.full" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "etcd.space" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end -}}

{{- define "etcd.selector" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name }}
app.kubernetes.io/component: etcd
{{- end -}}

{{- define "etcd.metadata" -}}
namespace: {{ include "etcd.space" . }}
annotations: {fake: etcd}
labels:
  {{- include "etcd.selector" . | nindent 2 }}
{{- end -}}
