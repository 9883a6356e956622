import { Group, Text } from '@mantine/core';
import {
  Blocks,
  Bot,
  Filter,
  GraduationCap,
  KeyRound,
  type LucideIcon,
  MessagesSquare,
  Workflow,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { templateTexts as texts } from '../../texts/templates.js';
import { ProjectLink } from '../../ui/links.js';
import { Section } from '../../ui/page.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { GradeBadge, StatusBadge } from '../../ui/status-badge.js';

type Part = Schema<'TemplatePartView'>;

const kinds: Readonly<Record<Part['kind'], { icon: LucideIcon; folder: string }>> = {
  tool: { icon: Wrench, folder: '/tools' },
  skill: { icon: GraduationCap, folder: '/skills' },
  agent: { icon: Bot, folder: '/agents' },
  credential: { icon: KeyRound, folder: '/credentials' },
  app: { icon: Blocks, folder: '/integrations' },
  channel: { icon: MessagesSquare, folder: '/integrations' },
  workflow: { icon: Workflow, folder: '/workflows' },
  trigger: { icon: Filter, folder: '/workflows' },
};

/** Each thing that a template makes, with whether it is there. */
export function TemplateParts({ template: { parts } }: { template: Schema<'TemplateView'> }): ReactNode {
  return (
    <Section title={texts.parts} flush>
      <RowList>
        {parts.map((part) => (
          <ListRow key={`${part.kind} ${part.name}`}>
            <TemplatePart
              part={part}
              workflowId={parts.find(({ kind }) => kind === 'workflow')?.id ?? null}
              // In a plain preview everything is missing, which says nothing.
              showsState={parts.some(({ state }) => state !== 'missing')}
            />
          </ListRow>
        ))}
      </RowList>
    </Section>
  );
}

interface PartProps {
  part: Part;
  workflowId: string | null;
  showsState: boolean;
}

function TemplatePart({ part, workflowId, showsState }: PartProps): ReactNode {
  const { kind, name, does, tools, state, problem } = part;
  const { icon: Icon, folder } = kinds[kind];
  // A trigger stands on the page of its workflow.
  const id = kind === 'trigger' && part.id !== null ? workflowId : part.id;
  return (
    <>
      <Icon size={16} aria-hidden style={{ alignSelf: 'flex-start', marginTop: 4, flexShrink: 0 }} />
      <div style={{ flex: 1, minWidth: 200 }}>
        <Group gap="0 8px">
          {id === null ? (
            <Text fw={500}>{name}</Text>
          ) : (
            <ProjectLink path={`${folder}/${id}` as `/${string}`}>{name}</ProjectLink>
          )}
          <Text size="sm" c="dimmed">
            {texts.kinds[kind]}
          </Text>
        </Group>
        <Text size="sm" c={problem ? undefined : 'dimmed'}>
          {problem ? problem.detail : does}
        </Text>
        {kind === 'agent' && <Tools tools={tools} />}
      </div>
      <Group gap="xs">
        {kind === 'tool' && tools.map(({ grade }) => <GradeBadge key={grade} grade={grade} />)}
        {showsState && (
          <StatusBadge
            status={state}
            label={texts.states[state]}
            tone={state === 'missing' ? 'quiet' : state === 'failed' ? 'bad' : 'good'}
          />
        )}
      </Group>
    </>
  );
}

/** What its agent may do, tool by tool. */
function Tools({ tools }: { tools: Part['tools'] }): ReactNode {
  return (
    <Group gap="xs" mt={4}>
      {tools.map(({ name, grade }) => (
        <Group gap={4} key={name}>
          <Text size="sm" ff="monospace">
            {name}
          </Text>
          <GradeBadge grade={grade} />
        </Group>
      ))}
    </Group>
  );
}
