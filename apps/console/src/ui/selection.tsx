import { type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { uiTexts } from '../texts/ui.js';
import classes from './many.module.css';

export interface Selection<Row> {
  /** Those of the rows that are chosen, in their order. */
  chosen: Row[];
  has: (key: string) => boolean;
  /** @param range also those between it and the one before */
  toggle: (key: string, range: boolean) => void;
  drop: (key: string) => void;
  all: (chosen: boolean) => void;
  /** Whether anything was chosen yet. */
  touched: boolean;
}

/** Which rows of a list are chosen. One that leaves the list counts again when it comes back. */
export function useSelection<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [touched, setTouched] = useState(false);
  const last = useRef<string | null>(null);
  const change = (edit: (next: Set<string>) => void): void => {
    setTouched(true);
    setKeys((before) => {
      const next = new Set(before);
      edit(next);
      return next;
    });
  };
  const toggle = (key: string, range: boolean): void => {
    const order = rows.map(keyOf);
    const [from, to] = [order.indexOf(last.current ?? key), order.indexOf(key)].sort((a, b) => a - b);
    const between = range && from !== undefined && from >= 0 && to !== undefined ? order.slice(from, to + 1) : [key];
    const isChosen = keys.has(key);
    last.current = key;
    change((next) => {
      for (const one of between) {
        if (isChosen) next.delete(one);
        else next.add(one);
      }
    });
  };
  return {
    chosen: rows.filter((row) => keys.has(keyOf(row))),
    has: (key) => keys.has(key),
    toggle,
    drop: (key) => change((next) => next.delete(key)),
    all: (chosen) =>
      change((next) => {
        next.clear();
        if (chosen) for (const row of rows) next.add(keyOf(row));
      }),
    touched,
  };
}

export interface SelectBoxProps {
  /** Of what. */
  name: string;
  checked: boolean;
  onToggle: (range: boolean) => void;
  /** Within a list whose rows have the focus. */
  tabIndex?: number;
}

/** Chooses one of a list; with the Shift key, also those between it and the last one. */
export function SelectBox({ name, checked, onToggle, tabIndex }: SelectBoxProps): ReactNode {
  return (
    <input
      type="checkbox"
      className={classes.box}
      aria-label={uiTexts.many.select(name)}
      checked={checked}
      tabIndex={tabIndex}
      onChange={() => undefined}
      onClick={(event: MouseEvent) => onToggle(event.shiftKey)}
    />
  );
}
