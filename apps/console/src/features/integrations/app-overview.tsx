import { Alert, Grid, Input, List, Skeleton, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyField } from '../../ui/copy.js';
import { FieldList } from '../../ui/facts.js';
import { LinkAnchor } from '../../ui/links.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import { AppActivity, AppSkills } from './app-activity.js';
import { AppConnection } from './app-connection.js';
import { ConnectApp } from './connect-app.js';
import { AppRenewal } from './app-renewal.js';
import { Capabilities } from './app-card.js';
import { SenderSection } from './sender-section.js';
import { SignatureSection } from './signature-section.js';
import { WebChatMailSection } from './web-chat-mail-section.js';
import { WebChatSection } from './web-chat-section.js';
import type { App } from './use-app.js';
import { canFetch, type Connection, useConnection } from './use-connection.js';
import { useIsConnecting } from './use-first-request.js';

const AppCredentials = lazy(() => import('./app-credentials.js'));

const texts = integrationTexts.app;
const sample = JSON.stringify({ text: 'Hello from a terminal' });

interface AppOverviewProps {
  app: App;
  listing: Schema<'ListingView'> | undefined;
  edit: 'channel' | 'signature' | undefined;
  onEdit: (form: 'signature' | undefined) => void;
}

export function AppOverview({ app, listing, edit, onEdit }: AppOverviewProps): ReactNode {
  // Its steps and its address are then among what leads through it.
  const connecting = useIsConnecting(app);
  const fetches = canFetch(app, listing);
  const { data: connection } = useConnection(app, fetches);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <AppComplaints app={app} connection={connection ?? null} />
          {fetches && <AppConnection app={app} />}
          {app.kind === 'adapter' && (
            <ConnectApp
              key={app.id}
              app={app}
              listing={listing}
              hasOwnWay={connection != null || listing?.web_chat === true}
            />
          )}
          {listing?.web_chat && <WebChatSection app={app} />}
          {listing?.web_chat && <WebChatMailSection app={app} />}
          {!(connecting && app.webhook_url) && (
            <Section title={texts.webhook}>
              <Webhook app={app} />
            </Section>
          )}
          {app.kind === 'builtin' && app.capabilities.includes('receive') && (
            <>
              <SenderSection app={app} />
              <SignatureSection app={app} editing={edit === 'signature'} onEdit={onEdit} />
            </>
          )}
          {app.kind === 'adapter' && (
            <Suspense fallback={<Skeleton height={160} />}>
              <AppCredentials app={app} />
            </Suspense>
          )}
          {listing?.renews_webhook && app.webhook_url && <AppRenewal app={app} />}
          <AppSkills app={app} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="md">
          <AppActivity app={app} />
          <About app={app} listing={listing} />
          {listing && listing.setup_instructions.length > 0 && !connecting && (
            <Section title={texts.setUp}>
              <List type="ordered" size="sm" spacing={4}>
                {listing.setup_instructions.map((step) => (
                  <List.Item key={step}>{step}</List.Item>
                ))}
              </List>
            </Section>
          )}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function Webhook({ app }: { app: App }): ReactNode {
  const { webhook_url: url, webhook_hidden: hidden, kind, signature, previous_token_until: until } = app;
  if (!url) return <Text c="dimmed">{hidden ? texts.noWebhook[hidden] : texts.noWebhook.does_not_receive}</Text>;
  const curl = `curl -X POST '${url}' \\\n  -H 'content-type: application/json' \\\n  -d '${sample}'`;
  return (
    <Stack gap="sm">
      <CopyField label={texts.url} value={url} />
      {until && new Date(until).getTime() > Date.now() && (
        <Text size="sm" c="dimmed">
          {texts.graceUntil} <When at={until} />
        </Text>
      )}
      {kind === 'builtin' && !signature && (
        <Input.Wrapper label={texts.curl} labelElement="div">
          <CodeBlock code={curl} label={texts.curl} />
        </Input.Wrapper>
      )}
    </Stack>
  );
}

function About({ app, listing }: { app: App; listing: Schema<'ListingView'> | undefined }): ReactNode {
  const projectId = useProjectId();
  const adapter = app.adapter_id && (
    <LinkAnchor
      to={{ to: '/p/$projectId/developer-portal/$adapterId', params: { projectId, adapterId: app.adapter_id } }}
    >
      {listing?.name ?? app.provider ?? app.adapter_id}
    </LinkAnchor>
  );
  return (
    <Section title={texts.about}>
      <FieldList
        fields={[
          [texts.adapter, adapter],
          [texts.category, listing?.category],
          [
            texts.can,
            <span key="can" style={{ display: 'inline-flex', gap: 6 }}>
              <Capabilities capabilities={app.capabilities} />
            </span>,
          ],
          [texts.installedAt, <When key="at" at={app.created_at} />],
        ]}
      />
    </Section>
  );
}

/** What stops the App from working, and what to do; nothing if it works. */
function AppComplaints({ app, connection }: { app: App; connection: Connection | null }): ReactNode {
  const { condition, renewal_failure, warnings } = app;
  // What its connection says about itself, with what to do, is not said twice.
  const isReported = connection?.error_detail != null && condition.why?.includes(connection.error_detail) === true;
  const sentences = [
    ...(condition.why && !isReported ? [condition.why] : []),
    ...(renewal_failure?.what_to_do ? [renewal_failure.what_to_do] : []),
    ...warnings.map(({ code }) => integrationTexts.warnings[code]),
  ];
  if (sentences.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" icon={<TriangleAlert size={18} aria-hidden />}>
      <List size="sm" listStyleType={sentences.length > 1 ? undefined : 'none'}>
        {sentences.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
