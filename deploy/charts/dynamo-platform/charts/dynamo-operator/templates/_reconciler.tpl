{{/* The controllers of dynamo-reconciler, as named in --controllers. */}}
{{- define "dynamo-operator.known-controllers" -}}
validation,model,scaling-adapter,component,graph,request,checkpoint
{{- end -}}

{{/* The controllers that run, joined by commas: the configured ones, or all that the mode allows. */}}
{{- define "dynamo-operator.controllers" -}}
{{- if .Values.reconciler.controllers -}}
{{- join "," .Values.reconciler.controllers -}}
{{- else if eq .Values.mode "replacement" -}}
{{- include "dynamo-operator.known-controllers" . -}}
{{- else -}}
validation
{{- end -}}
{{- end -}}

{{/* Webhooks treat an account with this suffix as an operator; a companion's account has another one. */}}
{{- define "dynamo-operator.reconciler-account" -}}
{{- include "dynamo-operator.object" (list . (eq .Values.mode "replacement" | ternary "controller-manager" "reconciler")) -}}
{{- end -}}

{{- define "dynamo-operator.reconciler-deployment" -}}
{{- include "dynamo-operator.label-name" (list . "reconciler") -}}
{{- end -}}

{{/* The namespace of the replaced operator's election Lease. */}}
{{- define "dynamo-operator.operator-lease-namespace" -}}
{{- if .Values.namespaceRestriction.enabled -}}
{{- include "dynamo-operator.target-namespace" . -}}
{{- else -}}
{{- .Values.controllerManager.leaderElection.namespace | default "kube-system" -}}
{{- end -}}
{{- end -}}

{{- define "dynamo-operator.operator-lease" -}}
{{- .Values.controllerManager.leaderElection.id | default "dynamo.nvidia.com" -}}
{{- end -}}

{{/* NAMESPACE/NAME of that Lease, or empty if it has its usual name. */}}
{{- define "dynamo-operator.configured-operator-lease" -}}
{{- $name := include "dynamo-operator.operator-lease" . -}}
{{- $namespace := include "dynamo-operator.operator-lease-namespace" . -}}
{{- $usual := .Values.namespaceRestriction.enabled | ternary $namespace "kube-system" -}}
{{- if and (eq .Values.mode "replacement") (or (ne $name "dynamo.nvidia.com") (ne $namespace $usual)) -}}
{{- printf "%s/%s" $namespace $name -}}
{{- end -}}
{{- end -}}

{{/* "true" if webhooks of this release validate every stored object. */}}
{{- define "dynamo-operator.webhooks-validate" -}}
{{- $webhook := .Values.webhook -}}
{{- /* These namespaces have no graphs; in another excluded one nothing else validates. */}}
{{- $passed := without (include "dynamo-operator.excluded-namespaces" . | fromJsonArray) "kube-system" "kube-node-lease" -}}
{{- and $webhook.enabled (eq $webhook.enforcement "deny") (eq $webhook.failurePolicy "Fail") (empty $webhook.namespaceSelector) (empty $webhook.objectSelector) (empty $passed) -}}
{{- end -}}

{{- define "dynamo-operator.has-policy" -}}
{{- if or .Values.webhook.policy .Values.webhook.existingPolicyConfigMap (include "dynamo-operator.author-limits" . | fromYaml) -}}true{{- end -}}
{{- end -}}

{{/* The parameters of a policy that graphAuthors gives; nothing without mode replacement or if it is switched off. */}}
{{- define "dynamo-operator.author-limits" -}}
{{- $limits := dict -}}
{{- if and (eq .Values.mode "replacement") (dig "enabled" true (.Values.graphAuthors | default dict)) -}}
{{- range $name, $list := .Values.graphAuthors -}}
{{- if kindIs "slice" $list -}}
{{- $_ := set $limits $name $list -}}
{{- end -}}
{{- end -}}
{{- $dynamo := .Values.dynamo -}}
{{- if and $dynamo.ingressHostSuffix (not (hasKey $limits "allowedIngressHosts")) -}}
{{- $_ := set $limits "allowedIngressHosts" (list (printf "*.%s" (lower $dynamo.ingressHostSuffix))) -}}
{{- end -}}
{{- if and $dynamo.istio.enabled $dynamo.istio.gateway (not (hasKey $limits "allowedIstioGateways")) -}}
{{- $_ := set $limits "allowedIstioGateways" (list $dynamo.istio.gateway) -}}
{{- end -}}
{{- end -}}
{{- toYaml $limits -}}
{{- end -}}

{{/* webhook.policy as a map. */}}
{{- define "dynamo-operator.own-policy" -}}
{{- if kindIs "string" .Values.webhook.policy -}}
{{- .Values.webhook.policy -}}
{{- else -}}
{{- toYaml (.Values.webhook.policy | default dict) -}}
{{- end -}}
{{- end -}}

{{/* The policy that programs follow: later statements win, so that of the user widens the limits of authors. */}}
{{- define "dynamo-operator.policy" -}}
{{- $limits := include "dynamo-operator.author-limits" . | fromYaml -}}
{{- if $limits -}}
{{- $policy := include "dynamo-operator.own-policy" . | fromYaml -}}
{{- $statements := prepend ($policy.parameters | default list) $limits -}}
{{- toYaml (merge (dict "parameters" $statements) $policy (dict "version" 1)) -}}
{{- else -}}
{{- include "dynamo-operator.own-policy" . -}}
{{- end -}}
{{- end -}}

{{/* The Service name of the platform's chart: (list CONTEXT nats|etcd). checks.yaml of the platform rejects values that would change it. */}}
{{- define "dynamo-operator.bundled" -}}
{{- $release := (index . 0).Release.Name -}}
{{- contains (index . 1) $release | ternary $release (printf "%s-%s" $release (index . 1)) -}}
{{- end -}}

{{/* "true" if the release creates pods, which need addresses. */}}
{{- define "dynamo-operator.makes-pods" -}}
{{- $running := include "dynamo-operator.controllers" . | splitList "," -}}
{{- if and .Values.reconciler.enabled (eq .Values.mode "replacement") (or (has "graph" $running) (has "component" $running) (has "request" $running)) -}}true{{- end -}}
{{- end -}}

{{/* The Secrets with which the reconciler calls etcd, as a JSON list: volume, Secret, file of each key, file of each flag. */}}
{{- define "dynamo-operator.etcd-secrets" -}}
{{- $secrets := list -}}
{{- if include "dynamo-operator.makes-pods" . -}}
{{- $ca := .Values.etcdCA | default dict -}}
{{- with $ca.existingSecret -}}
{{- $secrets = append $secrets (dict "volume" "etcd-ca" "secret" . "keys" (dict "ca.crt" ($ca.key | default "ca.crt")) "flags" (dict "etcd-ca-file" "ca.crt")) -}}
{{- end -}}
{{- $pair := .Values.etcdClientCertificate | default dict -}}
{{- with $pair.existingSecret -}}
{{- $keys := dict "tls.crt" ($pair.certKey | default "tls.crt") "tls.key" ($pair.keyKey | default "tls.key") -}}
{{- $secrets = append $secrets (dict "volume" "etcd-certificate" "secret" . "keys" $keys "flags" (dict "etcd-cert-file" "tls.crt" "etcd-key-file" "tls.key")) -}}
{{- end -}}
{{- $user := .Values.etcdPassword | default dict -}}
{{- with $user.existingSecret -}}
{{- $keys := dict "username" ($user.usernameKey | default "username") "password" ($user.passwordKey | default "password") -}}
{{- $secrets = append $secrets (dict "volume" "etcd-password" "secret" . "keys" $keys "flags" (dict "etcd-username-file" "username" "etcd-password-file" "password")) -}}
{{- end -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{/* Flags with the addresses for pods of graphs. */}}
{{- define "dynamo-operator.graph-arguments" -}}
{{- $dynamo := .Values.dynamo -}}
{{- $arguments := list -}}
{{- $restricted := .Values.namespaceRestriction.enabled -}}
{{- if .Values.natsAddr -}}
{{- $arguments = append $arguments (printf "--natsAddr=%s" .Values.natsAddr) -}}
{{- else if .Values.nats.enabled -}}
{{- $arguments = append $arguments (printf "--natsAddr=nats://%s.%s.svc.%s:4222" (include "dynamo-operator.bundled" (list . "nats")) .Release.Namespace .Values.kubernetesClusterDomain) -}}
{{- end -}}
{{- if .Values.etcdAddr -}}
{{- $arguments = append $arguments (printf "--etcdAddr=%s" .Values.etcdAddr) -}}
{{- else if .Values.etcd.enabled -}}
{{- $arguments = append $arguments (printf "--etcdAddr=%s.%s.svc.%s:2379" (include "dynamo-operator.bundled" (list . "etcd")) .Release.Namespace .Values.kubernetesClusterDomain) -}}
{{- end -}}
{{- range $each := include "dynamo-operator.etcd-secrets" . | fromJsonArray -}}
{{- range $flag, $file := $each.flags -}}
{{- $arguments = append $arguments (printf "--%s=/etc/dynamo-reconciler/%s/%s" $flag $each.volume $file) -}}
{{- end -}}
{{- end -}}
{{- range list (list "model-express-url" .Values.modelExpressURL) (list "prometheus-endpoint" $dynamo.metrics.prometheusEndpoint) (list "ingress-host-suffix" $dynamo.ingressHostSuffix) (list "client-tls-secret-name" $dynamo.clientTLSSecret) (list "client-credentials-secret-name" $dynamo.clientCredentialsSecret) (list "debugger-image" $dynamo.internalImages.debugger) (list "grove-termination-delay" $dynamo.groveTerminationDelay) -}}
{{- if index . 1 -}}
{{- $arguments = append $arguments (printf "--%s=%s" (index . 0) (index . 1)) -}}
{{- end -}}
{{- end -}}
{{- $copier := .Values.reconciler.profileCopier | default dict -}}
{{- $arguments = append $arguments (printf "--profile-copier-image=%s" ($copier.image | default (include "dynamo-operator.image" (list . .Values.controllerManager.manager.image)))) -}}
{{- with $copier.command -}}
{{- $arguments = append $arguments (printf "--profile-copier-command=%s" (join "," .)) -}}
{{- end -}}
{{- if $dynamo.ingress.enabled -}}
{{- range list (list "class-name" $dynamo.ingress.className) (list "tls-secret-name" $dynamo.ingress.tlsSecretName) -}}
{{- if index . 1 -}}
{{- $arguments = append $arguments (printf "--ingress-controller-%s=%s" (index . 0) (index . 1)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $dynamo.ingress.annotations -}}
{{- $arguments = append $arguments (printf "--ingress-annotations=%s" (toJson .)) -}}
{{- end -}}
{{- if and $dynamo.istio.enabled $dynamo.istio.gateway -}}
{{- $arguments = append $arguments (printf "--istio-virtual-service-gateway=%s" $dynamo.istio.gateway) -}}
{{- end -}}
{{- with $dynamo.mpiRun.secretName -}}
{{- $arguments = append $arguments (printf "--mpi-run-ssh-secret-name=%s" .) -}}
{{- end -}}
{{- with $dynamo.mpiRun.secretNamespaces -}}
{{- $arguments = append $arguments (printf "--mpi-run-ssh-secret-namespace=%s" (include "dynamo-operator.workload-namespace" $)) -}}
{{- $arguments = append $arguments (printf "--mpi-run-ssh-secret-namespaces=%s" (join "," .)) -}}
{{- if ($dynamo.mpiRun.sshKeygen | default dict).enabled -}}
{{- $arguments = append $arguments "--mpi-run-ssh-keygen" -}}
{{- end -}}
{{- end -}}
{{- if not $restricted -}}
{{- range list "planner" "epp" -}}
{{- $arguments = append $arguments (printf "--%s-cluster-role-name=%s" . (include "dynamo-operator.cluster-object" (list $ .))) -}}
{{- end -}}
{{- if has "request" (include "dynamo-operator.controllers" . | splitList ",") -}}
{{- $arguments = append $arguments (printf "--dgdr-profiling-cluster-role-name=%s" (include "dynamo-operator.cluster-object" (list . "dgdr-profiling"))) -}}
{{- end -}}
{{- end -}}
{{- if .Values.checkpoint.enabled -}}
{{- $checkpoint := .Values.checkpoint -}}
{{- $storage := $checkpoint.storage -}}
{{- $arguments = concat $arguments (list "--checkpoint-enabled" (printf "--checkpoint-storage-type=%s" $storage.type)) -}}
{{- if eq $storage.type "pvc" -}}
{{- $arguments = concat $arguments (list (printf "--checkpoint-pvc-name=%s" $storage.pvc.pvcName) (printf "--checkpoint-pvc-base-path=%s" $storage.pvc.basePath)) -}}
{{- else -}}
{{- $arguments = append $arguments (printf "--checkpoint-%s-uri=%s" $storage.type (get $storage $storage.type).uri) -}}
{{- end -}}
{{- range list (list "signal-host-path" $storage.signalHostPath) (list "init-container-image" $checkpoint.initContainerImage) (list "ready-for-checkpoint-file-path" $checkpoint.readyForCheckpointFilePath) (list "restore-marker-file-path" $checkpoint.restoreMarkerFilePath) -}}
{{- if index . 1 -}}
{{- $arguments = append $arguments (printf "--checkpoint-%s=%s" (index . 0) (index . 1)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $arguments -}}
{{- end -}}

{{/* Rights in the namespaces of graphs, for the controllers that run, as in deploy/rbac. */}}
{{- define "dynamo-operator.reconciler-rules" -}}
{{- $running := include "dynamo-operator.controllers" . | splitList "," -}}
{{- $graphs := or (has "graph" $running) (has "component" $running) }}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- if has "validation" $running }}
# Patched for the admission record.
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments, dynamocomponentdeployments, dynamomodels, dynamographdeploymentrequests, dynamocheckpoints, dynamographdeploymentscalingadapters]
  verbs: [get, list, watch{{ if .Values.reconciler.admissionRecord }}, patch{{ end }}]
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments/status, dynamocomponentdeployments/status, dynamomodels/status, dynamographdeploymentrequests/status, dynamocheckpoints/status]
  verbs: [patch]
{{- end }}
{{- if has "model" $running }}
- apiGroups: [nvidia.com]
  resources: [dynamomodels]
  verbs: [get, list, watch, patch]
- apiGroups: [nvidia.com]
  resources: [dynamomodels/status]
  verbs: [patch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
{{- end }}
{{- if has "scaling-adapter" $running }}
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments]
  verbs: [get, list, watch, patch]
- apiGroups: [nvidia.com]
  resources: [dynamographdeploymentscalingadapters]
  verbs: [get, list, watch]
- apiGroups: [nvidia.com]
  resources: [dynamographdeploymentscalingadapters/status]
  verbs: [patch]
{{- end }}
{{- if $graphs }}
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments, dynamocomponentdeployments]
  verbs: [get, list, watch, patch]
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments/status, dynamocomponentdeployments/status]
  verbs: [patch]
- apiGroups: [nvidia.com]
  resources: [dynamocomponentdeployments, dynamographdeploymentscalingadapters]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [nvidia.com]
  resources: [dynamocheckpoints]
  verbs: [get, list, watch, create, patch]
# To create owned objects with blockOwnerDeletion.
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments/finalizers, dynamocomponentdeployments/finalizers]
  verbs: [update]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [persistentvolumeclaims, serviceaccounts]
  verbs: [list, watch, create, patch]
# Credentials for registries are listed; the Secret of MPI is read, and created where it is missing, never changed.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create]
# Events of StatefulSets explain why pods of late groups are rejected.
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [list]
- apiGroups: [leaderworkerset.x-k8s.io]
  resources: [leaderworkersets]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [scheduling.volcano.sh]
  resources: [podgroups]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [networking.istio.io]
  resources: [virtualservices]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [inference.networking.k8s.io]
  resources: [inferencepools]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [grove.io]
  resources: [podcliquesets]
  verbs: [list, watch, create, patch]
- apiGroups: [grove.io]
  resources: [podcliques, podcliquescalinggroups]
  verbs: [list, watch]
- apiGroups: [grove.io]
  resources: [podcliques/scale, podcliquescalinggroups/scale]
  verbs: [patch]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles]
  verbs: [list, watch, create, patch]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [list, watch, create, patch, delete]
# An account can only grant rights that it has: pods discover each other with these.
- apiGroups: [""]
  resources: [endpoints]
  verbs: [get, list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [get, list, watch]
- apiGroups: [nvidia.com]
  resources: [dynamoworkermetadatas]
  verbs: [create, get, list, watch, update, patch, delete]
{{- if not .Values.namespaceRestriction.enabled }}
- apiGroups: [scheduling.run.ai]
  resources: [queues]
  verbs: [get, list, watch]
# The other roles may be bound without having their rights.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  verbs: [list, watch]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  resourceNames: [{{ include "dynamo-operator.cluster-object" (list . "planner") }}, {{ include "dynamo-operator.cluster-object" (list . "epp") }}]
  verbs: [bind]
{{- end }}
{{- end }}
{{- if has "request" $running }}
- apiGroups: [nvidia.com]
  resources: [dynamographdeploymentrequests]
  verbs: [get, list, watch, patch]
- apiGroups: [nvidia.com]
  resources: [dynamographdeploymentrequests/status]
  verbs: [patch]
# To create Jobs with blockOwnerDeletion.
- apiGroups: [nvidia.com]
  resources: [dynamographdeploymentrequests/finalizers]
  verbs: [update]
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments]
  verbs: [get, list, watch, create]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, watch, create, delete]
# Settings of profilers are read, earlier results deleted, and generated ConfigMaps created.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, create, delete]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get]
# Pods of failed Jobs.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
{{- if not .Values.namespaceRestriction.enabled }}
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [list, watch, create]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  verbs: [list, watch]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  resourceNames: [{{ include "dynamo-operator.cluster-object" (list . "dgdr-profiling") }}]
  verbs: [bind]
{{- end }}
{{- end }}
{{- if has "checkpoint" $running }}
- apiGroups: [nvidia.com]
  resources: [dynamocheckpoints]
  verbs: [get, list, watch, patch]
- apiGroups: [nvidia.com]
  resources: [dynamocheckpoints/status]
  verbs: [patch]
# To create Jobs with blockOwnerDeletion.
- apiGroups: [nvidia.com]
  resources: [dynamocheckpoints/finalizers]
  verbs: [update]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, watch, create, delete]
{{- end }}
{{- if eq .Values.mode "replacement" }}
# The leader Lease of the replaced operator.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "dynamo-operator.operator-lease" . }}]
  verbs: [get]
{{- end }}
{{- if not .Values.namespaceRestriction.enabled }}
# Namespaces of other operators.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [dynamo-operator-namespace-scope]
  verbs: [list, watch]
{{- else if eq .Values.mode "replacement" }}
# The Lease that excludes the namespace from other servers. resourceNames cannot restrict creations.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [dynamo-operator-namespace-scope]
  verbs: [get, update, delete]
- apiGroups: [dynamo-admission.nvidia.com]
  resources: [namespaceexclusions]
  verbs: [create]
{{- end }}
{{- end -}}
