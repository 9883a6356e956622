import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { uiTexts } from '../texts/ui.js';
import { CopyButton } from './copy-button.js';
import classes from './json-view.module.css';

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
        <CopyButton text={JSON.stringify(value, null, 2)} label={`Copy: ${label}`} />
      </span>
      <Node value={value} depth={depth} />
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }): ReactNode {
  const [open, setOpen] = useState(depth > 0);
  const key = name === undefined ? null : <span className={classes.key}>{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes.leaf}>
        {key}
        <span data-type={value === null ? 'null' : typeof value} className={classes.value}>
          {JSON.stringify(value) ?? String(value)}
        </span>
      </div>
    );
  }
  const entries = Object.entries(value);
  const count = Array.isArray(value) ? uiTexts.items(entries.length) : uiTexts.keys(entries.length);
  return (
    <div>
      <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden>{open ? '▾' : '▸'}</span> {key}
        <span className={classes.count}>{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </UnstyledButton>
      {open && (
        <div className={classes.level}>
          {entries.map(([entry, child]) => (
            <Node key={entry} name={entry} value={child} depth={depth - 1} />
          ))}
        </div>
      )}
    </div>
  );
}
