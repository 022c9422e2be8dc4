{{/* One line for each finding: what must hold, what was found, what to do. */}}

{{/* Values that other charts have and this one lacks, each with its replacement. */}}
{{- define "dynamo-operator.replaced" -}}
{{- $webhook := .Values.webhook }}
{{- if .Values.controllerManager.kubeRbacProxy }}
controllerManager.kubeRbacProxy must be removed: programs serve their metrics themselves; see metricsService and webhook.networkPolicy.metricsFrom for access to them
{{- end }}
{{- if $webhook.certGenerator }}
webhook.certGenerator must be removed: the server issues its certificates itself, without a job or an image; see webhook.managed
{{- end }}
{{- if .Values.metricsService.ports }}
metricsService.ports must be removed: metrics have one port, metricsService.port
{{- end }}
{{- if hasKey .Values.dynamo.dockerRegistry "secure" }}
{{- if not .Values.dynamo.dockerRegistry.secure }}
dynamo.dockerRegistry.secure must be removed: whether a registry is reached without TLS is the container runtime's configuration
{{- end }}
{{- end }}
{{- if hasKey .Values "istioVirtualServiceEnabled" }}
istioVirtualServiceEnabled must be removed: use dynamo.istio.enabled and dynamo.istio.gateway
{{- end }}
{{- if hasKey .Values.dynamo "dynamoIngressSuffix" }}
dynamo.dynamoIngressSuffix must be removed: use dynamo.ingressHostSuffix
{{- end }}
{{- if hasKey .Values "serviceAccount" }}
serviceAccount must be removed: use webhook.serviceAccount and controllerManager.serviceAccount
{{- end }}
{{- if hasKey .Values.namespaceRestriction "namespace" }}
namespaceRestriction.namespace must be removed: use namespaceRestriction.targetNamespace
{{- end }}
{{- if hasKey .Values.checkpoint "criu" }}
checkpoint.criu must be removed: these are values of the agent's chart, config.checkpoint.criu
{{- end }}
{{- if hasKey .Values "certManager" }}
certManager must be removed: use webhook.certManager; set your own issuer in webhook.certManager.issuerRef
{{- end }}
{{- range list "tolerations" "affinity" }}
{{- if get ($.Values.dynamo.mpiRun.sshKeygen | default dict) . }}
dynamo.mpiRun.sshKeygen.{{ . }} must be removed: no job generates the key of MPI, the reconciler does; see controllerManager.{{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Values with which the program would not start, one line each: bounds of flags, and relations between them. */}}
{{- define "dynamo-operator.flags" -}}
{{- $webhook := .Values.webhook }}
{{- $lease := .Values.namespaceRestriction.lease }}
{{- $restricted := .Values.namespaceRestriction.enabled }}
{{- $managed := eq (include "dynamo-operator.certificates" .) "managed" }}
{{- $durations := list
  (list "webhook.shutdownDelay" $webhook.shutdownDelay "0s" "5m")
  (list "webhook.drainTimeout" $webhook.drainTimeout "0s" "5m")
  (list "markerLease.maxDuration" .Values.markerLease.maxDuration "1s" "24h") }}
{{- if .Values.reconciler.enabled }}
{{- $durations = append $durations (list "reconciler.drainTimeout" .Values.reconciler.drainTimeout "0s" "5m") }}
{{- end }}
{{- if $restricted }}
{{- $durations = append $durations (list "namespaceRestriction.lease.duration" $lease.duration "1s" "1h") }}
{{- $durations = append $durations (list "namespaceRestriction.lease.renewInterval" $lease.renewInterval (.Values.reconciler.enabled | ternary "1s" "100ms") "1h") }}
{{- end }}
{{- if and $managed $webhook.managed.caLifetime }}
{{- $durations = append $durations (list "webhook.managed.caLifetime" $webhook.managed.caLifetime "24h" "876000h") }}
{{- end }}
{{- range $durations }}
{{- $seconds := include "dynamo-operator.seconds" (index . 1) | float64 }}
{{- if or (lt $seconds (include "dynamo-operator.seconds" (index . 2) | float64)) (gt $seconds (include "dynamo-operator.seconds" (index . 3) | float64)) }}
{{ index . 0 }} must be from {{ index . 2 }} to {{ index . 3 }}: found {{ index . 1 }}
{{- end }}
{{- if and (has (index . 0) (list "markerLease.maxDuration" "namespaceRestriction.lease.duration")) (ne $seconds (floor $seconds)) }}
{{ index . 0 }} must be whole seconds: found {{ index . 1 }}
{{- end }}
{{- end }}
{{- /* A cluster-wide server has no Lease; the program uses its default duration. */}}
{{- $held := $restricted | ternary $lease.duration "30s" }}
{{- if gt (include "dynamo-operator.seconds" $held | float64) (include "dynamo-operator.seconds" .Values.markerLease.maxDuration | float64) }}
markerLease.maxDuration must be at least {{ $restricted | ternary "namespaceRestriction.lease.duration, " "" }}{{ $held }}: found {{ .Values.markerLease.maxDuration }}, and no Lease would be trusted
{{- end }}
{{- if $managed }}
{{- $days := $webhook.certificateValidity | default 90 | int }}
{{- $authority := $webhook.managed.caLifetime | default "87600h" }}
{{- if lt (include "dynamo-operator.seconds" $authority | float64) (mulf 432000.0 $days) }}
webhook.managed.caLifetime must be at least five times the {{ $days }} days of webhook.certificateValidity: found {{ $authority }}
{{- end }}
{{- end }}
{{- if has (int $webhook.port) (list 8080 8081) }}
webhook.port must not be 8080, where metrics are, nor 8081, where probes are: found {{ int $webhook.port }}
{{- end }}
{{- $unit := regexFind "[KMG]iB$" $webhook.maxBodyMemory }}
{{- $bytes := mulf (trimSuffix $unit $webhook.maxBodyMemory | float64) (get (dict "" 1.0 "KiB" 1024.0 "MiB" 1048576.0 "GiB" 1073741824.0) $unit) }}
{{- if or (lt $bytes 8388608.0) (gt $bytes 68719476736.0) }}
webhook.maxBodyMemory must be from 8MiB to 64GiB: found {{ $webhook.maxBodyMemory }}
{{- end }}
{{- end -}}

{{/* Values that contradict each other. */}}
{{- define "dynamo-operator.contradictions" -}}
{{- /* The chart sets these: selectors are immutable, the others belong to Helm. */}}
{{- $own := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "app.kubernetes.io/part-of" "helm.sh/chart" }}
{{- range $key, $labels := dict "commonLabels" .Values.commonLabels "webhook.podLabels" .Values.webhook.podLabels "reconciler.podLabels" .Values.reconciler.podLabels "monitoring.labels" .Values.monitoring.labels "monitoring.dashboards.labels" .Values.monitoring.dashboards.labels }}
{{- range $label, $_ := $labels }}
{{- if has $label $own }}
{{ $key }} must not have {{ $label }}: the chart gives this label itself, and finds its objects by it
{{- end }}
{{- end }}
{{- end }}
{{- $webhook := .Values.webhook }}
{{- $restricted := .Values.namespaceRestriction.enabled }}
{{- $target := .Values.namespaceRestriction.targetNamespace }}
{{- if and $target (not $restricted) }}
namespaceRestriction.targetNamespace must not be set without namespaceRestriction.enabled: found {{ $target | quote }}, and the whole cluster would be validated
{{- end }}
{{- $reconciler := .Values.reconciler }}
{{- if and $restricted (eq .Values.mode "replacement") }}
{{- /* As the reconciler excludes them by default, in each scope. */}}
{{- $scope := include "dynamo-operator.target-namespace" . }}
{{- if has $scope (concat (list .Release.Namespace "kube-system" "kube-node-lease") (.Values.webhook.excludedNamespaces | default list)) }}
namespaceRestriction.targetNamespace must name a namespace of its own for graphs with mode replacement, neither that of the release nor one of webhook.excludedNamespaces: found {{ $scope | quote }}, and authors of graphs there could mount every Secret, such as the CA key of the webhooks, and use every account; create a namespace and name it there, as deploy/scenarios/restricted.yaml does
{{- end }}
{{- end }}
{{- if and (eq .Values.mode "replacement") (not $reconciler.enabled) }}
mode must be companion without reconciler.enabled: instead of the operator no controller would create pods of graphs; set reconciler.enabled, or keep that operator, with its own dynamo-operator.webhook.enabled=false, and install this chart next to it (deploy/scenarios/companion.yaml)
{{- end }}
{{- $account := printf "%s/%s" .Release.Namespace (include "dynamo-operator.reconciler-account" .) }}
{{- if and (eq .Values.mode "replacement") $reconciler.enabled $webhook.operatorServiceAccount (ne $webhook.operatorServiceAccount $account) }}
webhook.operatorServiceAccount must be empty with mode replacement: found {{ $webhook.operatorServiceAccount | quote }}, and the reconciler, which runs as {{ $account }}, could not scale what adapters own; leave it empty
{{- end }}
{{- $leader := .Values.controllerManager.leaderElection }}
{{- if and (not $restricted) (not (has ($leader.id | default "dynamo.nvidia.com") (list "dynamo.nvidia.com"))) }}
controllerManager.leaderElection.id must be dynamo.nvidia.com for the whole cluster: found {{ $leader.id | quote }}, and two operators that elect by different Leases would both act; leave it empty
{{- end }}
{{- if and (not $restricted) (eq ($leader.namespace | default "kube-system") .Release.Namespace) (ne .Release.Namespace "kube-system") }}
controllerManager.leaderElection.namespace must not be that of the release, {{ .Release.Namespace }}, for the whole cluster: cluster-wide operators must share one election Lease; leave it empty for kube-system
{{- end }}
{{- $managed := eq (include "dynamo-operator.certificates" .) "managed" }}
{{- if and $webhook.enabled (not $webhook.certificateSecret.external) (eq ($webhook.certificateSecret.name | default "") "webhook-server-cert") }}
webhook.certificateSecret.name must not be webhook-server-cert unless it is external: that is the Secret of the operator's own webhooks, which {{ $managed | ternary "this server" "cert-manager" }} would overwrite; leave it empty for a Secret of this release's own
{{- end }}
{{- $lease := .Values.namespaceRestriction.lease }}
{{- if ge (include "dynamo-operator.seconds" $lease.renewInterval | float64) (include "dynamo-operator.seconds" $lease.duration | float64) }}
namespaceRestriction.lease.renewInterval must be shorter than .duration: found {{ $lease.renewInterval }} and {{ $lease.duration }}
{{- end }}
{{- if and $webhook.conversion.enabled $restricted }}
webhook.conversion.enabled must be false with namespaceRestriction.enabled: CustomResourceDefinitions belong to the whole cluster; set it in the release for the whole cluster
{{- end }}
{{- if and $webhook.certManager.enabled $webhook.certificateSecret.external }}
webhook.certManager.enabled and webhook.certificateSecret.external must not both be true: a certificate comes from one of them
{{- end }}
{{- $external := eq (include "dynamo-operator.certificates" .) "external" }}
{{- if and $external (not $webhook.caBundle) }}
webhook.caBundle must be set with webhook.certificateSecret.external: the base64 of the CA's PEM, as `base64 -w0 ca.crt` prints it
{{- end }}
{{- if and $webhook.caBundle (not $external) }}
webhook.caBundle must be empty without webhook.certificateSecret.external: another component writes it
{{- end }}
{{- if and $webhook.caBundle (not (contains "-----BEGIN CERTIFICATE-----" ($webhook.caBundle | b64dec))) }}
webhook.caBundle must be the base64 of a PEM text with certificates
{{- end }}
{{- if and $webhook.certManager.issuerRef (not $webhook.certManager.issuerRef.name) }}
webhook.certManager.issuerRef must have a name
{{- end }}
{{- $certificate := $webhook.certManager.certificate }}
{{- if ge (include "dynamo-operator.seconds" $certificate.renewBefore | float64) (include "dynamo-operator.seconds" $certificate.duration | float64) }}
webhook.certManager.certificate.renewBefore must be shorter than .duration: found {{ $certificate.renewBefore }} and {{ $certificate.duration }}
{{- end }}
{{- if ge (include "dynamo-operator.seconds" $certificate.rootCA.renewBefore | float64) (include "dynamo-operator.seconds" $certificate.rootCA.duration | float64) }}
webhook.certManager.certificate.rootCA.renewBefore must be shorter than .duration: found {{ $certificate.rootCA.renewBefore }} and {{ $certificate.rootCA.duration }}
{{- end }}
{{- if gt ($webhook.certificateValidity | default 0 | int) 365 }}
webhook.certificateValidity must be at most 365 days: found {{ $webhook.certificateValidity }}; the server renews its certificate itself, and its CA lives for webhook.managed.caLifetime
{{- end }}
{{- if and $webhook.policy $webhook.existingPolicyConfigMap }}
webhook.policy and webhook.existingPolicyConfigMap must not both be set
{{- end }}
{{- $limits := include "dynamo-operator.author-limits" . | fromYaml }}
{{- if and $webhook.existingPolicyConfigMap $limits }}
graphAuthors.enabled must be false with webhook.existingPolicyConfigMap and mode replacement: found true, and the chart cannot add the limits on graph authors to a ConfigMap; add {{ $limits | toJson }} to the parameters of its policy and set graphAuthors.enabled=false, or use webhook.policy instead
{{- end }}
{{- with (include "dynamo-operator.own-policy" . | fromYaml).Error }}
webhook.policy must be YAML: {{ . }}
{{- end }}
{{- if and $webhook.clientCA.allowedNames (not $webhook.clientCA.existingConfigMap) }}
webhook.clientCA.allowedNames must not be set without webhook.clientCA.existingConfigMap: no client would present a certificate
{{- end }}
{{- /* A few wide ranges are all addresses: they restrict nothing. */}}
{{- $networks := $webhook.networkPolicy.enabled | ternary ($webhook.networkPolicy.apiServerCIDRs | default list) list }}
{{- $wide := list }}
{{- range $networks }}
{{- if lt (splitList "/" . | last | atoi) (contains ":" . | ternary 16 8) }}
{{- $wide = append $wide . }}
{{- end }}
{{- end }}
{{- $asks := or $webhook.clusterLookups (regexMatch "(^|\n)--?cluster-lookups([=\n]|$)" (join "\n" ($webhook.extraArgs | default list))) }}
{{- if and $webhook.enabled $asks (not (include "dynamo-operator.asks-clients" .)) }}
{{- if not $networks }}
webhook.clusterLookups must come with webhook.clientCA.existingConfigMap, or with webhook.networkPolicy.enabled and the networks of the API servers in webhook.networkPolicy.apiServerCIDRs: found neither, and every client that reaches the webhook port could ask which objects exist in any namespace; set one of them, or leave clusterLookups empty
{{- end }}
{{- if $wide }}
webhook.networkPolicy.apiServerCIDRs must name the networks of the API servers with webhook.clusterLookups, in prefixes of at least 8 bits (16 for IPv6): found {{ join ", " $wide }}, and clients of such a wide network could ask which objects exist in any namespace; give the networks of the API servers alone, or set webhook.clientCA.existingConfigMap
{{- end }}
{{- end }}
{{- if and $webhook.enabled $restricted (has "clustertopologybindings" ($webhook.clusterLookups | default list)) }}
webhook.clusterLookups must not have clustertopologybindings in a restricted release: they have no namespace, and the release has no right for the whole cluster; remove it
{{- end }}
{{- $stop := addf (include "dynamo-operator.seconds" $webhook.shutdownDelay | float64) (include "dynamo-operator.seconds" $webhook.drainTimeout | float64) ($restricted | ternary 5.0 0.0) }}
{{- if le (float64 $webhook.terminationGracePeriodSeconds) $stop }}
webhook.terminationGracePeriodSeconds must be above shutdownDelay and drainTimeout{{ $restricted | ternary " and 5 seconds for the Lease" "" }}, together {{ $stop }} s: found {{ $webhook.terminationGracePeriodSeconds }}, and running requests would be cut off
{{- end }}
{{- if $webhook.autoscaling.enabled }}
{{- if gt (int $webhook.autoscaling.minReplicas) (int $webhook.autoscaling.maxReplicas) }}
webhook.autoscaling.minReplicas must not be above maxReplicas: found {{ $webhook.autoscaling.minReplicas }} and {{ $webhook.autoscaling.maxReplicas }}
{{- end }}
{{- if not (dig "requests" "cpu" "" ($webhook.resources | default dict)) }}
webhook.resources.requests.cpu must be set with webhook.autoscaling.enabled: utilization is a percentage of it
{{- end }}
{{- end }}
{{- $least := $webhook.autoscaling.enabled | ternary $webhook.autoscaling.minReplicas $webhook.replicas | int }}
{{- if and $webhook.podDisruptionBudget.enabled (gt $least 1) (has (toString $webhook.podDisruptionBudget.maxUnavailable) (list "0" "0%")) }}
webhook.podDisruptionBudget.maxUnavailable must be at least 1: found {{ $webhook.podDisruptionBudget.maxUnavailable }}, and no node with a replica could be drained
{{- end }}
{{- if and $webhook.enabled $webhook.hostNetwork (eq ($webhook.strategy.type | default "RollingUpdate") "RollingUpdate") (not (has (toString (dig "rollingUpdate" "maxSurge" "0" ($webhook.strategy | default dict))) (list "0" "0%"))) }}
webhook.strategy.rollingUpdate.maxSurge must be 0 with webhook.hostNetwork: each port exists once per node, and a rollout would wait for a free one; leave webhook.strategy empty
{{- end }}
{{- if and $webhook.hostNetwork $webhook.networkPolicy.enabled }}
webhook.networkPolicy.enabled must be false with webhook.hostNetwork: policies do not reach pods in the network of their node
{{- end }}
{{- if and .Values.monitoring.serviceMonitor.enabled (not .Values.metricsService.enabled) }}
monitoring.serviceMonitor.enabled needs metricsService.enabled: it selects that Service
{{- end }}
{{- $scraped := list }}
{{- range list "serviceMonitor" "prometheusRule" }}
{{- if (get $.Values.monitoring .).enabled }}
{{- $scraped = append $scraped (printf "monitoring.%s.enabled" .) }}
{{- end }}
{{- end }}
{{- range list "webhook" "reconciler" }}
{{- $program := get $.Values . }}
{{- if and $scraped $program.enabled $program.networkPolicy.enabled (not $program.networkPolicy.metricsFrom) }}
{{ . }}.networkPolicy.metricsFrom must name the clients that scrape metrics with {{ join " and " $scraped }}: found none, so Prometheus is shut out and alerts report every replica as missing; give the peers of Prometheus, such as a namespaceSelector of its namespace
{{- end }}
{{- end }}
{{- if and $restricted (dig "matchLabels" "kubernetes.io/metadata.name" "" ($webhook.namespaceSelector | default dict)) }}
{{- if ne (index $webhook.namespaceSelector.matchLabels "kubernetes.io/metadata.name") (include "dynamo-operator.target-namespace" .) }}
webhook.namespaceSelector must not name another namespace than that of the restricted release, {{ include "dynamo-operator.target-namespace" . }}: nothing would be validated
{{- end }}
{{- end }}
{{- if and $reconciler.enabled (eq .Values.mode "companion") }}
{{- range $reconciler.controllers }}
{{- if ne . "validation" }}
reconciler.controllers must not have {{ . }} with mode companion: the installed operator does the same; use mode replacement
{{- end }}
{{- end }}
{{- end }}
{{- if $reconciler.enabled }}
{{- $running := include "dynamo-operator.controllers" . | splitList "," }}
{{- if and (has "graph" $running) (not (has "component" $running)) }}
reconciler.controllers must have component with graph: found {{ join ", " $running }}, and no controller would create pods of the graphs' components
{{- end }}
{{- $drain := include "dynamo-operator.seconds" $reconciler.drainTimeout | float64 }}
{{- if le (float64 $reconciler.terminationGracePeriodSeconds) (addf $drain 5.0) }}
reconciler.terminationGracePeriodSeconds must be above reconciler.drainTimeout and 5 seconds for the Leases, together {{ addf $drain 5.0 }} s: found {{ $reconciler.terminationGracePeriodSeconds }}, and running reconciles would be cut off
{{- end }}
{{- end }}
{{- if and (eq .Values.discoveryBackend "etcd") (not .Values.etcd.enabled) (not .Values.etcdAddr) (eq .Values.mode "replacement") }}
discoveryBackend etcd needs etcd.enabled or etcdAddr: services would not find each other
{{- end }}
{{- if and (include "dynamo-operator.makes-pods" .) (not (hasPrefix "https://" (.Values.etcdAddr | default ""))) }}
{{- range $value, $what := dict "etcdCA" "the CA" "etcdClientCertificate" "the certificate" }}
{{- if (get $.Values $value | default dict).existingSecret }}
etcdAddr must begin with https:// with {{ $value }}.existingSecret: found {{ $.Values.etcdAddr | quote }}, and {{ $what }} would not be used
{{- end }}
{{- end }}
{{- end }}
{{- if and (include "dynamo-operator.makes-pods" .) .Chart.IsRoot }}
{{- range list "nats" "etcd" }}
{{- if and (get $.Values .).enabled (not (get $.Values (printf "%sAddr" .))) }}
{{ . }}Addr must be set, or {{ . }}.enabled must be false: only the platform's chart installs one, and no server would answer at the address
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.checkpoint.enabled }}
{{- $type := .Values.checkpoint.storage.type }}
{{- if and (has $type (list "s3" "oci")) (not (dig $type "uri" "" .Values.checkpoint.storage)) }}
checkpoint.storage.{{ $type }}.uri must be set with checkpoint.storage.type {{ $type }}
{{- end }}
{{- end }}
{{- if .Values.reconciler.enabled }}
{{- if hasSuffix "/kubernetes-operator" .Values.controllerManager.manager.image.repository }}
controllerManager.manager.image.repository must name this project's image: found {{ .Values.controllerManager.manager.image.repository | quote }}, which has other flags; to keep that operator use mode companion next to its own chart
{{- end }}
{{- end }}
{{- end -}}

{{- define "dynamo-operator.registry" -}}
{{- $registry := .Values.dynamo.dockerRegistry }}
{{- if $registry.useKubernetesSecret }}
{{- if $registry.existingSecretName }}
{{- include "dynamo-operator.given-registry-secret" . }}
{{- else }}
{{- range list "server" "username" "password" }}
{{- if not (get $registry .) }}
dynamo.dockerRegistry.{{ . }} must be set with useKubernetesSecret, or existingSecretName instead of all three
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Normalizes the host of a login key or an image name: without scheme and path, one name for Docker Hub. */}}
{{- define "dynamo-operator.registry-host" -}}
{{- $host := . | trimPrefix "https://" | trimPrefix "http://" | splitList "/" | first -}}
{{- has $host (list "index.docker.io" "registry-1.docker.io") | ternary "docker.io" $host -}}
{{- end -}}

{{/* Checks that an existing pull Secret is in each namespace whose pods use it, and has a login for their images. Reports
nothing without a cluster. */}}
{{- define "dynamo-operator.given-registry-secret" -}}
{{- $context := . }}
{{- $name := .Values.dynamo.dockerRegistry.existingSecretName }}
{{- $images := list }}
{{- if .Values.webhook.enabled }}
{{- $images = append $images .Values.webhook.image.repository }}
{{- end }}
{{- if .Values.reconciler.enabled }}
{{- $images = append $images .Values.controllerManager.manager.image.repository }}
{{- end }}
{{- $namespaces := list .Release.Namespace }}
{{- if eq .Values.mode "replacement" }}
{{- $namespaces = append $namespaces (include "dynamo-operator.workload-namespace" .) | uniq }}
{{- end }}
{{- if lookup "v1" "Namespace" "" "kube-system" }}
{{- range $namespace := $namespaces }}
{{- $secret := lookup "v1" "Secret" $namespace $name }}
{{- if not $secret }}
dynamo.dockerRegistry.existingSecretName must name a Secret in the namespace {{ $namespace }}, whose pods pull with it: found none called {{ $name | quote }}
{{- else if ne $secret.type "kubernetes.io/dockerconfigjson" }}
dynamo.dockerRegistry.existingSecretName must name a Secret of type kubernetes.io/dockerconfigjson: {{ $name | quote }} in the namespace {{ $namespace }} is {{ $secret.type | quote }}
{{- else }}
{{- $logins := (get ($secret.data | default dict) ".dockerconfigjson" | b64dec | fromJson).auths }}
{{- $hosts := list }}
{{- range $key, $_ := $logins | default dict }}
{{- $hosts = append $hosts (include "dynamo-operator.registry-host" $key) }}
{{- end }}
{{- if not $hosts }}
dynamo.dockerRegistry.existingSecretName must name a Secret with logins below "auths": {{ $name | quote }} in the namespace {{ $namespace }} has none
{{- end }}
{{- /* Another Secret may have it; the nodes decide the registry of a name without a host. */}}
{{- if and $hosts (eq $namespace $context.Release.Namespace) (not $context.Values.imagePullSecrets) }}
{{- range $image := uniq $images }}
{{- $host := include "dynamo-operator.registry-host" $image }}
{{- if and (contains "/" $image) (or (contains "." $host) (contains ":" $host) (eq $host "localhost")) (not (has $host $hosts)) }}
dynamo.dockerRegistry.existingSecretName must have a login for {{ $host }}, where {{ $image }} is: {{ $name | quote }} has those of {{ join ", " $hosts }}; add it, or name a Secret for it in imagePullSecrets
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The namespace of a restricted release, if the cluster can be read: all objects in it would be refused one by one. */}}
{{- define "dynamo-operator.namespace" -}}
{{- $target := include "dynamo-operator.target-namespace" . }}
{{- if and .Values.conflictChecks .Values.namespaceRestriction.enabled (ne $target .Release.Namespace) }}
{{- if and (lookup "v1" "Namespace" "" "kube-system") (not (lookup "v1" "Namespace" "" $target)) }}
namespaceRestriction.targetNamespace must exist before the installation: found no namespace {{ $target | quote }}; create it with `kubectl create namespace {{ $target }}`
{{- end }}
{{- end }}
{{- end -}}

{{/* A foreign Secret that a server with managed certificates would overwrite: one without a CA key. */}}
{{- define "dynamo-operator.secret" -}}
{{- if and .Values.conflictChecks .Values.webhook.enabled (eq (include "dynamo-operator.certificates" .) "managed") }}
{{- $name := include "dynamo-operator.certificate-secret" . }}
{{- with lookup "v1" "Secret" .Release.Namespace $name }}
{{- if and .data (not (hasKey .data "ca.key")) }}
webhook.certificateSecret.name must name a Secret of this release's own: found {{ $name | quote }} with a certificate that this server did not make and would overwrite; {{ empty $.Values.webhook.certificateSecret.name | ternary "delete it if nothing serves it any more" "leave it empty" }}, or set webhook.certificateSecret.external and webhook.caBundle to serve that certificate
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The release of an object, from Helm's annotations or its labels: {release, namespace, own}, as JSON: (list CONTEXT OBJECT). */}}
{{- define "dynamo-operator.owner" -}}
{{- $release := (index . 0).Release -}}
{{- $metadata := (index . 1).metadata -}}
{{- $annotations := $metadata.annotations | default dict -}}
{{- $name := get $annotations "meta.helm.sh/release-name" | default (get ($metadata.labels | default dict) "app.kubernetes.io/instance") -}}
{{- $namespace := get $annotations "meta.helm.sh/release-namespace" -}}
{{- $own := and (eq $name $release.Name) (or (not $namespace) (eq $namespace $release.Namespace)) -}}
{{- dict "release" $name "namespace" $namespace "own" $own | toJson -}}
{{- end -}}

{{/* "true" or empty: whether a role belongs to an operator of the reference chart, under any release name. */}}
{{- define "dynamo-operator.is-of-an-operator" -}}
{{- $name := get (.metadata.labels | default dict) "app.kubernetes.io/name" -}}
{{- if and (hasSuffix "-manager-role" .metadata.name) (or (eq $name "dynamo-operator") (contains "dynamo-operator-" .metadata.name)) -}}true{{- end -}}
{{- end -}}

{{/* "true" or empty: whether a role grants the right that the marker Lease policy requires. */}}
{{- define "dynamo-operator.gives-exclusion" -}}
{{- $gives := false -}}
{{- range .rules -}}
{{- $groups := .apiGroups | default list -}}
{{- $resources := .resources | default list -}}
{{- $verbs := .verbs | default list -}}
{{- if and (or (has "*" $groups) (has "dynamo-admission.nvidia.com" $groups)) (or (has "*" $resources) (has "namespaceexclusions" $resources)) (or (has "*" $verbs) (has "create" $verbs)) (not .resourceNames) -}}
{{- $gives = true -}}
{{- end -}}
{{- end -}}
{{- if $gives -}}true{{- end -}}
{{- end -}}

{{/* Operators that hold a namespace and that the marker Lease policy would reject: those of the later generation, whose role does not grant all rights. */}}
{{- define "dynamo-operator.marker-leases" -}}
{{- $context := . }}
{{- $restricted := .Values.namespaceRestriction.enabled }}
{{- /* A replacement conflicts with that operator. */}}
{{- $replaces := and $restricted (eq .Values.mode "replacement") }}
{{- if and .Values.conflictChecks .Values.webhook.enabled .Values.markerLeasePolicy.enabled (not $replaces) }}
{{- $where := $restricted | ternary (include "dynamo-operator.target-namespace" .) "" }}
{{- $refused := list }}
{{- $giving := list }}
{{- range (lookup "rbac.authorization.k8s.io/v1" "Role" $where "").items }}
{{- $key := printf "%s/%s" .metadata.namespace .metadata.name }}
{{- if include "dynamo-operator.gives-exclusion" . }}
{{- $giving = append $giving $key }}
{{- else if and (include "dynamo-operator.is-of-an-operator" .) (not (include "dynamo-operator.owner" (list $context .) | fromJson).own) }}
{{- $refused = append $refused $key }}
{{- end }}
{{- end }}
{{- if $refused }}
{{- $bindings := (lookup "rbac.authorization.k8s.io/v1" "RoleBinding" $where "").items }}
{{- /* NAMESPACE:ACCOUNT with the right from another role. */}}
{{- $may := list }}
{{- range $binding := $bindings }}
{{- if and (eq $binding.roleRef.kind "Role") (has (printf "%s/%s" $binding.metadata.namespace $binding.roleRef.name) $giving) }}
{{- range $binding.subjects }}
{{- $may = append $may (printf "%s:%s/%s" $binding.metadata.namespace .namespace .name) }}
{{- end }}
{{- end }}
{{- end }}
{{- $reported := list }}
{{- range $binding := $bindings }}
{{- $role := printf "%s/%s" $binding.metadata.namespace $binding.roleRef.name }}
{{- if and (eq $binding.roleRef.kind "Role") (has $role $refused) }}
{{- range $binding.subjects }}
{{- $account := printf "%s/%s" .namespace .name }}
{{- $key := printf "%s:%s" $binding.metadata.namespace $account }}
{{- if and (eq .kind "ServiceAccount") (not (has $account $context.Values.markerLeasePolicy.allowedServiceAccounts)) (not (has $key $may)) (not (has $key $reported)) }}
{{- $reported = append $reported $key }}
markerLeasePolicy.allowedServiceAccounts must have {{ $account }}: this operator holds the namespace {{ $binding.metadata.namespace }} by a Lease, and its Role {{ $binding.roleRef.name }} gives no right to create namespaceexclusions; the policy would refuse its renewals, and it would exit; add it, or set markerLeasePolicy.enabled=false
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Other releases of the same scope, found by Helm's annotations. */}}
{{- define "dynamo-operator.conflicts" -}}
{{- if .Values.conflictChecks }}
{{- $context := . }}
{{- $restricted := .Values.namespaceRestriction.enabled }}
{{- $target := include "dynamo-operator.target-namespace" . }}
{{- $place := $restricted | ternary (printf "the namespace %s" $target) "the whole cluster" }}
{{- $instead := $restricted | ternary "give this one another namespaceRestriction.targetNamespace" "restrict this one with namespaceRestriction.enabled=true" }}
{{- $roles := list }}
{{- if $restricted }}
{{- $roles = (lookup "rbac.authorization.k8s.io/v1" "Role" $target "").items }}
{{- else }}
{{- $roles = (lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" "").items }}
{{- end }}
{{- $reported := list }}
{{- range $roles }}
{{- $owner := include "dynamo-operator.owner" (list $context .) | fromJson }}
{{- $release := $owner.release }}
{{- $namespace := $owner.namespace }}
{{- $ours := eq (get (.metadata.labels | default dict) "nvidia.com/dynamo-operator-scope") ($restricted | ternary "namespace" "cluster") }}
{{- $theirs := and (eq $context.Values.mode "replacement") (not (empty (include "dynamo-operator.is-of-an-operator" .))) }}
{{- $key := printf "%s/%s" $namespace $release }}
{{- /* Once per release, not once per role. */}}
{{- if and (not $owner.own) (or $ours $theirs) (not (has $key $reported)) }}
{{- $reported = append $reported $key }}
only one release may be for {{ $place }}: found {{ $release | quote }} in namespace {{ $namespace | default "unknown" | quote }} ({{ .kind | default ($restricted | ternary "Role" "ClusterRole") }} {{ .metadata.name }}); uninstall it (helm uninstall {{ $release }} -n {{ $namespace | default "NAMESPACE" }}), or {{ $instead }}{{ $theirs | ternary ", or install this one alongside the operator with mode=companion" "" }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A generation that does not fit the versions that the cluster serves. Accounts of restricted releases may not read definitions. */}}
{{- define "dynamo-operator.definitions" -}}
{{- if and .Values.conflictChecks (not .Values.namespaceRestriction.enabled) }}
{{- with lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "dynamographdeployments.nvidia.com" }}
{{- $versions := list }}
{{- range .spec.versions }}
{{- if .served }}
{{- $versions = append $versions .name }}
{{- end }}
{{- end }}
{{- if and $.Values.webhook.enabled (eq $.Values.webhook.operatorGeneration "later") (not (has "v1beta1" $versions)) }}
webhook.operatorGeneration must be first or unknown: graphs are served as {{ join ", " $versions }}, and the API server would call no webhook for them; to change the definitions first, see docs/operations/conversion.md
{{- end }}
{{- if and (eq $.Values.mode "replacement") $.Values.reconciler.enabled (has "v1beta1" $versions) }}
mode must be companion: graphs are served as {{ join ", " $versions }}, which dynamo-reconciler does not reconcile in place of an operator; see docs/operations/replacement.md
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
