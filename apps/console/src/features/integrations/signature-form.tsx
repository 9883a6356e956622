import { Modal, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useRefresh } from '../../api/use-change.js';
import { signatureTexts } from '../../texts/app-signatures.js';
import { uiTexts } from '../../texts/ui.js';
import { AboutField } from '../../ui/about.js';
import { DialogButtons } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/notices.js';
import { generateSecret, keepSecret, linkSecret, secretOf, type Signature } from './signing-secret.js';
import { type App, saveApp, touched } from './use-app.js';

const texts = signatureTexts.secret.form;
const schemes = [
  'hmac',
  'standard-webhooks',
  'ed25519',
  'ecdsa-p256',
  'rsa',
  'jwt-hs256',
  'jwt-rs256',
  'jwt-es256',
  'secret',
  'basic',
] as const;
/** The sender has the other half of the key, so none can be made here. */
const byPublicKey: Signature['scheme'][] = ['ed25519', 'ecdsa-p256', 'rsa', 'jwt-rs256', 'jwt-es256'];
const algorithms = ['sha256', 'sha512', 'sha1'] as const;
const encodings = ['hex', 'base64'] as const;
const maxTolerance = 3_600;

interface SignatureFormProps {
  app: App;
  opened: boolean;
  onClose: () => void;
  /** A secret was created because the App had none. */
  onSecret: (secret: string) => void;
}

export default function SignatureForm({ opened, onClose, ...form }: SignatureFormProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title={texts.title} size="lg">
      <Fields {...form} onClose={onClose} />
    </Modal>
  );
}

function Fields({ app, onClose, onSecret }: Omit<SignatureFormProps, 'opened'>): ReactNode {
  const refresh = useRefresh(...touched);
  const [signature, setSignature] = useState<Signature>(() => settingsOf(app));
  const set = (part: Partial<Signature>): void => setSignature((before) => ({ ...before, ...part }));
  const save = useMutation({
    mutationFn: async () => {
      const { scheme } = signature;
      // Another scheme has other options.
      const same = scheme === app.signature?.scheme || scheme === 'hmac';
      const sent = same ? withoutEmpty(signature) : { scheme };
      if (secretOf(app)?.credential_id || byPublicKey.includes(scheme)) {
        await saveApp(app.id, { signature: sent });
        return null;
      }
      const secret = generateSecret(signature.scheme);
      await linkSecret(app, await keepSecret(app, secret), sent);
      return secret;
    },
    onSuccess: async (secret) => {
      onClose();
      if (secret) onSecret(secret);
      await refresh();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="md">
        <AboutField topic="signatures" label={texts.scheme}>
          <Select
            label={texts.scheme}
            data={schemes.map((value) => ({ value, label: texts.schemes[value] }))}
            value={signature.scheme}
            allowDeselect={false}
            onChange={(scheme) =>
              scheme && setSignature(scheme === app.signature?.scheme ? settingsOf(app) : { scheme })
            }
            data-autofocus
          />
        </AboutField>
        {signature.scheme === 'hmac' && (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" style={{ alignItems: 'end' }}>
            <TextInput
              label={texts.header}
              placeholder="x-signature-256"
              value={signature.header ?? ''}
              onChange={(event) => set({ header: event.currentTarget.value })}
            />
            <TextInput
              label={texts.prefix}
              placeholder="sha256="
              value={signature.prefix ?? ''}
              onChange={(event) => set({ prefix: event.currentTarget.value })}
            />
            <Select
              label={texts.algorithm}
              data={[...algorithms]}
              value={signature.algorithm ?? 'sha256'}
              allowDeselect={false}
              onChange={(algorithm) => algorithm && set({ algorithm })}
            />
            <Select
              label={texts.encoding}
              data={[...encodings]}
              value={signature.encoding ?? 'hex'}
              allowDeselect={false}
              onChange={(encoding) => encoding && set({ encoding })}
            />
            <TextInput
              label={texts.timestampHeader}
              description={texts.timestampHint}
              placeholder="x-timestamp"
              value={signature.timestamp_header ?? ''}
              onChange={(event) => set({ timestamp_header: event.currentTarget.value })}
            />
            <NumberInput
              label={texts.tolerance}
              min={1}
              max={maxTolerance}
              disabled={!signature.timestamp_header}
              value={signature.tolerance_seconds ?? ''}
              placeholder="300"
              onChange={(value) => set({ tolerance_seconds: typeof value === 'number' ? value : undefined })}
            />
          </SimpleGrid>
        )}
        <ProblemAlert error={save.error} />
        <DialogButtons
          action={app.signature ? uiTexts.save : signatureTexts.secret.turnOn}
          loading={save.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function settingsOf({ signature }: App): Signature {
  if (!signature) return { scheme: 'hmac' };
  const { secret_fields: _fields, ...settings } = signature;
  return settings;
}

/** Empty fields take their default. */
function withoutEmpty(signature: Signature): Signature {
  const { header, prefix, timestamp_header: timestamp, tolerance_seconds: tolerance, ...rest } = signature;
  const timed = timestamp || rest.timestamp_entry || rest.timestamp_pointer || signature.scheme === 'standard-webhooks';
  return {
    ...rest,
    ...(header && { header }),
    ...(prefix && { prefix }),
    ...(timestamp && { timestamp_header: timestamp }),
    ...(timed && tolerance && { tolerance_seconds: tolerance }),
  };
}
