import { createElement, type ReactNode, useState } from 'react';
import { uiTexts } from '../texts/ui.js';
import { beginningOf, drawnAtMost, withoutTurns } from './drawn-text.js';
import classes from './long-text.module.css';

/** Each press shows as much more. */
const moreChars = 20_000;

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
  const [atMost, setAtMost] = useState(first);
  const drawn = text.length > atMost ? beginningOf(text, atMost) : text;
  const left = text.length - drawn.length;
  // Elements of this file are not bounded once more.
  return createElement(
    'span',
    null,
    withoutTurns(drawn),
    left > 0 && '…',
    left > 0 &&
      createElement(
        'span',
        { className: classes.more },
        createElement(
          'button',
          { type: 'button', className: classes.button, onClick: () => setAtMost(atMost + moreChars) },
          left > moreChars ? uiTexts.moreText(moreChars, left) : uiTexts.restOfText(left),
        ),
        createElement(
          'button',
          { type: 'button', className: classes.button, onClick: () => void navigator.clipboard.writeText(text) },
          uiTexts.copyAll,
        ),
      ),
  );
}
