import { Anchor, CloseButton, FocusTrap, Portal, Skeleton, Text } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { type FocusEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { docsTexts } from '../../texts/docs.js';
import { ProblemAlert } from '../notices.js';
import { useDocPage } from './doc-files.js';
import { sectionOf } from './doc-page.js';
import { DocText } from './doc-text.js';
import classes from './doc-drawer.module.css';
import { docHref, type Topic, topics } from './topics.js';

interface DocDrawerProps {
  topic: Topic;
  /** Names the drawer. */
  label: string;
  opener: RefObject<HTMLElement | null>;
  onClose: () => void;
}

/** What else takes the key: an open list, another dialog. */
const takesEscape = '[aria-expanded=true], [role=dialog]';

/**
 * A section of the documentation beside what it explains. The page stays usable, so that somebody can write a filter
 * while they read about it. Over a dialog, which holds the focus, it holds it as well.
 */
export default function DocDrawer({ topic, label, opener, onClose }: DocDrawerProps): ReactNode {
  const section = topics[topic];
  const { data, error, refetch } = useDocPage(section.page);
  const panel = useRef<HTMLElement>(null);
  const overDialog = opener.current?.closest('[aria-modal=true]') instanceof Element;
  const href = docHref(useProjectId(), section);
  const close = (): void => {
    const { activeElement } = document;
    if (activeElement === document.body || panel.current?.contains(activeElement)) opener.current?.focus();
    onClose();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target, defaultPrevented } = event;
      if (key !== 'Escape' || !(target instanceof Element)) return;
      const isOurs = target === opener.current || panel.current?.contains(target);
      if (isOurs || (!defaultPrevented && !target.closest(takesEscape))) close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <Portal>
      <FocusTrap active={overDialog} innerRef={panel}>
        <section
          className={classes.panel}
          role="dialog"
          aria-label={label}
          aria-modal={overDialog || undefined}
          onFocus={leaveEscape}
        >
          <div className={classes.head}>
            <Text fw={600} flex={1}>
              {docsTexts.title}
            </Text>
            <Anchor href={href} target="_blank" size="sm" className={classes.whole}>
              {docsTexts.wholePage} <ExternalLink size={13} aria-hidden />
            </Anchor>
            <CloseButton aria-label={docsTexts.close} onClick={close} />
          </div>
          <div
            className={classes.body}
            tabIndex={0}
            role="group"
            aria-label={docsTexts.content}
            data-autofocus
            ref={takeFocus}
          >
            {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
            {data === undefined && !error && <Skeleton height={240} aria-label={docsTexts.loading} />}
            {data && <DocText nodes={sectionOf(data, section.anchor)} level={2} aside />}
          </div>
        </section>
      </FocusTrap>
    </Portal>
  );
}

/** Once, when it is there: the portal draws it after the effects of the drawer. */
const takeFocus = (body: HTMLElement | null): void => body?.focus();

/** Mantine's dialogs close on every Escape but that of elements with this mark: it is the drawer that closes. */
const leaveEscape = ({ target }: FocusEvent<HTMLElement>): void => {
  target.setAttribute('data-mantine-stop-propagation', 'true');
};
