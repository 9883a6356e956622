import { Checkbox, Group, List, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { own } from '../../own.js';
import { integrationTexts } from '../../texts/integrations.js';
import { DialogButtons } from '../../ui/dialog.js';
import { NameField } from '../../ui/name-field.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { CredentialSelect } from './credential-select.js';
import { touched } from './use-app.js';

const texts = integrationTexts.installing;
type Capability = 'send' | 'receive';

interface InstallAppProps {
  /** Undefined: nothing is being installed. */
  listing: Schema<'ListingView'> | undefined;
  onClose: () => void;
}

export function InstallApp({ listing, onClose }: InstallAppProps): ReactNode {
  return (
    <Modal opened={listing !== undefined} onClose={onClose} title={texts.title(listing?.name ?? '')} size="lg">
      {listing && <InstallForm listing={listing} onClose={onClose} />}
    </Modal>
  );
}

function InstallForm({ listing, onClose }: { listing: Schema<'ListingView'>; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const [name, setName] = useState(listing.name);
  const [capabilities, setCapabilities] = useState<Capability[]>(listing.capabilities);
  const [credentials, setCredentials] = useState<Record<string, string>>({});
  const install = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/listings/{slug}/install', {
          params: { path: { slug: listing.slug } },
          body: { name, capabilities, ...(Object.keys(credentials).length > 0 && { credentials }) },
        }),
      ),
    onSuccess: async ({ id }) => {
      await refresh();
      await navigate({ to: '/p/$projectId/integrations/$appId', params: { projectId, appId: id } });
    },
  });
  const choose = (key: string, id: string | null): void => {
    const { [key]: _before, ...others } = credentials;
    setCredentials(id ? { ...others, [key]: id } : others);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        install.mutate();
      }}
    >
      <Stack gap="md">
        {listing.setup_instructions.length > 0 && (
          <List type="ordered" size="sm" aria-label={texts.steps}>
            {listing.setup_instructions.map((step) => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
        )}
        <NameField first description={texts.nameHint} value={name} error={install.error} onChange={setName} />
        {listing.capabilities.length > 1 && (
          <Checkbox.Group
            label={texts.capabilities}
            value={capabilities}
            onChange={(chosen) => setCapabilities(listing.capabilities.filter((one) => chosen.includes(one)))}
          >
            <Group mt={6}>
              {listing.capabilities.map((one) => (
                <Checkbox key={one} value={one} label={integrationTexts.capabilities[one]} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        {listing.credentials.map(({ key, type, label, required }) => (
          <CredentialSelect
            key={key}
            type={type}
            label={label}
            required={required !== false}
            value={own(credentials, key) ?? null}
            onChange={(id) => choose(key, id)}
            error={fieldError(install.error, `credentials.${key}`)}
          />
        ))}
        <ProblemAlert error={errorBeside(install.error, ['name'])} />
        <DialogButtons
          action={texts.submit}
          loading={install.isPending}
          disabled={capabilities.length === 0}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
