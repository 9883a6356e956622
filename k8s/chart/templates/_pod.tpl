{{- /*
Where a pod runs: (list $ values base), the service's own before those of all. Tolerations are added to those of the base, unless they
name the same taint; an affinity replaces the base's of its kind.
*/ -}}
{{- define "gatehouse.scheduling" -}}
{{- $root := (index . 0).Values }}
{{- $own := index . 1 }}
{{- with $root.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.nodeSelector | default $root.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- $tolerations := $own.tolerations | default $root.tolerations }}
{{- $taints := list }}
{{- range $tolerations }}{{ $taints = append $taints .key }}{{ end }}
{{- range (index . 2).tolerations }}
{{- if not (has .key $taints) }}{{ $tolerations = append $tolerations . }}{{ end }}
{{- end }}
{{- with $tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- $affinity := deepCopy ($own.affinity | default $root.affinity | default dict) }}
{{- range $kind, $terms := (index . 2).affinity }}
{{- if not (hasKey $affinity $kind) }}{{ $_ := set $affinity $kind $terms }}{{ end }}
{{- end }}
{{- with $affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.priorityClassName | default $root.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* The ConfigMap's data: what switched on components say, and over it the settings. */ -}}
{{- define "gatehouse.settings" -}}
{{- $settings := dict }}
{{- range $component := list "clusterTokens" "singleSignOn" "tracing" }}
{{- $values := get $.Values $component }}
{{- if $values.enabled }}{{ $settings = merge $settings $values.settings }}{{ end }}
{{- end }}
{{- if .Values.clusterTokens.enabled }}{{ $_ := set $settings "KUBERNETES_NAMESPACE" .Release.Namespace }}{{ end }}
{{- mergeOverwrite $settings .Values.settings | toYaml }}
{{- end }}

{{- /* Hosts as JSON: (list $ hosts), or the one of PUBLIC_URL. */ -}}
{{- define "gatehouse.hosts" -}}
{{- index . 1 | default (list (urlParse (index . 0).Values.settings.PUBLIC_URL).hostname) | toJson }}
{{- end }}

{{- define "gatehouse.api-server" -}}
{{- range .Values.clusterTokens.apiServer }}
- ipBlock: { cidr: {{ . }} }
{{- end }}
{{- end }}
