{{- /* Where a pod runs: (list $ values), the service's own before those of all. */ -}}
{{- define "gatehouse.scheduling" -}}
{{- $root := (index . 0).Values }}
{{- $own := index . 1 }}
{{- with $root.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $own $key | default (get $root $key) }}
{{ $key }}: {{- toYaml . | nindent 2 }}
{{- end }}
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
