import { Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import type { Schema } from '../../../../api/client.js';
import { useScope } from '../../../../api/session.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { ConfirmAction } from '../../../../ui/action-button.js';
import { CopyText } from '../../../../ui/copy.js';
import { duration } from '../../../../ui/numbers.js';
import { Facts } from '../../../../ui/facts.js';
import { ProblemAlert } from '../../../../ui/notices.js';
import { StatusBadge } from '../../../../ui/status-badge.js';
import { When } from '../../../../ui/when.js';
import { attemptsOf, type EventDetail, type Step } from '../steps.js';
import { useDeliveries } from '../use-event.js';
import { redriveDelivery, useRepair } from '../event-repair.js';

const texts = eventPageTexts.delivery;

/** Where the reply went, and every attempt. Its words are above. */
export function DeliveryPart({ event, step }: { event: EventDetail; step: Step }): ReactNode {
  const mayRead = useScope('deliveries:read');
  const { data, error, refetch } = useDeliveries(event.id, mayRead);
  const delivery = data?.find(({ id }) => id === step.subject);
  return (
    <Stack gap="sm">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      {delivery && (
        <>
          <Facts
            of={[
              [texts.to, delivery.content.target.channel_address],
              [
                texts.nextAttempt,
                delivery.state === 'queued' && delivery.lease_until && (
                  <>
                    <When at={delivery.lease_until} /> {texts.tries(delivery.attempts)}
                  </>
                ),
              ],
              [texts.expires, expiryOf(delivery) && <When at={expiryOf(delivery)} />],
              [texts.providerStatus, providerStatusOf(delivery)],
              [texts.providerId, delivery.provider_message_id && <CopyText text={delivery.provider_message_id} />],
              [texts.id, <CopyText text={delivery.id} />],
            ]}
          />
          {delivery.cut_chars > 0 && <Text size="sm">{texts.cut(delivery.cut_chars)}</Text>}
        </>
      )}
      <Attempts attempts={attemptsOf(step, event)} />
      {delivery && mayRedrive(delivery) && <Redrive eventId={event.id} id={delivery.id} />}
    </Stack>
  );
}

/** When an open delivery expires; null when it does not. */
function expiryOf({ state, open_since, content }: Schema<'DeliveryView'>): string | null {
  const { ttl_seconds: ttl } = content.target;
  if (ttl === undefined || (state !== 'queued' && state !== 'sending')) return null;
  return new Date(Date.parse(open_since) + ttl * 1_000).toISOString();
}

/** What became of it after the provider took it; a failure has its reason. */
function providerStatusOf(delivery: Schema<'DeliveryView'>): ReactNode {
  const { provider_status: status, provider_status_detail: detail, provider_status_at: at } = delivery;
  if (status === null) return null;
  return (
    <Group gap="sm">
      <StatusBadge status={status} />
      {at && <When at={at} />}
      {detail}
    </Group>
  );
}

/** Attempts in a row that ended alike are one line. */
function Attempts({ attempts }: { attempts: Schema<'AttemptsView'>[] }): ReactNode {
  return (
    <Stack gap={6} component="ol" aria-label={texts.attempts} m={0} p={0} style={{ listStyle: 'none' }}>
      {attempts.map(({ attempt, count, outcome, reason, error, from, to, text }) => (
        <Group key={`${attempt} ${outcome} ${from}`} component="li" gap="sm" fz="sm">
          {texts.attempt(attempt, count)}
          <StatusBadge status={outcome} />
          {count > 1 && (
            <Text span inherit fw={500}>
              {text}
            </Text>
          )}
          <Text span inherit c="dimmed">
            {count === 1 && `${duration(Date.parse(to) - Date.parse(from))} · `}
            <When at={to} />
          </Text>
          <Text span inherit style={{ overflowWrap: 'anywhere' }}>
            {[reason, error].filter(Boolean).join(': ')}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function mayRedrive({ state, error }: Schema<'DeliveryView'>): boolean {
  return state === 'dead' || state === 'expired' || (state === 'queued' && error !== null);
}

function Redrive({ eventId, id }: { eventId: string; id: string }): ReactNode {
  const mayWrite = useScope('deliveries:write');
  const repair = useRepair(eventId, async () => {
    await redriveDelivery(id);
    notifications.show({ message: texts.redriven });
  });
  return (
    <Group>
      <ConfirmAction
        reason={mayWrite ? null : eventPageTexts.actions.noScope}
        question={texts.redriveQuestion}
        loading={repair.isPending}
        onConfirm={() => repair.mutate()}
      >
        {texts.redrive}
      </ConfirmAction>
      <ProblemAlert error={repair.error} />
    </Group>
  );
}
