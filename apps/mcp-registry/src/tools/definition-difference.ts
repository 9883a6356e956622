import type { DefinitionChange } from './tool.dto.js';

/** Where two JSON values differ, leaf by leaf, by JSON Pointer (RFC 6901). */
export function differenceOf(before: unknown, after: unknown, path = ''): DefinitionChange[] {
  if (isNested(before) && isNested(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].sort().flatMap((name) => {
      const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return differenceOf(before[name], after[name], place);
    });
  }
  if (Object.is(before, after)) return [];
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
