import { Anchor, Button, Input, Progress, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { useApps } from '../../api/choices.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { homeTexts } from '../../texts/home.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyField } from '../../ui/copy.js';
import { ProblemAlert } from '../../ui/notices.js';
import { ProjectLink } from '../../ui/links.js';
import { Section } from '../../ui/page.js';
import { Step } from '../../ui/step.js';
import { modelQuestion, verificationQuestion } from './questions.js';
import { InstallWebhook, SendSample, VerifyApp } from './first-steps.js';

const texts = homeTexts.checklist;

/** From an empty project to an answered message, without reading documentation. */
export function FirstMinutes({ newest }: { newest: Schema<'EventView'>[] }): ReactNode {
  const projectId = useProjectId();
  const { data: apps, error } = useApps();
  const { data: verified = false } = useProjectQuery(...verificationQuestion);
  const model = useModel();
  const [kept, setKept] = useRemembered(`rehearsal-kept-${projectId}`);
  const [hidden, setHidden] = useRemembered(`first-minutes-hidden-${projectId}`);
  // Retention deletes the events that the steps are recognised by.
  const [finished, setFinished] = useRemembered(`first-minutes-done-${projectId}`);
  const webhook = apps?.find(({ kind }) => kind === 'builtin');
  const messages = newest.filter(({ outcome }) => outcome !== 'verification');
  const [event] = messages;
  const signed = webhook?.signature != null;
  const modelChosen = kept || model?.mode === 'connected';
  // Not only the newest: it may be on its way, or wait for something that is down.
  const processed = messages.some(({ outcome }) => outcome !== null);
  const done = [event !== undefined, processed, signed, verified, modelChosen];
  const count = done.filter(Boolean).length;
  const complete = count === done.length;
  useEffect(() => {
    if (complete) setFinished(true);
  }, [complete, setFinished]);
  if (error) return <ProblemAlert error={error} />;
  if (!apps || hidden || finished || complete) return null;
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
            <InstallWebhook />
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

/** Whether this browser remembers it. Known at the first drawing, so that nothing appears only to go away. */
const useRemembered = (key: string) => useLocalStorage({ key, defaultValue: false, getInitialValueInEffect: false });

const watchLink = (id: string): ReactNode => <ProjectLink path={`/events/${id}`}>{texts.watchAction}</ProjectLink>;

const command = 'MODEL_BASE_URL=https://api.openai.com/v1 MODEL_NAME=gpt-5-mini MODEL_API_KEY=… npm start';

function useModel(): Schema<'ModelSettingsView'> | undefined {
  return useProjectQuery(...modelQuestion).data;
}

/** How to connect a model, which is a setting of the installation; or how to continue without one. */
function ModelStep({ model, onKeep }: { model: Schema<'ModelSettingsView'>; onKeep: () => void }): ReactNode {
  if (model.mode === 'connected') return null;
  return (
    <Stack gap="sm" align="flex-start">
      <div style={{ width: '100%' }}>
        <CodeBlock code={command} label={texts.modelCommand} />
      </div>
      <Button variant="default" onClick={onKeep}>
        {texts.keepRehearsal}
      </Button>
    </Stack>
  );
}

/** The webhook URL, and a command that sends to it. @param url null: this person may not see it */
function WebhookAddress({ url }: { url: string | null }): ReactNode {
  if (!url) return <Text c="dimmed">{texts.hiddenUrl}</Text>;
  const body = JSON.stringify({ text: texts.sample });
  const curl = `curl -X POST '${url}' \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`;
  return (
    <Stack gap="sm">
      <CopyField label={texts.url} value={url} />
      <Input.Wrapper label={texts.curl} labelElement="div">
        <CodeBlock code={curl} label={texts.curl} />
      </Input.Wrapper>
    </Stack>
  );
}
