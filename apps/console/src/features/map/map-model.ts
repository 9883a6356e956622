export const columns = ['source', 'trigger', 'workflow', 'agent', 'tool', 'reply'] as const;
export type MapColumn = (typeof columns)[number];

export interface MapNode {
  id: string;
  column: MapColumn;
  name: string;
  /** Of its page, below `/p/<project>`; null: it has none. */
  path: `/${string}` | null;
  /** Of the last day. */
  count: number;
  failed: number;
  /** It is suspended, off or paused. */
  off: boolean;
}

export interface MapEdge {
  from: string;
  to: string;
  count: number;
  failed: number;
}

/** A map as it is collected: nodes and edges by their ids, counts summed. */
export class MapDraft {
  readonly nodes = new Map<string, MapNode>();
  readonly edges = new Map<string, MapEdge>();

  node(of: Omit<MapNode, 'count' | 'failed' | 'off'> & Partial<MapNode>): void {
    if (!this.nodes.has(of.id)) this.nodes.set(of.id, { count: 0, failed: 0, off: false, ...of });
  }

  count(id: string, count: number, failed = 0): void {
    const node = this.nodes.get(id);
    if (node) this.nodes.set(id, { ...node, count: node.count + count, failed: node.failed + failed });
  }

  edge(from: string, to: string, count = 0, failed = 0): void {
    const key = `${from} ${to}`;
    const before = this.edges.get(key) ?? { from, to, count: 0, failed: 0 };
    this.edges.set(key, { ...before, count: before.count + count, failed: before.failed + failed });
  }
}

export interface DrawnMap {
  columns: { column: MapColumn; nodes: MapNode[]; more: number }[];
  edges: MapEdge[];
  leftOutNodes: number;
  leftOutEdges: number;
}

/** More would be no picture. */
const mostPerColumn = 12;
const mostEdges = 120;

const busiest = (a: { count: number; failed: number }, b: { count: number; failed: number }): number =>
  b.failed - a.failed || b.count - a.count;

/** What is drawn: of each column those that failed and the busiest, in an order in which few edges cross. */
export function drawn({ nodes, edges }: MapDraft): DrawnMap {
  const place = new Map<string, number>();
  const whole = [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to));
  const shown = columns.map((column) => {
    const all = [...nodes.values()].filter((node) => node.column === column);
    const kept = all.toSorted((a, b) => busiest(a, b) || a.name.localeCompare(b.name)).slice(0, mostPerColumn);
    const ordered = kept.toSorted((a, b) => middle(a.id, whole, place) - middle(b.id, whole, place));
    for (const [index, { id }] of ordered.entries()) place.set(id, index);
    return { column, nodes: ordered, more: all.length - kept.length };
  });
  const visible = whole.filter(({ from, to }) => place.has(from) && place.has(to)).toSorted(busiest);
  const drawnEdges = visible.slice(0, mostEdges);
  return {
    columns: shown,
    edges: drawnEdges,
    leftOutNodes: shown.reduce((sum, { more }) => sum + more, 0),
    leftOutEdges: whole.length - drawnEdges.length,
  };
}

/** Where those stand, on average, that lead to it; last, if none does. */
function middle(id: string, edges: readonly MapEdge[], place: ReadonlyMap<string, number>): number {
  const before = edges.flatMap(({ from, to }) => (to === id ? (place.get(from) ?? []) : []));
  return before.length === 0 ? mostPerColumn : before.reduce((sum, at) => sum + at, 0) / before.length;
}
