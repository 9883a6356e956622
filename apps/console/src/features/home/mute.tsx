import { Button, Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { type AttentionItem, unmuteCause } from '../../api/attention.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { homeTexts } from '../../texts/home.js';
import { LaterPopover } from '../../ui/later.js';

const texts = homeTexts.attention;
const MuteChoice = lazy(() => import('./mute-choice.js'));

/** Ends that somebody is called about it, for a time: about this alone, or about everything of a rule. */
export function Mute({ item }: { item: AttentionItem }): ReactNode {
  const may = useScope('alerts:write');
  const unmute = useChange(() => unmuteCause(item.cause), 'events');
  if (!may) return null;
  if (item.muted_until !== null)
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        loading={unmute.isPending}
        onClick={() => unmute.mutate()}
      >
        {texts.unmute}
      </Button>
    );
  return (
    <LaterPopover
      label={texts.mute(item.text)}
      position="bottom-end"
      withArrow
      button={(onPress) => (
        <Button size="compact-sm" variant="subtle" color="gray" aria-label={texts.mute(item.text)} onClick={onPress}>
          {texts.muteWhat}
        </Button>
      )}
    >
      {(close) => (
        <Suspense fallback={<Skeleton width={320} height={120} />}>
          <MuteChoice item={item} onDone={close} />
        </Suspense>
      )}
    </LaterPopover>
  );
}
