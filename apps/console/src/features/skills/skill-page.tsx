import { Badge, Skeleton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answerWithEtag, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { skillTexts } from '../../texts/skills.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { DeleteSkill } from './delete-skill.js';
import { ExportSkill } from './export-skill.js';
import { SkillEditor } from './skill-editor.js';

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
