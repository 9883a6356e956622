import { Text } from '@mantine/core';
import { type FocusEvent, type ReactNode, useState } from 'react';
import { mapTexts as texts } from '../../texts/map.js';
import { Link } from '@tanstack/react-router';
import { useProjectId } from '../../api/project-query.js';
import { ProjectLink } from '../../ui/links.js';
import { meaningOf } from './edge-meaning.js';
import type { DrawnMap, MapEdge, MapNode } from './map-model.js';
import classes from './map-picture.module.css';

// In pixels, as in the style sheet.
const node = { width: 138, height: 58, gap: 12, between: 32, head: 30 };
const step = { x: node.width + node.between, y: node.height + node.gap };
const widest = 5;

/**
 * The columns of the map, each a list of links, with the edges drawn behind them. On a phone, and to a screen reader, the
 * same lists say where each thing leads.
 */
export function MapPicture({ map }: { map: DrawnMap }): ReactNode {
  const [active, setActive] = useState<string | null>(null);
  const nodes = new Map(map.columns.flatMap(({ nodes: own }) => own.map((one) => [one.id, one])));
  const rows = Math.max(1, ...map.columns.map(({ nodes: own }) => own.length));
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={texts.title}>
      <div className={classes.map}>
        <Edges map={map} nodes={nodes} rows={rows} active={active} onActive={setActive} />
        {map.columns.map(({ column, nodes: own, more }) => (
          <section key={column} aria-label={texts.columns[column]}>
            <Text component="h2" className={classes.head}>
              {texts.columns[column]}
            </Text>
            <ul className={classes.list}>
              {own.map((one) => (
                <li
                  key={one.id}
                  className={classes.node}
                  data-off={one.off || undefined}
                  data-failed={one.failed > 0 || undefined}
                  data-idle={one.count === 0 || undefined}
                  onMouseEnter={() => setActive(one.id)}
                  onMouseLeave={() => setActive(null)}
                  onFocus={() => setActive(one.id)}
                  onBlur={() => setActive(null)}
                >
                  <NodeName node={one} />
                  <span className={classes.counts}>
                    {texts.counts[column](one.count)}
                    {one.failed > 0 && <span className={classes.failed}> · {texts.failed(one.failed)}</span>}
                    {one.off && ` · ${texts.off}`}
                  </span>
                  <Leads edges={map.edges.filter(({ from }) => from === one.id)} nodes={nodes} onActive={setActive} />
                </li>
              ))}
            </ul>
            {own.length === 0 && <Text className={classes.none}>{texts.none}</Text>}
            {more > 0 && <Text className={classes.none}>{texts.more(more)}</Text>}
          </section>
        ))}
      </div>
    </div>
  );
}

function NodeName({ node: { name, path } }: { node: MapNode }): ReactNode {
  if (path === null) return <span className={classes.name}>{name}</span>;
  return (
    <ProjectLink path={path} className={classes.name}>
      {name}
    </ProjectLink>
  );
}

const sentenceOf = (name: string, count: number, failed: number): string =>
  failed > 0 ? `${name} (${count}, ${texts.failed(failed)})` : `${name} (${count})`;

type Nodes = ReadonlyMap<string, MapNode>;

const keyOf = ({ from, to }: MapEdge): string => `${from} ${to}`;

interface LeadsProps {
  edges: readonly MapEdge[];
  nodes: Nodes;
  onActive: (id: string) => void;
}

/** The edges of a node as links: of a phone, a screen reader and the keyboard, for which they show while focused. */
function Leads({ edges, nodes, onActive }: LeadsProps): ReactNode {
  if (edges.length === 0) return null;
  return (
    <span className={classes.leads}>
      {texts.leadsTo}:{' '}
      {edges.map((edge, at) => {
        const sentence = sentenceOf(nodes.get(edge.to)?.name ?? edge.to, edge.count, edge.failed);
        const meaning = meaningOf(edge, nodes);
        const focus = (event: FocusEvent): void => {
          event.stopPropagation();
          onActive(keyOf(edge));
        };
        return (
          <span key={edge.to} onFocus={focus}>
            {at > 0 && ', '}
            {meaning ? (
              <ProjectLink {...meaning} inherit underline="always">
                {sentence}
              </ProjectLink>
            ) : (
              sentence
            )}
          </span>
        );
      })}
    </span>
  );
}

interface EdgesProps {
  map: DrawnMap;
  nodes: Nodes;
  rows: number;
  /** A node, whose edges stand out, or an edge. */
  active: string | null;
  onActive: (id: string | null) => void;
}

/** The same links as `Leads`, for a pointer. */
function Edges({ map, nodes, rows, active, onActive }: EdgesProps): ReactNode {
  const projectId = useProjectId();
  const places = new Map(
    map.columns.flatMap(({ nodes: own }, column) => own.map(({ id }, row) => [id, { column, row }] as const)),
  );
  const most = Math.max(1, ...map.edges.map(({ count }) => count));
  const width = map.columns.length * step.x - node.between;
  const height = node.head + rows * step.y;
  return (
    <svg className={classes.edges} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden>
      {map.edges.map((edge) => {
        const [from, to] = [places.get(edge.from), places.get(edge.to)];
        if (!from || !to) return null;
        const isOfActive = active === edge.from || active === edge.to || active === keyOf(edge);
        const meaning = meaningOf(edge, nodes);
        const line = curve(from, to);
        const drawnLine = (
          <path
            key={keyOf(edge)}
            d={line}
            data-failed={edge.failed > 0 || undefined}
            data-idle={edge.count === 0 || undefined}
            data-faded={(active !== null && !isOfActive) || undefined}
            data-active={isOfActive || undefined}
            strokeWidth={widthOf(edge, most)}
          />
        );
        if (!meaning) return drawnLine;
        const { path, search } = meaning;
        const page: string = `/p/${projectId}${path}`;
        return (
          <Link
            key={keyOf(edge)}
            to={page}
            search={search}
            tabIndex={-1}
            onMouseEnter={() => onActive(keyOf(edge))}
            onMouseLeave={() => onActive(null)}
          >
            {drawnLine}
            <path d={line} className={classes.hit} />
          </Link>
        );
      })}
    </svg>
  );
}

interface Place {
  column: number;
  row: number;
}

function curve(from: Place, to: Place): string {
  const [x1, y1] = [from.column * step.x + node.width, middleOf(from)];
  const [x2, y2] = [to.column * step.x, middleOf(to)];
  const bend = Math.max(node.between / 2, (x2 - x1) / 3);
  return `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`;
}

const middleOf = ({ row }: Place): number => node.head + row * step.y + node.height / 2;

/** By its share of the busiest, in a scale that shows few messages beside many. */
const widthOf = ({ count }: MapEdge, most: number): number =>
  count === 0 ? 1 : 1.2 + (widest - 1.2) * Math.sqrt(count / most);
