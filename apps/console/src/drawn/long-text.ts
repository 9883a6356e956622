import { createElement, type ReactNode, useState } from 'react';
import { uiTexts } from '../texts/ui.js';
import { beginningOf, drawable, drawnAtMost, endOfLines, linesAtMost } from './drawn-text.js';
import classes from './long-text.module.css';

/** Each press shows as much more, or as many lines. */
const moreChars = 20_000;
const moreLines = 1_000;

interface LongTextProps {
  text: string;
  /** Characters at first. */
  first?: number;
}

/**
 * A text of any length: its beginning, and the rest step by step. Within a link, a button or a row of a table there is
 * only the beginning: where they lead has the rest.
 */
export function LongText({ text, first = drawnAtMost }: LongTextProps): ReactNode {
  const [steps, setSteps] = useState(0);
  const partOf = (n: number): string => {
    const end = Math.min(first + n * moreChars, endOfLines(text, linesAtMost + n * moreLines));
    return end < text.length ? beginningOf(text, end) : text;
  };
  const drawn = partOf(steps);
  const left = text.length - drawn.length;
  const next = left === 0 ? 0 : partOf(steps + 1).length - drawn.length;
  // Elements of this file are not bounded once more.
  return createElement(
    'span',
    null,
    drawable(drawn),
    left > 0 && '…',
    left > 0 &&
      createElement(
        'span',
        { className: classes.more },
        createElement(
          'button',
          { type: 'button', className: classes.button, onClick: () => setSteps(steps + 1) },
          left > next ? uiTexts.moreText(next, left) : uiTexts.restOfText(left),
        ),
        createElement(
          'button',
          { type: 'button', className: classes.button, onClick: () => void navigator.clipboard.writeText(text) },
          uiTexts.copyAll,
        ),
      ),
  );
}
