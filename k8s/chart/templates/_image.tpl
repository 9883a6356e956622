{{- /* The image of a service: (list $ "router" values), where values may have an image of its own. */ -}}
{{- define "gatehouse.image" -}}
{{- $root := index . 0 }}
{{- $own := (index . 2).image | default dict }}
{{- $repository := $own.repository | default (printf "%s/%s" $root.Values.image.repository (index . 1)) }}
{{- $tag := $own.tag | default $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- $repository }}:{{ $tag }}
{{- with $own.digest }}@{{ . }}{{ end }}
{{- end }}

{{- /*
The end of a Job's name: (list $ image). A Job cannot be changed once made, so whatever changes it makes another one; the same
values applied again change nothing.
*/ -}}
{{- define "gatehouse.release" -}}
{{- $root := index . 0 }}
{{- $tag := index . 1 | splitList "@" | first | splitList ":" | last | lower | replace "_" "-" | trunc 40 }}
{{- $rest := list (index . 1) (include "gatehouse.scheduling" (list $root dict dict)) $root.Values.image.pullPolicy $root.Values.stores $root.Values.secrets.names $root.Chart.Version }}
{{- printf "%s-%s" $tag ($rest | toJson | sha256sum | trunc 8) }}
{{- end }}

{{- /* The name of a Secret: (list $ "router-stores"). */ -}}
{{- define "gatehouse.secret" -}}
{{- get (index . 0).Values.secrets.names (index . 1) | default (index . 1) }}
{{- end }}
