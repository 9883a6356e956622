import { Alert, Button, Group, List, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { own } from '../../own.js';
import { checkTexts } from '../../texts/app-checks.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CopyField } from '../../ui/copy.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { Step } from '../../ui/step.js';
import { type App, saveApp, touched } from './use-app.js';
import { useFirstRequest, useIsConnecting } from './use-first-request.js';

const texts = integrationTexts.connect;

type Declared = Schema<'AppCredentialView'>;
/** An account is connected at its provider, not pasted. */
const isPasted = ({ type, credential_id: id }: Declared): boolean => type !== 'oauth2' && id === null;

interface AppProps {
  app: App;
  listing: Schema<'ListingView'> | undefined;
}

interface ConnectAppProps extends AppProps {
  /** Its messages come another way than to its address: they are fetched, or written in a chat. */
  hasOwnWay: boolean;
}

/** From an installed App to its provider's first request, on one page. Nothing once it is connected. */
export function ConnectApp({ app, listing, hasOwnWay }: ConnectAppProps): ReactNode {
  const request = useFirstRequest(app);
  const { webhook_url: url } = app;
  // What has just been connected stays in view, with what Verify found.
  const [begun, setBegun] = useState(false);
  const pasted = !app.credentials.some(({ required, credential_id: id }) => required && id === null);
  const connecting = useIsConnecting(app);
  if (request.state === 'unknown' || !(connecting || begun)) return null;
  const instructions = listing?.setup_instructions ?? [];
  return (
    <Section title={texts.title(listing?.name ?? app.name)}>
      <Stack gap="lg" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {url !== null && (
          <Step number={1} done={request.state !== 'none'} title={hasOwnWay ? texts.setUp : texts.address}>
            <Stack gap="sm">
              {!hasOwnWay && <CopyField label={integrationTexts.app.url} value={url} />}
              {instructions.length > 0 && (
                <List type="ordered" size="sm" spacing={4}>
                  {instructions.map((step) => (
                    <List.Item key={step}>{step}</List.Item>
                  ))}
                </List>
              )}
            </Stack>
          </Step>
        )}
        {app.credentials.length > 0 && (
          <Step number={url === null ? 1 : 2} done={pasted} title={texts.paste} keepOpen={begun}>
            <PasteCredentials app={app} listing={listing} onBegin={() => setBegun(true)} />
          </Step>
        )}
        {url !== null && (
          <Step
            number={app.credentials.length > 0 ? 3 : 2}
            done={request.state === 'accepted'}
            title={hasOwnWay ? texts.firstMessage : texts.first}
            text={
              request.state === 'refused'
                ? texts.refused(request.reason)
                : hasOwnWay
                  ? texts.waitsForMessage
                  : texts.waits
            }
          />
        )}
      </Stack>
    </Section>
  );
}

interface PasteProps extends AppProps {
  onBegin: () => void;
}

/** Pasted values are saved, linked to the App and verified in one go. */
function PasteCredentials({ app, listing, onBegin }: PasteProps): ReactNode {
  const may = useScope('credentials:write');
  const mayLink = useScope('apps:write');
  const refresh = useRefresh(...touched, 'credentials');
  const wanted = app.credentials.filter(isPasted);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  /** What was saved before a later step failed: a second attempt does not save it again. */
  const saved = useRef(new Map<string, string>());
  const connect = useMutation({
    mutationFn: async () => {
      for (const declared of wanted) {
        const value = own(values, declared.key);
        if (value && !saved.current.has(declared.key)) {
          saved.current.set(declared.key, await savedAs(app, declared, value, listing?.slug ?? null));
        }
      }
      if (saved.current.size > 0) await saveApp(app.id, { credentials: Object.fromEntries(saved.current) });
      return answer(api.POST('/api/v1/apps/{id}/verify', { params: { path: { id: app.id } } }));
    },
    onMutate: onBegin,
    onSettled: refresh,
  });
  if (!may || !mayLink) return <Text size="sm">{texts.cannot}</Text>;
  const isWhole = wanted.every(({ key, required }) => !required || own(values, key));
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate();
      }}
    >
      <Stack gap="sm">
        {wanted.map(({ key, label, required }) => (
          <PasswordInput
            key={key}
            label={label}
            required={required}
            maw={460}
            autoComplete="new-password"
            value={own(values, key) ?? ''}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, [key]: value }));
              saved.current.delete(key);
            }}
          />
        ))}
        {wanted.length > 0 && (
          <Group>
            <Button type="submit" loading={connect.isPending} disabled={!isWhole}>
              {texts.connect}
            </Button>
          </Group>
        )}
        <ProblemAlert error={connect.error} />
        {connect.data && <Verified found={connect.data} />}
      </Stack>
    </form>
  );
}

async function savedAs(
  app: App,
  { label, type, maps_to }: Declared,
  value: string,
  slug: string | null,
): Promise<string> {
  const fields = { [type === 'api_key' ? 'token' : maps_to]: value };
  const body = { name: `${app.name}: ${label}`.slice(0, longestName), type, adapter_slug: slug, fields };
  return (await answer(api.POST('/api/v1/credentials', { body }))).id;
}

const longestName = 100;

function Verified({ found }: { found: Schema<'VerifiedAppView'> }): ReactNode {
  const failed = found.checks.filter(({ status }) => status === 'failed');
  const { passed, failed: count } = checkTexts.verify;
  const Icon = found.passed ? CircleCheck : TriangleAlert;
  return (
    <Alert
      variant="light"
      color={found.passed ? 'teal' : 'red'}
      icon={<Icon size={18} aria-hidden />}
      title={found.passed ? passed : count(failed.length)}
      role="status"
    >
      <List size="sm">
        {failed.map(({ id, sentence, what_to_do }) => (
          <List.Item key={id}>
            {sentence} {what_to_do}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
