import { Anchor, Title } from '@mantine/core';
import { createElement, type ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { docsTexts } from '../../texts/docs.js';
import { CodeBlock } from '../code-block.js';
import { LinkAnchor, OutsideLink } from '../links.js';
import type { DocHeading, DocLink, DocNode } from './doc-page.js';
import classes from './doc-text.module.css';
import { docHref } from './topics.js';

interface DocTextProps {
  nodes: readonly DocNode[];
  /** The level at which the first heading stands; the others follow from it. */
  level: number;
  /** Beside a form: links open elsewhere, and headings have no ids, which the page may have. */
  aside?: boolean;
}

type Draw = (node: DocNode) => ReactNode;

/** A part of our own documentation, as elements: nothing of it is read as markup. */
export function DocText({ nodes, level, aside = false }: DocTextProps): ReactNode {
  const first = nodes.find((node): node is DocHeading => typeof node === 'object' && node.is === 'heading');
  const raised = level - (first?.level ?? level);
  const draw: Draw = (node) => {
    if (typeof node === 'string') return node;
    switch (node.is) {
      case 'heading':
        return (
          <Title order={orderOf(node.level + raised)} {...(aside ? {} : { id: headingId(node.anchor), tabIndex: -1 })}>
            {within('span', node.of, draw)}
          </Title>
        );
      case 'code':
        return <code>{node.text}</code>;
      case 'block':
        return <CodeBlock code={node.text} label={docsTexts.example} />;
      case 'link':
        return (
          <DocAnchor to={node.to} aside={aside}>
            {within('span', node.of, draw)}
          </DocAnchor>
        );
      case 'list':
        return node.from === null
          ? within('ul', node.of, draw)
          : createElement('ol', { start: node.from }, ...node.of.map(draw));
      case 'table':
        return <DocTable rows={node.rows} draw={draw} />;
      case 'break':
        return <br />;
      case 'rule':
        return <hr />;
      default:
        return within(elements[node.is], node.of, draw);
    }
  };
  return createElement('div', { className: classes.text }, ...nodes.map(draw));
}

const elements = {
  paragraph: 'p',
  strong: 'strong',
  emphasis: 'em',
  delete: 'del',
  quote: 'blockquote',
  item: 'li',
} as const;

/** Its children are few and never move, so they need no keys. */
const within = (element: string, nodes: readonly DocNode[], draw: Draw): ReactNode =>
  createElement(element, null, ...nodes.map(draw));

const orders = [2, 3, 4, 5, 6] as const;
const orderOf = (level: number): (typeof orders)[number] => orders.find((order) => order >= level) ?? 6;

/** Not the anchor itself, which could be an id of the page around it. */
export const headingId = (anchor: string): string => `doc-${anchor}`;

function DocTable({ rows: [head = [], ...rows], draw }: { rows: DocNode[][][]; draw: Draw }): ReactNode {
  const row = (element: 'th' | 'td', cells: DocNode[][]): ReactNode =>
    createElement('tr', null, ...cells.map((cell) => within(element, cell, draw)));
  return (
    <div className={classes.wide} tabIndex={0} role="group" aria-label={docsTexts.table}>
      <table>
        <thead>{row('th', head)}</thead>
        {createElement('tbody', null, ...rows.map((cells) => row('td', cells)))}
      </table>
    </div>
  );
}

interface DocAnchorProps {
  to: DocLink;
  aside: boolean;
  children: ReactNode;
}

function DocAnchor({ to, aside, children }: DocAnchorProps): ReactNode {
  const projectId = useProjectId();
  if ('href' in to) return <OutsideLink href={to.href}>{children}</OutsideLink>;
  if (aside) {
    return (
      <Anchor inherit href={docHref(projectId, to)} target="_blank">
        {children}
      </Anchor>
    );
  }
  const { page, anchor } = to;
  return (
    <LinkAnchor inherit to={{ to: '/p/$projectId/docs', params: { projectId }, search: { page }, hash: anchor }}>
      {children}
    </LinkAnchor>
  );
}
