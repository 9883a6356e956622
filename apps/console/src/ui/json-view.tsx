import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { LongText } from '../drawn/long-text.js';
import { uiTexts } from '../texts/ui.js';
import { CopyButton } from './copy.js';
import classes from './json-view.module.css';
import { useLongList } from './long-list.js';
import { jsonText, visibleText } from './code-block.js';

interface JsonViewProps {
  value: unknown;
  label: string;
  /** Levels that are open at first. */
  depth?: number;
}

/** A JSON value that expands and collapses by level. Strings are shown as text and nothing else. */
export function JsonView({ value, label, depth = 2 }: JsonViewProps): ReactNode {
  return (
    <div className={classes.view} role="group" aria-label={label} tabIndex={0}>
      <span className={classes.copy}>
        <CopyButton text={() => jsonText(value)} label={`Copy: ${label}`} />
      </span>
      <Node value={value} depth={depth} />
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }): ReactNode {
  const [open, setOpen] = useState(depth > 0);
  const key = name === undefined ? null : <span className={classes.key}>{visibleText(name)}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes.leaf}>
        {key}
        <span data-type={value === null ? 'null' : typeof value} className={classes.value}>
          <LongText text={visibleText(JSON.stringify(value) ?? String(value))} />
        </span>
      </div>
    );
  }
  const count = Array.isArray(value) ? uiTexts.items(value.length) : uiTexts.keys(Object.keys(value).length);
  return (
    <div>
      <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden>{open ? '▾' : '▸'}</span> {key}
        <span className={classes.count}>{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </UnstyledButton>
      {open && (
        <div className={classes.level}>
          <Children of={value} depth={depth} />
        </div>
      )}
    </div>
  );
}

/** Not in the value's own element: most values of a long list are never opened. */
function Children({ of, depth }: { of: object; depth: number }): ReactNode {
  const { shown, more } = useLongList(Object.entries(of));
  return (
    <>
      {shown.map(([entry, child]) => (
        <Node key={entry} name={entry} value={child} depth={depth - 1} />
      ))}
      {more}
    </>
  );
}
