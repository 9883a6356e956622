import { Button, Group, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, useState } from 'react';
import { useScope } from '../../api/session.js';
import { signatureTexts } from '../../texts/app-signatures.js';
import { integrationTexts } from '../../texts/integrations.js';
import { About } from '../../ui/about.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { OnceOpened } from '../../ui/later.js';
import { ProblemAlert } from '../../ui/notices.js';
import { SecretOnce } from '../../ui/secret-once.js';
import { Section } from '../../ui/page.js';
import { SecretRotation } from './secret-rotation.js';
import { type App, useAppChange } from './use-app.js';

const SignatureForm = lazy(() => import('./signature-form.js'));

const texts = signatureTexts.secret;

interface SignatureSectionProps {
  app: App;
  editing: boolean;
  onEdit: (form: 'signature' | undefined) => void;
}

/** Whether requests must be signed, how, and with which secret. */
export function SignatureSection({ app, editing, onEdit }: SignatureSectionProps): ReactNode {
  const may = useScope('apps:write') && useScope('credentials:write');
  const change = useAppChange(app.id);
  const [secret, setSecret] = useState<string | null>(null);
  const { signature } = app;
  return (
    <Section
      title={texts.title}
      mark={<About topic="signatures" label={texts.title} />}
      actions={
        may && (
          <Group gap="xs">
            {signature && (
              <ConfirmButton
                size="compact-sm"
                question={texts.turnOffQuestion}
                loading={change.isPending}
                onConfirm={() => change.mutate({ signature_off: true })}
              >
                {texts.turnOff}
              </ConfirmButton>
            )}
            <Button size="compact-sm" variant={signature ? 'default' : 'filled'} onClick={() => onEdit('signature')}>
              {signature ? texts.change : texts.turnOn}
            </Button>
          </Group>
        )
      }
    >
      <Stack gap="md">
        <Text>{signature ? texts.on(schemeOf(signature)) : texts.off}</Text>
        {signature && <SecretRotation app={app} scheme={signature.scheme} onSecret={setSecret} />}
        <ProblemAlert error={change.error} />
        {!may && <Text size="sm">{integrationTexts.cannotChange}</Text>}
      </Stack>
      {may && (
        <OnceOpened opened={editing}>
          <SignatureForm app={app} opened={editing} onClose={() => onEdit(undefined)} onSecret={setSecret} />
        </OnceOpened>
      )}
      <SecretOnce title={texts.shownTitle} label={texts.secret} secret={secret} onDone={() => setSecret(null)} />
    </Section>
  );
}

function schemeOf({ scheme, algorithm = 'sha256', header }: NonNullable<App['signature']>): string {
  return scheme === 'hmac' ? texts.hmac(algorithm, header ?? 'x-signature-256') : texts.form.schemes[scheme];
}
