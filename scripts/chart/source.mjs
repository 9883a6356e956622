// The kustomize base and components as YAML documents that keep their comments.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isScalar, parseAllDocuments, parseDocument, visit } from 'yaml';
import { root } from '../launcher/project.mjs';

/** @typedef {import('yaml').Document.Parsed<import('yaml').YAMLMap>} Doc */

const k8s = join(root, 'k8s');

/** @param {string} path below k8s @returns {string} */
export const textOf = (path) => readFileSync(join(k8s, path), 'utf8');

/** @param {string} path below k8s @returns {Doc[]} */
export function documentsOf(path) {
  // YAML 1.1, as kustomize, Helm and Kubernetes read it: 0440 is octal.
  const documents = /** @type {Doc[]} */ (parseAllDocuments(textOf(path), { version: '1.1' }));
  for (const { errors } of documents) if (errors[0]) throw errors[0];
  return documents;
}

/** @param {string} folder below k8s @returns {string[]} the files that its kustomization names */
export const resourcesOf = (folder) => documentsOf(`${folder}/kustomization.yaml`)[0]?.toJS().resources ?? [];

/** @returns {Doc[]} every object of the base */
export const baseObjects = () => resourcesOf('base').flatMap((file) => documentsOf(`base/${file}`));

/** @returns {Doc[]} what may be a service: the base's objects, and those of the process that hosts four of them */
export const serviceObjects = () => [...baseObjects(), ...documentsOf('components/path/path.yaml')];

/** @returns {string[]} */
export const services = () =>
  serviceObjects().flatMap((each) => (each.get('kind') === 'Deployment' ? [String(at(each, 'metadata/name'))] : []));

/** @param {Doc} document @param {string} path @returns {any} the collection or scalar at a path like `spec/rules/0` */
export function at(document, path) {
  const keys = path.split('/').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  const node = document.getIn(keys, true);
  if (node === undefined) throw new Error(`${String(document.get('kind'))} has no ${path}`);
  return node;
}

/** Converts the collection and everything around it to block style. @param {Doc} document @param {string} path */
export function unflowed(document, path) {
  const keys = path.split('/');
  for (let depth = 1; depth <= keys.length; depth += 1) at(document, keys.slice(0, depth).join('/')).flow = false;
  return at(document, path);
}

/**
 * Calls back with every pair that has this scalar key, to change it in place.
 * @param {any} node @param {string} name @param {(pair: import('yaml').Pair<any, any>) => void} change
 */
export function eachPair(node, name, change) {
  visit(node, {
    Pair: (_key, pair) => {
      if (isScalar(pair.key) && pair.key.value === name) change(pair);
    },
  });
}

/**
 * The patches of a component by their target. All are `add` operations of JSON Patch.
 * @param {string} component
 * @returns {{kind: string, names: string[], file: string, operations: {path: string, value: any}[]}[]}
 */
export function patchesOf(component) {
  const [kustomization] = documentsOf(`components/${component}/kustomization.yaml`);
  /** @type {{path?: string, target: {kind: string, name: string}}[]} */
  const patches = kustomization?.toJS().patches ?? [];
  return patches.flatMap(({ path, target }) => {
    // Inline patches delete an object that the component replaces: `replacedBy`.
    if (!path) return [];
    const [list] = documentsOf(`components/${component}/${path}`);
    const operations = list?.toJS().map((/** @type {any} */ { op, path: pointer, value }) => {
      if (op !== 'add') throw new Error(`${component}/${path}: a chart can add, not ${op}`);
      return { path: pointer.slice(1), value };
    });
    return [{ kind: target.kind, names: target.name.split('|'), file: path, operations }];
  });
}

/**
 * Whether a component replaces an object, which its inline patch then deletes.
 * @param {string} component @param {string} kind @param {string} name
 */
export function replacedBy(component, kind, name) {
  const [kustomization] = documentsOf(`components/${component}/kustomization.yaml`);
  /** @type {{path?: string, target: {kind: string, name: string}}[]} */
  const patches = kustomization?.toJS().patches ?? [];
  return patches.some(({ path, target }) => !path && target.kind === kind && target.name.split('|').includes(name));
}

/**
 * The patches that a component has in its kustomization, which the chart writes in its own way.
 * @param {string} component
 * @returns {{kind: string, operations: {op: string, path: string, value?: any}[]}[]}
 */
export function inlinePatches(component) {
  const [kustomization] = documentsOf(`components/${component}/kustomization.yaml`);
  /** @type {{patch?: string, target: {kind: string}}[]} */
  const patches = kustomization?.toJS().patches ?? [];
  return patches.flatMap(({ patch, target }) =>
    patch ? [{ kind: target.kind, operations: parseDocument(patch, { version: '1.1' }).toJS() }] : [],
  );
}
