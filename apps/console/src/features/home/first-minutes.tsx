import { Anchor, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/types.js';
import { homeTexts } from '../../texts/home.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { Step } from './step.js';
import { SendSample } from './send-sample.js';
import { VerifyApp } from './verify-app.js';
import { WebhookAddress } from './webhook-address.js';

const texts = homeTexts.checklist;

/** From an empty project to a message that was worked off, without a word of documentation. */
export function FirstMinutes({ newest }: { newest: Schema<'EventView'>[] }): ReactNode {
  const projectId = useProjectId();
  const { data: apps, error } = useApps();
  if (error) return <ProblemAlert error={error} />;
  const webhook = apps?.find(({ kind }) => kind === 'builtin');
  if (!apps) return null;
  const event = newest[0];
  const received = event !== undefined;
  const walked = event?.outcome != null;
  const signed = webhook?.signature != null;
  const done = [true, webhook?.webhook_url != null, received, walked, signed];
  const count = done.filter(Boolean).length;
  if (count === done.length) return null;
  return (
    <Section
      title={texts.title}
      actions={
        <Text size="sm" c="dimmed">
          {texts.progress(count, done.length)}
        </Text>
      }
    >
      <Progress value={(count / done.length) * 100} size="sm" mb="lg" aria-label={texts.progress(count, done.length)} />
      <Stack gap="lg" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        <Step done title={texts.open} />
        <Step done={webhook?.webhook_url != null} title={texts.webhook} text={texts.webhookText}>
          {webhook ? <WebhookAddress url={webhook.webhook_url} /> : <Text c="dimmed">{texts.noWebhookApp}</Text>}
        </Step>
        <Step done={received} title={texts.send} text={texts.sendText}>
          {webhook?.webhook_url && <SendSample url={webhook.webhook_url} signed={signed} />}
        </Step>
        <Step done={walked} title={texts.watch} text={texts.watchText}>
          {event && (
            <Anchor
              renderRoot={(props) => (
                <Link {...props} to="/p/$projectId/events/$eventId" params={{ projectId, eventId: event.id }} />
              )}
            >
              {texts.watchAction}
            </Anchor>
          )}
        </Step>
        <Step done={signed} title={texts.sign} text={texts.signText} />
        {webhook && (
          <Step done={false} title={texts.verify} text={texts.verifyText}>
            <VerifyApp appId={webhook.id} />
          </Step>
        )}
      </Stack>
    </Section>
  );
}
