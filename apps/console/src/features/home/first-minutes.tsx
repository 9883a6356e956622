import { Anchor, Progress, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { homeTexts } from '../../texts/home.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { ProjectLink } from '../../ui/project-link.js';
import { Section } from '../../ui/section.js';
import { ModelStep, useModel } from './model-step.js';
import { verificationQuestion } from './questions.js';
import { SendSample } from './send-sample.js';
import { Step } from './step.js';
import { VerifyApp } from './verify-app.js';
import { WebhookAddress } from './webhook-address.js';

const texts = homeTexts.checklist;

/** From an empty project to a message that was answered, without a word of documentation. */
export function FirstMinutes({ newest }: { newest: Schema<'EventView'>[] }): ReactNode {
  const projectId = useProjectId();
  const { data: apps, error } = useApps();
  const { data: verified = false } = useProjectQuery(...verificationQuestion);
  const model = useModel();
  const [kept, setKept] = useLocalStorage({ key: `rehearsal-kept-${projectId}`, defaultValue: false });
  const [hidden, setHidden] = useLocalStorage({ key: `first-minutes-hidden-${projectId}`, defaultValue: false });
  if (error) return <ProblemAlert error={error} />;
  if (!apps || hidden) return null;
  const webhook = apps.find(({ kind }) => kind === 'builtin');
  const event = newest.find(({ outcome }) => outcome !== 'verification');
  const signed = webhook?.signature != null;
  const modelChosen = kept || model?.mode === 'connected';
  const done = [event !== undefined, event?.outcome != null, signed, verified, modelChosen];
  const count = done.filter(Boolean).length;
  if (count === done.length) return null;
  const [sent, walked] = done;
  return (
    <Section
      title={texts.title}
      actions={
        <Anchor component="button" type="button" size="sm" c="dimmed" onClick={() => setHidden(true)}>
          {texts.hide}
        </Anchor>
      }
    >
      <Text size="sm" c="dimmed" mb={6}>
        {texts.progress(count, done.length)}
      </Text>
      <Progress value={(count / done.length) * 100} size="sm" mb="lg" aria-label={texts.progress(count, done.length)} />
      <Stack gap="lg" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        <Step number={1} done={sent === true} title={texts.send} text={texts.sendText}>
          {webhook ? (
            <Stack gap="sm">
              <SendSample appId={webhook.id} />
              <WebhookAddress url={webhook.webhook_url} />
            </Stack>
          ) : (
            <Text c="dimmed">{texts.noWebhookApp}</Text>
          )}
        </Step>
        <Step
          number={2}
          done={walked === true}
          title={texts.watch}
          text={texts.watchText}
          link={event && watchLink(event.id)}
        />
        <Step
          number={3}
          done={signed}
          title={texts.sign}
          text={texts.signText}
          link={webhook && <ProjectLink path={`/integrations/${webhook.id}`}>{texts.signAction}</ProjectLink>}
        />
        <Step number={4} done={verified} title={texts.verify} text={texts.verifyText}>
          {webhook && <VerifyApp appId={webhook.id} />}
        </Step>
        <Step number={5} done={modelChosen} title={texts.model} text={model && texts.modelText[model.mode]}>
          {model && <ModelStep model={model} onKeep={() => setKept(true)} />}
        </Step>
      </Stack>
    </Section>
  );
}

const watchLink = (id: string): ReactNode => <ProjectLink path={`/events/${id}`}>{texts.watchAction}</ProjectLink>;
