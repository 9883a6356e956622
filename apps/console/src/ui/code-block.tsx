import type { ReactNode } from 'react';
import { LongText } from '../drawn/long-text.js';
import classes from './code-block.module.css';
import { CopyButton } from './copy.js';

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

/** Characters that people do not see but a model reads: formats, controls, tags, odd spaces. */
const unseen = /[\p{Cf}\p{Co}\u00a0\u2028\u2029]|[^\P{Cc}\n\r\t]/gu;

/** A text with its invisible characters written out: `⟨U+200B⟩`. For what is read character by character. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

/** A value as JSON on several lines; without its inner levels, if it has more than the browser can write. */
export function jsonText(value: unknown, space = 2): string {
  try {
    return JSON.stringify(value, null, space) ?? String(value);
  } catch (error) {
    if (error instanceof RangeError) return Array.isArray(value) ? '[…]' : '{…}';
    throw error;
  }
}
