// Reads the sources for the reference: declarations, constants and their comments. The compiler's older API does the
// parsing.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript-5';
import { root } from '../launcher/project.mjs';

/** @typedef {import('typescript-5').Node} Node */

/** @type {Map<string, import('typescript-5').SourceFile>} */
const parsed = new Map();

/** @param {string} path from the project's root */
export function sourceOf(path) {
  let file = parsed.get(path);
  if (!file) {
    file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
    parsed.set(path, file);
  }
  return file;
}

/** The words of the comment (`/** … *\/`) above a declaration; empty without one. @param {Node} node */
export function commentOf(node) {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(docs.at(-1)?.comment) ?? '').replace(/\s+/g, ' ').trim();
}

/** Every descendant of a node, in text order. @param {Node} node @returns {Generator<Node>} */
export function* below(node) {
  const children = /** @type {Node[]} */ ([]);
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) {
    yield child;
    yield* below(child);
  }
}

/**
 * What a name stands for: the initialiser of its declaration, in this file or in the one that it is imported from.
 * @param {string} name @param {string} path @returns {{node: import('typescript-5').Expression, path: string}}
 */
export function valueOf(name, path) {
  const file = sourceOf(path);
  for (const node of below(file)) {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer) {
      return { node: node.initializer, path };
    }
  }
  const from = importOf(name, path);
  if (!from) throw new Error(`${path} does not say what ${name} is`);
  for (const candidate of from) {
    try {
      return valueOf(name, candidate);
    } catch {
      // A library's index re-exports many files: the next one may have it.
    }
  }
  throw new Error(`No source of ${path} says what ${name} is`);
}

/** @param {string} name @param {string} path @returns {string[] | undefined} files that may declare it */
function importOf(name, path) {
  for (const statement of sourceOf(path).statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    if (!bindings.elements.some((element) => element.name.text === name)) continue;
    return filesOf(/** @type {import('typescript-5').StringLiteral} */ (statement.moduleSpecifier).text, path);
  }
  return undefined;
}

/** @param {string} specifier @param {string} path @returns {string[]} */
function filesOf(specifier, path) {
  if (specifier.startsWith('.')) return [join(dirname(path), specifier).replace(/\.js$/, '.ts')];
  const library = /^#libs\/(.+)$/.exec(specifier)?.[1];
  if (!library) return [];
  const index = `libs/${library}/src/index.ts`;
  return sourceOf(index)
    .statements.filter(ts.isExportDeclaration)
    .flatMap(({ moduleSpecifier }) =>
      moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? filesOf(moduleSpecifier.text, index) : [],
    )
    .filter((file) => existsSync(resolve(root, file)));
}

/**
 * A constant's value: numbers, strings, their sums, and fields of constant objects.
 * @param {Node} node @param {string} path @returns {string | number | undefined}
 */
export function constantOf(node, path) {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [node.left, node.right].map((side) => Number(constantOf(side, path)));
    if (node.operatorToken.kind === ts.SyntaxKind.AsteriskToken) return left * right;
    if (node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken) return left ** right;
    return undefined;
  }
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const value = valueOf(node.expression.text, path);
    const object = ts.isAsExpression(value.node) ? value.node.expression : value.node;
    if (!ts.isObjectLiteralExpression(object)) return undefined;
    const field = object.properties.find((property) => property.name?.getText() === node.name.text);
    return field && ts.isPropertyAssignment(field) ? constantOf(field.initializer, value.path) : undefined;
  }
  if (ts.isIdentifier(node)) {
    const value = valueOf(node.text, path);
    return constantOf(value.node, value.path);
  }
  return undefined;
}

/** A row of a table. @param {string[]} cells */
export const row = (...cells) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;

/** A table's head. @param {string[]} titles */
export const head = (...titles) => `${row(...titles)}\n| ${titles.map(() => '---').join(' | ')} |`;

export { ts };
