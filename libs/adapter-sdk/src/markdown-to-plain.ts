/** Stands for code spans and escapes while the rest is stripped; a text that holds it already is put aside as well. */
const PLACEHOLDER = '\ue000';
const PUT_ASIDE = /`([^`\n]+)`|\\([\\`*_{}[\]()#+\-.!~|>])|\ue000/g;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;

/**
 * Markdown as plain text: markers go, words, code, list marks and link targets stay. `lossy` names what lost its shape.
 * Every expression is free of nested repetition: the text comes from a model and may be long.
 */
export function markdownToPlain(markdown: string): { text: string; lossy: string[] } {
  const lossy = new Set<string>();
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (marker && (fence === undefined || marker.startsWith(fence))) {
      fence = fence === undefined ? marker : undefined;
      continue;
    }
    if (fence !== undefined) {
      lines.push(line);
      continue;
    }
    if (TABLE_RULE.test(line)) {
      lossy.add('table');
      continue;
    }
    if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) continue;
    if (line.includes('![')) lossy.add('image');
    lines.push(stripInline(stripBlock(line)));
  }
  return { text: lines.join('\n'), lossy: [...lossy] };
}

function stripBlock(line: string): string {
  return line
    .replace(/^ {0,3}(?:> ?)+/, '')
    .replace(/^ {0,3}#{1,6} +/, '')
    .replace(/^(\s*)[*+] +/, '$1- ');
}

function stripInline(line: string): string {
  const kept: string[] = [];
  const bare = line.replace(PUT_ASIDE, (whole, code?: string, escaped?: string) => {
    kept.push(code ?? escaped ?? whole);
    return PLACEHOLDER;
  });
  const stripped = bare
    .replace(/!?\[([^[\]\n]*)\]\(([^()\s]*)(?: +"[^"\n]*")?\)/g, (_whole, label: string, target: string) =>
      label === '' || label === target ? target : `${label} (${target})`,
    )
    .replace(/<((?:https?|mailto):[^<>\s]+)>/g, '$1')
    .replace(/(?<!\*)\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?!\*)/g, '$1')
    .replace(/\*\*(?=\S)([^*\n]+)(?<=\S)\*\*/g, '$1')
    .replace(/(?<!\*)\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?!\*)/g, '$1')
    .replace(/(?<!\w)__(?=\S)([^_\n]+)(?<=\S)__(?!\w)/g, '$1')
    .replace(/(?<!\w)_(?=[^\s_])([^_\n]+)(?<=\S)_(?!\w)/g, '$1')
    .replace(/~~(?=\S)([^~\n]+)(?<=\S)~~/g, '$1');
  return stripped.replaceAll(PLACEHOLDER, () => kept.shift() ?? PLACEHOLDER);
}
