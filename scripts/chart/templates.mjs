// The chart's templates: the objects of the base and components, with values at the places that an overlay would patch.
import { isMap, isScalar, isSeq, stringify } from 'yaml';
import { changes, service } from './changes.mjs';
import { components, switchOf } from './components.mjs';
import { Marks } from './marks.mjs';
import { at, documentsOf, eachPair, patchesOf, replacedBy, resourcesOf, unflowed } from './source.mjs';

/** @typedef {import('./source.mjs').Doc} Doc */

const ENV = 'spec/template/spec/containers/0/env';

/** @param {string} name of an image @returns {string} the key of its own map in the values */
function imageValues(name) {
  if (name === 'mcp-sidecar') return '$.Values.mcpSidecar';
  return service(name === 'host' ? 'path' : name);
}

/** @param {any} node @param {Marks} marks */
function references(node, marks) {
  eachPair(node, 'image', (pair) => {
    const [, app] = /^gatehouse\/([\w-]+)$/.exec(String(pair.value)) ?? [];
    if (app) pair.value = marks.inline(`include "gatehouse.image" (list $ "${app}" ${imageValues(app)})`);
  });
  for (const [key, name] of [
    ['secretKeyRef', 'name'],
    ['secret', 'secretName'],
  ]) {
    eachPair(node, key ?? '', ({ value }) => {
      if (isMap(value))
        value.set(name, marks.inline(`include "gatehouse.secret" (list $ "${String(value.get(name ?? ''))}")`));
    });
  }
}

/**
 * Adds the components' additions to an object, each under its condition.
 * @param {Doc} document @param {Marks} marks
 * @param {string} kind @param {string} name
 */
function componentPatches(document, marks, kind, name) {
  /** By place and text: the line of the condition, and the values that it asks. @type {Map<string, {mark: {text: string}, values: string[]}>} */
  const written = new Map();
  for (const [component, { value, settings }] of Object.entries(components)) {
    const all = patchesOf(component).filter((patch) => patch.kind === kind && patch.names.includes(name));
    const ours = all.filter(({ file }) => file !== settings);
    if (ours.length < all.length) {
      const line = '- { name: {{ $name }}, value: {{ $value | quote }} }';
      marks.append(
        unflowed(document, ENV),
        `{{- if $.Values.${value}.enabled }}\n{{- range $name, $value := $.Values.${value}.settings }}\n${line}\n{{- end }}\n{{- end }}`,
      );
    }
    /** The additions by path. @type {Map<string, any[]>} */
    const additions = new Map();
    for (const { path, value: added } of ours.flatMap(({ operations }) => operations)) {
      const keys = path.split('/').map((key) => key.replaceAll('~1', '/'));
      const last = keys.pop() ?? '';
      const place = keys.join('/');
      const holder = at(document, place);
      // In JSON Patch, adding a member that is there replaces it.
      if (isMap(holder) && isScalar(holder.get(last, true))) {
        const either = [added, holder.get(last)].map((each) => JSON.stringify(each)).join(' ');
        holder.set(last, marks.inline(`ternary ${either} $.Values.${value}.enabled`));
        continue;
      }
      additions.set(place, [...(additions.get(place) ?? []), last === '-' ? added : { [last]: added }]);
    }
    for (const [place, added] of additions) {
      const collection = unflowed(document, place);
      const node = document.createNode(isSeq(collection) ? added : Object.assign({}, ...added));
      references(node, marks);
      const text = stringify(node, { lineWidth: 0 }).trimEnd();
      // What several components add stands there once: of a key that is there twice, Helm makes an error.
      const before = written.get(`${place} ${text}`);
      const values = [...(before?.values ?? []), `$.Values.${value}.enabled`];
      const condition = values.length > 1 ? `or ${values.join(' ')}` : values[0];
      const lines = `{{- if ${condition} }}\n${text}\n{{- end }}`;
      const mark = before?.mark ?? marks.append(collection, lines);
      mark.text = lines;
      written.set(`${place} ${text}`, { mark, values });
    }
  }
}

/** Replaces repeated lookups of a service's values by a variable named after the service. @param {string} text */
function withVariables(text) {
  const used = new Set([...text.matchAll(/\(index \$\.Values\.services "([\w-]+)"\)/g)].map(([, name = '']) => name));
  const variable = (/** @type {string} */ name) => `$${name.replace(/-(.)/g, (_all, letter) => letter.toUpperCase())}`;
  const declared = [...used].map((name) => `{{- ${variable(name)} := index $.Values.services "${name}" }}\n`);
  return `${declared.join('')}${[...used].reduce((all, name) => all.replaceAll(service(name), () => variable(name)), text)}`;
}

/** @param {string | undefined | void} condition */
const unlessOnPath = (condition) =>
  condition ? `and (not $.Values.path.enabled) (${condition})` : 'not $.Values.path.enabled';

/**
 * The template of one file of objects.
 * @param {string} path below k8s
 * @param {{labels?: boolean, when?: string}} [options] labels: adds those of the base's kustomization; when: a
 *   condition for the whole file
 */
export function templateOf(path, { labels = false, when } = {}) {
  const templates = documentsOf(path).map((document) => {
    const marks = new Marks();
    const kind = String(document.get('kind'));
    const name = String(at(document, 'metadata/name'));
    references(document.contents, marks);
    const metadata = unflowed(document, 'metadata');
    metadata.set('namespace', marks.inline('$.Release.Namespace'));
    if (labels) {
      if (!metadata.has('labels')) metadata.set('labels', document.createNode({}, { flow: true }));
      metadata.get('labels').set('app.kubernetes.io/part-of', 'gatehouse');
    }
    componentPatches(document, marks, kind, name);
    const own = changes[kind]?.(document, marks, name);
    const replaced = ['path', 'path/monitoring'].some((component) => replacedBy(component, kind, name));
    const condition = replaced && name !== 'path' ? unlessOnPath(own) : own;
    document.directives.docStart = null;
    const text = marks.replaced(document.toString({ lineWidth: 0 }).trimEnd());
    return condition ? `{{- if ${condition} }}\n${text}\n{{- end }}` : text;
  });
  const body = templates.join('\n---\n');
  const head = `{{- /* Written by scripts/chart.mjs from k8s/${path}: change that, not this. */ -}}`;
  return `${head}\n${withVariables(when ? `{{- if ${when} }}\n${body}\n{{- end }}\n` : `${body}\n`)}`;
}

/** @returns {Record<string, string>} each template by its path below the chart */
export function templates() {
  /** @type {Record<string, string>} */
  const made = {};
  // The namespace exists before the release: its Secrets are created in it.
  for (const file of resourcesOf('base').filter((each) => each !== 'namespace.yaml')) {
    made[`templates/base/${file}`] = templateOf(`base/${file}`, { labels: true });
  }
  for (const component of Object.keys(components)) {
    for (const file of resourcesOf(`components/${component}`)) {
      const when = switchOf(component, file);
      made[`templates/components/${component}/${file}`] = templateOf(`components/${component}/${file}`, { when });
    }
  }
  return made;
}
