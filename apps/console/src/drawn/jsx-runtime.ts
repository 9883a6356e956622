import { createElement, type ElementType, type Key, type ReactElement, type ReactNode } from 'react';
import { Fragment, jsx as one, jsxs as several } from 'react/jsx-runtime';
import { cut, drawable, drawnAtMost, isLong, labelAtMost, reorders } from './drawn-text.js';
import { LongText } from './long-text.js';

export type { JSX } from 'react/jsx-runtime';
export { Fragment };

/**
 * Makes the elements of every page (`jsxImportSource`), and so bounds what anybody's text or name can do to the page that
 * shows it, wherever that is: a long text is drawn step by step, and no text changes the order of what stands beside it or
 * covers it
 * (decision 133).
 */
export const jsx = (type: ElementType, props: Props, key?: Key): ReactElement => one(type, bounded(props), key);
export const jsxs = (type: ElementType, props: Props, key?: Key): ReactElement => several(type, bounded(props), key);
/** What the development server calls instead. */
export const jsxDEV = (type: ElementType, props: Props, key: Key | undefined, isStatic: boolean): ReactElement =>
  (isStatic ? jsxs : jsx)(type, props, key);

/** Properties that become text, with the characters that are drawn of it. */
const textProps: readonly (readonly [name: string, atMost: number])[] = [
  ['title', labelAtMost],
  ['aria-label', labelAtMost],
  ['placeholder', labelAtMost],
  ['alt', labelAtMost],
  ['label', labelAtMost],
  ['description', drawnAtMost],
  ['error', drawnAtMost],
];

interface Props {
  children?: ReactNode;
  [name: string]: unknown;
}

function bounded(props: Props): Props {
  let changed: Props | null = null;
  for (const [name, atMost] of textProps) {
    const value = props[name];
    if (typeof value !== 'string') continue;
    const drawn = cut(drawable(value), atMost);
    if (drawn !== value) changed = { ...(changed ?? props), [name]: drawn };
  }
  const { children } = props;
  const drawn = Array.isArray(children) ? boundedList(children) : boundedChild(children);
  return drawn === children ? (changed ?? props) : { ...(changed ?? props), children: drawn };
}

function boundedList(children: readonly ReactNode[]): ReactNode {
  const drawn = children.map((child, index) =>
    typeof child === 'string' ? beside(child, index) : boundedChild(child),
  );
  return drawn.some((child, index) => child !== children[index]) ? drawn : children;
}

function boundedChild(child: ReactNode): ReactNode {
  if (typeof child === 'string') return boundedText(child);
  return Array.isArray(child) ? boundedList(child) : child;
}

const boundedText = (text: string, key?: Key): ReactNode =>
  isLong(text) ? createElement(LongText, { text, key }) : drawable(text);

/** A text with others beside it. */
function beside(text: string, key: Key): ReactNode {
  const drawn = boundedText(text, key);
  return reorders(text) ? createElement('bdi', { key }, drawn) : drawn;
}
