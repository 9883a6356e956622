const words: Record<string, string> = {
  double: 'a number',
  int: 'a number',
  uint: 'a number',
  string: 'a text',
  bool: 'true or false',
  null: 'null',
  null_type: 'null',
};

/** The library's words for operands that do not fit, as a person understands them, with what to write instead. */
export function inWords(summary: string): string {
  const operator = /^no such overload: (.+) ([<>=!]=?|[-+*/%]|in) (.+)$/.exec(summary);
  if (operator) {
    const [, left = '', sign = '', right = ''] = operator;
    const kinds = [kindOf(left), kindOf(right)];
    return `${sign} cannot be used with ${kinds[0]} and ${kinds[1]}${adviceFor(kinds)}`;
  }
  const call = /^found no matching overload for '([^.(]+)\.([^(]+)\(/.exec(summary);
  if (call) {
    const kind = kindOf(call[1] ?? '');
    return `${call[2]}() cannot be used on ${kind}${adviceFor([kind, 'a text'])}`;
  }
  const missing = /^No such key: (.+)$/s.exec(summary)?.[1];
  if (missing !== undefined) {
    const ask = /^[A-Za-z_]\w*$/.test(missing)
      ? `has(metadata.${missing})`
      : `${JSON.stringify(missing)} in request.headers`;
    return `${summary}: where it may be absent, ask first, for example ${ask} && …`;
  }
  if (summary.startsWith('Ternary branches')) return `${summary}: write both alike, for example 1.0 instead of 1`;
  return summary;
}

function kindOf(type: string): string {
  const bare = type.replace(/^dyn<(.*)>$/, '$1');
  if (bare.startsWith('list')) return 'a list';
  if (bare.startsWith('map')) return 'an object';
  return words[bare] ?? bare;
}

function adviceFor(kinds: (string | undefined)[]): string {
  if (kinds.includes('null')) return ': ask first, for example metadata.x != null && metadata.x > 1';
  if (kinds.includes('a list') && kinds.includes('a text')) return ': "x" in metadata.list asks whether a list has it';
  if (kinds.includes('a number') && kinds.includes('a text'))
    return ': double(…) makes a number of a text, string(…) a text of a number';
  return '';
}
