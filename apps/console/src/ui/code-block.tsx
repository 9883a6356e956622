import type { ReactNode } from 'react';
import { LongText } from '../drawn/long-text.js';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button.js';

/** It scrolls within its box. */
const firstChars = 10_000;

/** Text to read and copy as it is: a command, a body, a log. Never interpreted. */
export function CodeBlock({ code, label, wrap = false }: { code: string; label: string; wrap?: boolean }): ReactNode {
  return (
    <div className={classes.block}>
      <pre className={classes.code} data-wrap={wrap || undefined} tabIndex={0} aria-label={label} role="group">
        <LongText text={code} first={firstChars} />
      </pre>
      <span className={classes.copy}>
        <CopyButton text={code} label={`Copy: ${label}`} />
      </span>
    </div>
  );
}
