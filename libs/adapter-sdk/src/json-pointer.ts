/** True for a JSON pointer (RFC 6901): empty, or `/` separated with `~0` and `~1` as the only escapes. */
export function isJsonPointer(pointer: string): boolean {
  return pointer === '' || (pointer.startsWith('/') && !/~(?![01])/.test(pointer));
}

/** The value at a JSON pointer (RFC 6901), or undefined. Considers only own properties. */
export function jsonPointerGet(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  if (!isJsonPointer(pointer)) return undefined;
  let current = document;
  for (const escaped of pointer.slice(1).split('/')) {
    const token = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) {
      current = /^(0|[1-9]\d{0,9})$/.test(token) ? current[Number(token)] : undefined;
    } else if (typeof current === 'object' && current !== null && Object.hasOwn(current, token)) {
      current = Reflect.get(current, token);
    } else {
      return undefined;
    }
  }
  return current;
}
