import { Alert, Grid, Stack } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useListings } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { credentialTexts } from '../../texts/credentials.js';
import { FieldList } from '../../ui/facts.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import { ManagedFor } from './credential-uses.js';
import { CredentialFields } from './credential-fields.js';
import { OauthSection } from './oauth-section.js';
import type { Credential } from './use-credential.js';

const texts = credentialTexts.one;

interface CredentialOverviewProps {
  credential: Credential;
  /** The result of the check that just ran. */
  verified: Schema<'VerificationView'> | undefined;
}

export function CredentialOverview({ credential, verified }: CredentialOverviewProps): ReactNode {
  const { type, adapter_slug, account, managed_for, notification_failure: failure } = credential;
  const { data: listings } = useListings();
  const provider = listings?.find(({ slug }) => slug === adapter_slug)?.name ?? adapter_slug;
  return (
    <Stack gap="md">
      {verified && <Verified verified={verified} />}
      {failure && (
        <Alert variant="light" color="yellow" icon={<TriangleAlert size={18} aria-hidden />} title={texts.notReported}>
          {failure.error} {failure.what_to_do}
        </Alert>
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            {type === 'oauth2' && <OauthSection credential={credential} />}
            <CredentialFields credential={credential} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={texts.about}>
            <FieldList
              fields={[
                [texts.type, credentialTexts.types[type]],
                [texts.provider, provider],
                [texts.account, account && (account.name ?? account.id)],
                [texts.managed, managed_for && <ManagedFor key="managed" mark={managed_for} />],
                [texts.verified, <When key="verified" at={credential.last_verified_at} />],
                [texts.changed, <When key="changed" at={credential.updated_at} />],
              ]}
            />
          </Section>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Verified({ verified }: { verified: Schema<'VerificationView'> }): ReactNode {
  const { ok, reason, code, account_changed: changed } = verified;
  return (
    <Alert
      variant="light"
      color={ok ? 'teal' : 'red'}
      icon={ok ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
      title={ok ? texts.verified_ok : (reason ?? code)}
      role="status"
    >
      {changed && texts.accountChanged}
    </Alert>
  );
}
