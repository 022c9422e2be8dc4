{{- define "nats.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Each template includes this first: it writes names into the values, which the parent chart reads, too. */}}
{{- define "nats.prepare" -}}
{{- if not .isPrepared }}
{{- $name := include "nats.fullname" . }}
{{- range $key, $suffix := dict "configMap" "-config" "headlessService" "-headless" "podDisruptionBudget" "" "service" "" "serviceAccount" "" "statefulSet" "" }}
{{- $values := get $.Values $key }}
{{- $_ := set $values "name" ($values.name | default (printf "%s%s" $name $suffix)) }}
{{- end }}
{{- $volume := .Values.config.jetstream.fileStore.pvc }}
{{- $_ := set $volume "name" ($volume.name | default (printf "%s-js" $name)) }}
{{- /* From here on, this chart has values of its own. */}}
{{- $_ := set . "Values" (deepCopy .Values) }}
{{- $_ := set . "isPrepared" true }}
{{- end }}
{{- end -}}

{{- define "nats.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: nats
{{- end -}}

{{- define "nats.metadata" -}}
{{- with .Values.namespaceOverride }}
namespace: {{ . }}
{{- end }}
annotations: {fake: nats}
labels:
  {{- include "nats.selector" . | nindent 2 }}
{{- end -}}

{{/* An object with the `merge` and `patch` of its values: (list OBJECT VALUES). Replaces names and ports only. */}}
{{- define "nats.changed" -}}
{{- $object := mergeOverwrite (index . 0 | fromYaml) (deepCopy ((index . 1).merge | default dict)) -}}
{{- range (index . 1).patch -}}
{{- $keys := splitList "/" .path -}}
{{- if and (eq .op "replace") (eq (len $keys) 3) -}}
{{- $_ := set (get $object (index $keys 1)) (index $keys 2) .value -}}
{{- end -}}
{{- end -}}
{{- toYaml $object -}}
{{- end -}}
