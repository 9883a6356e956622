import type { DescribedOperation } from '../api-document.js';

/** Existing ids by their position in a path: `apps`, `credentials/bindings`, `adapters/versions`. */
export type KnownIds = ReadonlyMap<string, readonly string[]>;

interface Row {
  id?: string | number;
  slug?: string;
  number?: number;
  version?: number;
  made_by_key_id?: string | null;
}

/** The fixed parts of a path up to one of its parameters. */
export function placeOf(path: string, parameter: string): string {
  const before = path.slice('/api/v1/'.length, path.indexOf(`{${parameter}}`));
  return before
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{'))
    .join('/');
}

/**
 * Reads every list of the API that is at most one id deep. Keys that nobody made are left out, since the caller's own
 * is one.
 */
export async function knownIds(
  operations: DescribedOperation[],
  read: (path: string) => Promise<{ status: number; text: string }>,
): Promise<KnownIds> {
  const known = new Map<string, string[]>();
  const lists = operations
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('}') && (path.match(/\{/g) ?? []).length <= 1)
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
  for (const { path } of lists) {
    const [, parameter = ''] = /\{(\w+)\}/.exec(path) ?? [];
    const parents = parameter === '' ? [''] : (known.get(placeOf(path, parameter)) ?? []).slice(0, 2);
    for (const parent of parents) {
      const answer = await read(path.replace(`{${parameter}}`, parent)).catch(() => null);
      if (answer?.status !== 200 || !answer.text.startsWith('{"data":[')) continue;
      const { data } = JSON.parse(answer.text) as { data: Row[] };
      const place = placeOf(`${path}/{}`, '');
      const ids = data
        .filter((row) => row.made_by_key_id !== null)
        .map((row) => row.number ?? row.id ?? row.slug ?? row.version);
      const found = ids.filter((id) => id !== undefined).map(String);
      known.set(place, [...(known.get(place) ?? []), ...found].slice(0, 20));
    }
  }
  // In paths it has another name than in the list.
  known.set('turns', known.get('sessions/turns') ?? []);
  known.set('channels', known.get('apps') ?? []);
  return known;
}

/** Ids that a field may refer to: `agent_id` and `agents` refer to one of `agents`. */
export function idsFor(known: KnownIds, field: string): readonly string[] {
  const noun = field
    .replace(/_ids?$/, '')
    .replace(/^python_/, '')
    .replace(/s$/, '');
  const places = { event: 'events', server: 'mcp-servers', into: 'contacts', message: 'held-messages' };
  const wanted = places[noun as keyof typeof places] ?? `${noun}s`;
  return [...known].flatMap(([place, ids]) => (place === wanted || place.endsWith(`/${wanted}`) ? ids : []));
}

/** Whether a field refers to something of the project by its id. */
export const namesId = (field: string): boolean => /(_id|_ids|^into|^skills|^python_tools)$/.test(field);
