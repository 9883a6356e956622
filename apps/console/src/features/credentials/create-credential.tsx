import { Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useListings } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { ApiProblem } from '../../api/problem.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { credentialTexts } from '../../texts/credentials.js';
import { AboutField } from '../../ui/about.js';
import { DialogButtons } from '../../ui/dialog.js';
import { NameField } from '../../ui/name-field.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { fieldsOf, type FieldValue, FieldValues, firstFields } from './field-values.js';
import { touched } from './use-credential.js';

const texts = credentialTexts.form;
type Type = Schema<'CredentialView'>['type'];
type Grant = NonNullable<Schema<'CredentialView'>['grant']>;
const types = ['api_key', 'oauth2', 'text'] as const satisfies readonly Type[];
const grants = ['authorization_code', 'client_credentials'] as const satisfies readonly Grant[];

interface CreateCredentialProps {
  /** The id of the adapter that the credential is for. */
  forAdapter: string | undefined;
  /** The App that is linked to it, under that key, and whose page opens afterwards; null: none. */
  linkTo: LinkTo | null;
  onClose: () => void;
}

interface LinkTo {
  app: string;
  as: string;
}

export function CreateCredential({ forAdapter, linkTo, onClose }: CreateCredentialProps): ReactNode {
  const { data: listings } = useListings();
  if (!listings) return null;
  const slug = listings.find(({ adapter }) => adapter && adapter.id === forAdapter)?.slug ?? null;
  return <Form key={slug} slug={slug} listings={listings} linkTo={linkTo} onClose={onClose} />;
}

interface FormProps {
  slug: string | null;
  listings: Schema<'ListingView'>[];
  linkTo: LinkTo | null;
  onClose: () => void;
}

function Form({ slug: first, listings, linkTo, onClose }: FormProps): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const mayListApps = useScope('apps:read');
  const listingOf = (slug: string | null) => listings.find((listing) => listing.slug === slug);
  const [slug, setSlug] = useState(first);
  const [name, setName] = useState(listingOf(first)?.name ?? '');
  const wanted = listingOf(first)?.credentials ?? [];
  const [type, setType] = useState<Type>(
    (wanted.find(({ key }) => key === linkTo?.as) ?? wanted[0])?.type ?? 'api_key',
  );
  const [grant, setGrant] = useState<Grant>('authorization_code');
  const declared = listingOf(slug)?.credentials.filter((declaration) => declaration.type === type) ?? [];
  const [fields, setFields] = useState<FieldValue[]>(() => firstFields(type, declared));
  const chooseType = (next: Type): void => {
    setType(next);
    setFields(firstFields(next, listingOf(slug)?.credentials.filter((one) => one.type === next) ?? []));
  };
  const create = useMutation({
    mutationFn: async () => {
      const made = await answer(
        api.POST('/api/v1/credentials', {
          body: { name, type, adapter_slug: slug, ...(type === 'oauth2' && { grant }), fields: fieldsOf(fields) },
        }),
      );
      if (type === 'oauth2' && slug) await setProvider(made.id, slug);
      return { id: made.id, linked: linkTo !== null && (await isLinked(linkTo, made.id)) };
    },
    onSuccess: async ({ id, linked }) => {
      await refresh();
      if (linked && linkTo) {
        await navigate({ to: '/p/$projectId/integrations/$appId', params: { projectId, appId: linkTo.app } });
        return;
      }
      await navigate({ to: '/p/$projectId/credentials/$credentialId', params: { projectId, credentialId: id } });
    },
  });
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack gap="md">
        <NameField first value={name} error={create.error} onChange={setName} />
        {mayListApps && (
          <Select
            label={texts.adapter}
            description={texts.adapterHint}
            data={listings
              .filter(({ kind, adapter }) => kind === 'adapter' && adapter !== null)
              .map((one) => ({ value: one.slug, label: one.name }))}
            placeholder={texts.adapterNone}
            value={slug}
            clearable
            searchable
            error={fieldError(create.error, 'adapter_slug')}
            onChange={(chosen) => {
              setSlug(chosen);
              const others = listingOf(chosen)?.credentials ?? [];
              const next = others[0]?.type ?? type;
              setType(next);
              setFields(
                firstFields(
                  next,
                  others.filter((one) => one.type === next),
                ),
              );
            }}
          />
        )}
        <AboutField topic="credentialTypes" label={texts.type}>
          <Select
            label={texts.type}
            description={texts.typeHint[type]}
            data={types.map((value) => ({ value, label: credentialTexts.types[value] }))}
            value={type}
            allowDeselect={false}
            onChange={(chosen) => chosen && chooseType(chosen)}
          />
        </AboutField>
        {type === 'oauth2' && (
          <Select
            label={texts.grant}
            data={grants.map((value) => ({ value, label: texts.grants[value] }))}
            value={grant}
            allowDeselect={false}
            onChange={(chosen) => chosen && setGrant(chosen)}
          />
        )}
        <FieldValues type={type} fields={fields} onChange={setFields} error={create.error} />
        <ProblemAlert
          error={errorBeside(create.error, [
            'name',
            'adapter_slug',
            ...fields.map(({ name: field }) => `fields.${field}`),
          ])}
        />
        <DialogButtons action={texts.submit} loading={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** Links the App to it. A refusal leaves a credential that is not linked, which its own page shows. */
async function isLinked({ app, as }: LinkTo, id: string): Promise<boolean> {
  try {
    await answer(
      api.PATCH('/api/v1/apps/{id}', { params: { path: { id: app } }, body: { credentials: { [as]: id } } }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return false;
  }
}

/**
 * Sets the provider so that the page shows the redirect URI before anybody connects. What the provider still lacks is
 * reported on connecting.
 */
async function setProvider(id: string, provider: string): Promise<void> {
  try {
    await answer(api.PUT('/api/v1/credentials/{id}/oauth', { params: { path: { id } }, body: { provider } }));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
  }
}
