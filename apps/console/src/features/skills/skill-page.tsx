import { Badge, Button, Skeleton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { skillTexts } from '../../texts/skills.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SkillEditor } from './skill-editor.js';
import { useRefresh } from '../../api/use-change.js';
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
