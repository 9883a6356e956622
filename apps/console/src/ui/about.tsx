import { CircleQuestionMark } from 'lucide-react';
import { type KeyboardEvent, lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react';
import { useProjectId } from '../api/project-query.js';
import { uiTexts } from '../texts/ui.js';
import classes from './about.module.css';
import { docHref, type Topic, topics } from './docs/topics.js';
import { Hint } from './hint.js';

const DocDrawer = lazy(() => import('./docs/doc-drawer.js'));

/** Two of them would lie on each other: opening one closes the one before. */
let closeOpened: (() => void) | null = null;

interface AboutProps {
  topic: Topic;
  /** The name of what it explains. */
  label: string;
}

/**
 * Opens the documentation of what it stands beside. It is a link to it, so that it also works in a form of which every
 * field is disabled, and opens in a tab of its own as any link does.
 */
export function About({ topic, label }: AboutProps): ReactNode {
  const button = useRef<HTMLAnchorElement>(null);
  const [opened, setOpened] = useState(false);
  const href = docHref(useProjectId(), topics[topic]);
  const name = uiTexts.documentation(label);
  const toggle = (): void => {
    if (!opened) {
      closeOpened?.();
      closeOpened = () => setOpened(false);
    }
    setOpened(!opened);
  };
  const press = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    toggle();
  };
  const pressKey = (event: KeyboardEvent): void => {
    if (event.key !== ' ') return;
    event.preventDefault();
    toggle();
  };
  return (
    <>
      <Hint label={name}>
        <a
          className={classes.button}
          role="button"
          href={href}
          aria-label={name}
          aria-haspopup="dialog"
          aria-expanded={opened}
          ref={button}
          onClick={press}
          onKeyDown={pressKey}
        >
          <CircleQuestionMark size={15} aria-hidden />
        </a>
      </Hint>
      {opened && (
        <Suspense>
          <DocDrawer topic={topic} label={name} opener={button} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}

/** A field with its label, and the button beside the label: within it, the button would be part of the field's name. */
export function AboutField({ topic, label, children }: AboutProps & { children: ReactNode }): ReactNode {
  return (
    <div className={classes.field}>
      {children}
      <span className={classes.beside} data-label={label}>
        <About topic={topic} label={label} />
      </span>
    </div>
  );
}
