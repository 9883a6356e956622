import type { MapEdge, MapNode } from './map-model.js';

interface Meaning {
  /** Below `/p/<project>`. */
  path: `/${string}`;
  search: Record<string, string>;
}

/** What the map counts. */
const since = '24h';

/**
 * The list that an edge stands for: the calls that took it, or the messages or runs, of which those that failed, where
 * some did. Null: no list has them.
 */
export function meaningOf({ from, to, failed }: MapEdge, nodes: ReadonlyMap<string, MapNode>): Meaning | null {
  const [source, target] = [nodes.get(from), nodes.get(to)];
  if (!source || !target) return null;
  if (target.column === 'tool') return target.path && callsOf(target.path);
  const runs = [source, target].find(({ column }) => column === 'workflow')?.path;
  if (runs) return { path: runs, search: { tab: 'runs', ...(failed > 0 && { state: 'failed' }) } };
  if (target.column === 'reply') return events(to.replace(/^reply /, ''), 'delivered');
  if (source.column !== 'source' || source.path === null) return null;
  return events(from, failed > 0 ? 'failed' : null);
}

function callsOf(path: `/${string}`): Meaning {
  return { path, search: path.startsWith('/tools/') ? { tab: 'calls' } : {} };
}

const events = (app: string, outcome: string | null): Meaning => ({
  path: '/events',
  search: { app, since, ...(outcome && { outcome }) },
});
