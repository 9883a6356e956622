import type { ASTNode, ParseError } from '@marcbachmann/cel-js';
import type { FilterProblem } from './filter.js';

const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/**
 * A part that could take unbounded time: `matches` runs a backtracking regular expression, and a loop within a loop
 * multiplies what the sender wrote by itself.
 */
export function forbiddenPart(node: ASTNode, inLoop = false): FilterProblem | null {
  const { start, end } = node;
  const name = node.op === 'rcall' || node.op === 'call' ? String((node.args as [string, ...unknown[]])[0]) : '';
  if (name === 'matches') {
    return { message: 'matches() is not available: use contains(), startsWith() or endsWith().', start, end };
  }
  const isLoop = node.op === 'rcall' && loops.has(name);
  if (isLoop && inLoop) return { message: `${name}() stands inside another loop: one level is allowed.`, start, end };
  for (const child of childrenOf(node.args)) {
    const found = forbiddenPart(child, inLoop || isLoop);
    if (found) return found;
  }
  return null;
}

export function filterSyntaxError(error: ParseError, length: number): FilterProblem {
  return { message: error.summary, start: error.range?.start ?? 0, end: error.range?.end ?? length };
}

function childrenOf(value: unknown): ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(childrenOf);
  return isNode(value) ? [value] : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
