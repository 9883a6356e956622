import { Button, Group, Modal, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FolderPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useSession } from '../../api/session.js';
import { useSessionChange } from '../../api/use-change.js';
import { named } from '../../drawn/drawn-text.js';
import { settingsTexts } from '../../texts/settings.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { NameForm, Rename } from './name-form.js';
import { ProjectLimits } from './project-limits.js';

const texts = settingsTexts.projects;

interface Project {
  id: string;
  name: string;
  closed_at?: string | null;
}

/** The organization's projects: create, rename, close, reopen, switch. */
export function ProjectList(): ReactNode {
  const { projects } = useSession();
  const reason = useReason('projects:write');
  const [adding, setAdding] = useState(false);
  return (
    <Section
      title={texts.title}
      flush
      actions={
        <ActionButton
          size="compact-sm"
          leftSection={<FolderPlus size={14} aria-hidden />}
          reason={reason}
          onClick={() => setAdding(true)}
        >
          {texts.create}
        </ActionButton>
      }
    >
      <RowList>
        {projects.map((project) => (
          <ProjectRow key={project.id} project={project} reason={reason} />
        ))}
      </RowList>
      <NameForm
        opened={adding}
        title={texts.create}
        label={texts.name}
        action={texts.createAction}
        save={(name) => answer(api.POST('/api/v1/projects', { body: { name } }))}
        onClose={() => setAdding(false)}
      />
    </Section>
  );
}

function ProjectRow({ project, reason }: { project: Project; reason: string | null }): ReactNode {
  const { id, name, closed_at } = project;
  const projectId = useProjectId();
  const [renaming, setRenaming] = useState(false);
  const [limiting, setLimiting] = useState(false);
  const params = { path: { id } };
  const close = useSessionChange(() => answer(api.POST('/api/v1/projects/{id}/close', { params })));
  const reopen = useSessionChange(() => answer(api.POST('/api/v1/projects/{id}/reopen', { params })));
  return (
    <ListRow>
      <Group gap="xs" flex={1} miw={180}>
        <Text fw={500}>{name}</Text>
        {closed_at && <StatusBadge status="closed" />}
        {id === projectId && (
          <Text size="sm" c="dimmed">
            {texts.here}
          </Text>
        )}
      </Group>
      <Group gap="xs">
        {id !== projectId && (
          <Button
            size="compact-sm"
            variant="default"
            renderRoot={(props) => <Link {...props} to="/p/$projectId" params={{ projectId: id }} />}
          >
            {texts.switch}
          </Button>
        )}
        <ActionButton size="compact-sm" variant="default" reason={reason} onClick={() => setRenaming(true)}>
          {texts.rename}
        </ActionButton>
        <ActionButton size="compact-sm" variant="default" reason={reason} onClick={() => setLimiting(true)}>
          {texts.limits.title}
        </ActionButton>
        {closed_at ? (
          <ActionButton
            size="compact-sm"
            variant="default"
            reason={reason}
            loading={reopen.isPending}
            onClick={() => reopen.mutate()}
          >
            {texts.reopen}
          </ActionButton>
        ) : (
          <ConfirmAction
            size="compact-sm"
            reason={reason}
            loading={close.isPending}
            question={texts.closeQuestion(name)}
            onConfirm={() => close.mutate()}
          >
            {texts.close}
          </ConfirmAction>
        )}
      </Group>
      <ProblemAlert error={close.error ?? reopen.error} />
      <Modal opened={renaming} onClose={() => setRenaming(false)} title={texts.rename} centered>
        <Rename
          label={texts.name}
          name={name}
          save={(next) => answer(api.PATCH('/api/v1/projects/{id}', { params, body: { name: next } }))}
          onSaved={() => setRenaming(false)}
        />
      </Modal>
      <Modal
        opened={limiting}
        onClose={() => setLimiting(false)}
        title={`${texts.limits.title}: ${named(name)}`}
        centered
      >
        <ProjectLimits id={id} onSaved={() => setLimiting(false)} />
      </Modal>
    </ListRow>
  );
}
