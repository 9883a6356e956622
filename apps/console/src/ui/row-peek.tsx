import { CloseButton, Group, Text } from '@mantine/core';
import type { ToOptions } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { uiTexts } from '../texts/ui.js';
import { TextLink } from './links.js';
import classes from './row-peek.module.css';

interface RowPeekProps {
  /** The page of the row. */
  to: ToOptions | undefined;
  /** @param hadFocus nothing else on the page has the focus: it goes back to the row */
  onClose: (hadFocus: boolean) => void;
  children: ReactNode;
}

const texts = uiTexts.peek;

/** What a row is about, beside the list, in which the focus stays: its arrow keys lead to the next one. */
export default function RowPeek({ to, onClose, children }: RowPeekProps): ReactNode {
  const section = useRef<HTMLElement>(null);
  const close = (): void => {
    const { activeElement } = document;
    onClose(activeElement === document.body || section.current?.contains(activeElement) === true);
  };
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent): void => {
      if (key === 'Escape' && !(target instanceof Element && target.closest('[role=dialog]'))) close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <section className={classes.peek} aria-label={texts.label} ref={section}>
      <div className={classes.head}>
        <Text fw={500}>{texts.label}</Text>
        <Group gap="xs">
          {to && (
            <TextLink to={to} size="sm">
              {texts.open}
            </TextLink>
          )}
          <CloseButton aria-label={texts.close} onClick={close} />
        </Group>
      </div>
      <div className={classes.body} tabIndex={0} role="group" aria-label={texts.content} aria-live="polite">
        {children}
      </div>
    </section>
  );
}
