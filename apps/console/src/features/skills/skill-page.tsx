import { Alert, Badge, Button, Skeleton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Download, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api, saveFile, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { skillTexts } from '../../texts/skills.js';
import { uiTexts } from '../../texts/ui.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { useEditor } from '../../ui/use-editor.js';
import { SkillCredentials } from './skill-credentials.js';
import { SkillEffect } from './skill-effect.js';
import { skillFields, SkillKnowledge, valuesOf } from './skill-knowledge.js';
import { SkillTools } from './skill-tools.js';
import { SkillVersions } from './skill-versions.js';
import { zip } from './zip.js';

const route = getRouteApi('/p/$projectId/skills/$skillId');

export function SkillPage(): ReactNode {
  const { projectId, skillId } = route.useParams();
  const { data, error, refetch } = useProjectQuery(['skills', skillId], (signal) =>
    answerWithEtag(api.GET('/api/v1/skills/{id}', { params: { path: { id: skillId } }, signal })),
  );
  const skill = data?.data;
  return (
    <Page
      title={skill?.name ?? skillTexts.title}
      mark={
        skill && (
          <Badge variant="default" radius="sm" tt="none" fw={500}>
            {skillTexts.origins[skill.origin]}
          </Badge>
        )
      }
      description={skill?.description}
      breadcrumbs={[{ label: skillTexts.title, to: { to: '/p/$projectId/skills', params: { projectId } } }]}
      actions={
        skill && (
          <>
            {skill.origin === 'person' && <DeleteSkill id={skill.id} />}
            <ExportSkill id={skill.id} name={skill.name} />
          </>
        )
      }
    >
      {error && !skill && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!skill && !error && <Skeleton height={420} />}
      {data && <SkillEditor key={skillId} skill={data.data} etag={data.etag} />}
    </Page>
  );
}

function DeleteSkill({ id }: { id: string }): ReactNode {
  const may = useScope('tools:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('skills', 'agents', 'tools');
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/skills/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/skills', params: { projectId } });
      await refresh();
    },
  });
  if (!may) return null;
  return (
    <>
      <ConfirmButton question={skillTexts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {skillTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}

const texts = skillTexts.export;

/** Exports the Skill as an archive of its folder. Unpacked, it can be imported. */
function ExportSkill({ id, name }: { id: string; name: string }): ReactNode {
  const save = useMutation({
    mutationFn: async () => {
      const { files } = await answer(api.GET('/api/v1/skills/{id}/export', { params: { path: { id } } }));
      const folder = folderOf(name);
      saveFile(`${folder}.zip`, zip(files.map(({ path, content }) => ({ path: `${folder}/${path}`, content }))));
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={15} aria-hidden />}
        title={texts.hint}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {texts.action}
      </Button>
      <ProblemAlert error={save.error} />
    </>
  );
}

/** A name that every file system accepts. */
const folderOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'skill';

// The tabs themselves stay open to readers without the scope.
const editable = (fields: ReactNode): ReactNode => <Editable scope="tools:write">{fields}</Editable>;

/** Everything of a Skill, in tabs with one draft over all of them. */
function SkillEditor({ skill, etag }: { skill: Schema<'SkillDetail'>; etag: string | null }): ReactNode {
  const { tab = 'knowledge' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/skills/$skillId' });
  const readOnly = !useScope('tools:write');
  const editor = useEditor({
    saved: valuesOf(skill),
    etag,
    touched: ['skills', 'agents', 'tools'],
    announce: uiTexts.saved,
    save: ({ change: body }, match) =>
      answer(
        api.PATCH('/api/v1/skills/{id}', {
          params: { path: { id: skill.id }, header: { 'If-Match': match } },
          body,
        }),
      ),
  });
  const part = { value: editor.value, onChange: editor.set, error: editor.error, readOnly };
  const { tabs } = skillTexts;
  return (
    <>
      {skill.warnings.map(({ credential, message }) => (
        <Alert key={credential} variant="light" color="yellow" icon={<TriangleAlert size={18} aria-hidden />} mb="md">
          {message}
        </Alert>
      ))}
      <UrlTabs
        label={skill.name}
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          { value: 'knowledge', label: tabs.knowledge, content: editable(<SkillKnowledge {...part} />) },
          { value: 'tools', label: tabs.tools, content: editable(<SkillTools {...part} leftOut={skill.left_out} />) },
          { value: 'credentials', label: tabs.credentials, content: editable(<SkillCredentials {...part} />) },
          { value: 'effect', label: tabs.effect, content: <SkillEffect skill={skill} /> },
          { value: 'versions', label: tabs.versions, content: <SkillVersions skill={skill} /> },
        ]}
      />
      <ProblemAlert error={errorBeside(editor.error, skillFields)} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={skillTexts.title} {...editor.conflict} />
    </>
  );
}
