{{/* One line for each finding across the subcharts: what must hold, what was found, what to do. */}}

{{/*
The Service of a dependency as its chart renders it, so that every value that changes it counts: (list CONTEXT CHART TEMPLATE).
The definitions below are for charts without that template: Go keeps the one that is not empty.
*/}}
{{- define "dynamo-platform.service" -}}
{{- $context := index . 0 -}}
{{- include (printf "%s/charts/%s/templates/%s" (dir $context.Template.BasePath) (index . 1) (index . 2)) (get $context.Subcharts (index . 1)) -}}
{{- end -}}
{{- define "dynamo-platform/charts/nats/templates/service.yaml" }}{{ end }}
{{- define "dynamo-platform/charts/etcd/templates/svc.yaml" }}{{ end }}

{{/* The name that a dependency's objects share: (list CONTEXT nats|etcd). */}}
{{- define "dynamo-platform.dependency-name" -}}
{{- $values := get (index . 0).Values (index . 1) -}}
{{- $release := (index . 0).Release.Name -}}
{{- $name := get $values "nameOverride" | default (index . 1) -}}
{{- get $values "fullnameOverride" | default (contains $name $release | ternary $release (printf "%s-%s" $release $name)) -}}
{{- end -}}

{{/* Addresses that the reconciler gives to pods of graphs, and that no Service has. */}}
{{- define "dynamo-platform.addresses" -}}
{{- $operator := index .Values "dynamo-operator" }}
{{- if $operator.enabled }}
{{- if and (eq $operator.discoveryBackend "etcd") (not .Values.etcd.enabled) (not $operator.etcdAddr) (eq $operator.mode "replacement") }}
dynamo-operator.discoveryBackend etcd needs etcd.enabled or dynamo-operator.etcdAddr: services would not find each other
{{- end }}
{{- if include "dynamo-operator.makes-pods" (dict "Values" $operator) }}
{{- range list (list "nats" 4222 "service.yaml") (list "etcd" 2379 "svc.yaml") }}
{{- $name := index . 0 }}
{{- if and (get $operator $name).enabled (not (get $operator (printf "%sAddr" $name))) }}
{{- if not (get $.Values $name).enabled }}
{{ $name }}.enabled must be true, or dynamo-operator.{{ $name }}Addr must name a server, or dynamo-operator.{{ $name }}.enabled must be false: no server would answer at the address
{{- else }}
{{- $wanted := printf "%s.%s:%d" (include "dynamo-operator.bundled" (list $ $name)) $.Release.Namespace (index . 1) }}
{{- $found := list }}
{{- with include "dynamo-platform.service" (list $ $name (index . 2)) | fromYaml }}
{{- $host := printf "%s.%s" .metadata.name (.metadata.namespace | default $.Release.Namespace) }}
{{- range .spec.ports }}
{{- $found = append $found (printf "%s:%d" $host (int .port)) }}
{{- end }}
{{- else }}
{{- /* A chart without that template is trusted unless it says that it has no Service. */}}
{{- $found = ternary (list $wanted) list (dig "service" "enabled" true (get $.Values $name)) }}
{{- end }}
{{- if not (has $wanted $found) }}
dynamo-operator.{{ $name }}Addr must be set where {{ $name }} has another name, namespace or port than by default, or no Service: pods of graphs would connect to {{ $wanted }}, and found {{ $found | join ", " | default "no Service" }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "dynamo-operator.makes-pods" (dict "Values" $operator) }}
{{- $host := printf "HOST.%s.svc.%s" $.Release.Namespace $operator.kubernetesClusterDomain }}
{{- if and .Values.nats.enabled $operator.nats.enabled (not $operator.natsAddr) (dig "config" "nats" "tls" "enabled" false .Values.nats) }}
dynamo-operator.natsAddr must be set with nats.config.nats.tls.enabled, to {{ printf "tls://%s:4222" (replace "HOST" (include "dynamo-operator.bundled" (list . "nats")) $host) }}: pods of graphs would connect without TLS
{{- end }}
{{- if and .Values.etcd.enabled $operator.etcd.enabled (not (hasPrefix "https://" ($operator.etcdAddr | default ""))) (dig "auth" "client" "secureTransport" false .Values.etcd) }}
dynamo-operator.etcdAddr must begin with https:// with etcd.auth.client.secureTransport, such as {{ printf "https://%s:2379" (replace "HOST" (include "dynamo-operator.bundled" (list . "etcd")) $host) }}: found {{ $operator.etcdAddr | default "" | quote }}, and pods of graphs would connect without TLS
{{- end }}
{{- end }}
{{- $domain := .Values.etcd.clusterDomain | default "cluster.local" }}
{{- if and .Values.etcd.enabled (ne $domain $operator.kubernetesClusterDomain) }}
etcd.clusterDomain must be that of dynamo-operator.kubernetesClusterDomain, {{ $operator.kubernetesClusterDomain }}: found {{ $domain }}, and etcd would advertise addresses that do not resolve
{{- end }}
{{- $routes := dig "config" "cluster" "routeURLs" dict .Values.nats | default dict }}
{{- $domain = $routes.k8sClusterDomain | default "cluster.local" }}
{{- if and .Values.nats.enabled $routes.useFQDN (ne $domain $operator.kubernetesClusterDomain) }}
nats.config.cluster.routeURLs.k8sClusterDomain must be that of dynamo-operator.kubernetesClusterDomain, {{ $operator.kubernetesClusterDomain }}: found {{ $domain }}, and servers of NATS would not find each other
{{- end }}
{{- end }}
{{- end -}}

{{/* Names that the API server would refuse, or that two dependencies would share. */}}
{{- define "dynamo-platform.names" -}}
{{- $names := list }}
{{- range list "nats" "etcd" }}
{{- if (get $.Values .).enabled }}
{{- $name := include "dynamo-platform.dependency-name" (list $ .) }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) }}
{{ . }}.fullnameOverride must be set to a DNS label without dots for the release {{ $.Release.Name }}: found {{ $name }}, and its Services would be refused; set dynamo-operator.{{ . }}Addr, too, or use another release name
{{- else if gt (len $name) 54 }}
{{ . }}.fullnameOverride must be set to at most 54 characters for the release {{ $.Release.Name }}: found {{ $name }}, and the name of its headless Service would be too long; set dynamo-operator.{{ . }}Addr, too, or use another release name
{{- end }}
{{- if has $name $names }}
nats.fullnameOverride or etcd.fullnameOverride must be set for the release {{ $.Release.Name }}: found the name {{ $name }} for both, and one would overwrite the other; set the address below dynamo-operator, too, or use another release name
{{- end }}
{{- $names = append $names $name }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Values that other charts have and this one lacks, each with its replacement. */}}
{{- define "dynamo-platform.replaced" -}}
{{- range $chart := list "nats" "etcd" "grove" "kai-scheduler" }}
{{- $installs := (get $.Values $chart).enabled }}
{{- $global := get ($.Values.global | default dict) $chart }}
{{- range $key, $value := kindIs "map" $global | ternary $global dict }}
{{- /* global.kai-scheduler.enabled has its effect in queues.yaml. */}}
{{- $counts := or (eq $key "install") (and (eq $key "enabled") (eq $chart "grove")) (and (eq $key "enabled") (eq $chart "kai-scheduler") (not $value)) }}
{{- if and $counts (not (kindIs "invalid" $value)) (ne (toString $value) (toString $installs)) }}
global.{{ $chart }}.{{ $key }} must be removed: found {{ $value }} while {{ $chart }}.enabled is {{ $installs }}, and only {{ $chart }}.enabled decides here whether this release installs it{{ eq $chart "grove" | ternary "; a Grove that was installed separately needs no value" "" }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.grove.enabled .Values.grove.affinity }}
grove.affinity must be empty: the chart of Grove has no such value, and its pods would run anywhere; use taints and grove.tolerations
{{- end }}
{{- end -}}

{{/* Helm creates definitions of a dependency only with the first revision of a release. */}}
{{- define "dynamo-platform.definitions" -}}
{{- $needed := dict "grove" "grove.io/v1alpha1" "kai-scheduler" "scheduling.run.ai/v2" }}
{{- if .Release.IsUpgrade }}
{{- range .Chart.Dependencies }}
{{- $key := .Alias | default .Name }}
{{- $version := get $needed $key }}
{{- if and $version (get $.Values $key).enabled (not ($.Capabilities.APIVersions.Has $version)) }}
{{ $key }}.enabled needs the definitions of {{ $version }} in the cluster: found none, and an upgrade does not create them; create them with `helm show crds {{ .Repository }}/{{ eq $key "grove" | ternary "grove-charts" .Name }} --version {{ .Version }} | kubectl apply --server-side -f -` and upgrade again (without a cluster: --api-versions {{ $version }})
{{- end }}
{{- end }}
{{- end }}
{{- if and (include "dynamo-platform.has-queues" .) (not (index .Values "kai-scheduler").enabled) (index .Values "dynamo-operator").conflictChecks }}
{{- if and (lookup "v1" "Namespace" "" "kube-system") (not (.Capabilities.APIVersions.Has "scheduling.run.ai/v2")) }}
kaiQueues.enabled needs the KAI scheduler in the cluster: found no scheduling.run.ai/v2; install the scheduler first, or set kai-scheduler.enabled, or set kaiQueues.enabled=false
{{- end }}
{{- end }}
{{- end -}}

{{/* "true" if this release creates the scheduler's queues. */}}
{{- define "dynamo-platform.has-queues" -}}
{{- $enabled := .Values.kaiQueues.enabled -}}
{{- if kindIs "invalid" $enabled -}}
{{- $global := get (.Values.global | default dict) "kai-scheduler" -}}
{{- $enabled = or (index .Values "kai-scheduler").enabled (and (kindIs "map" $global) (get (kindIs "map" $global | ternary $global dict) "enabled")) -}}
{{- end -}}
{{- if $enabled -}}true{{- end -}}
{{- end -}}
