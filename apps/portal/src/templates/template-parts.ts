import { builtinTools, type ToolGrade } from '#libs/contracts';
import { holds, type Principal } from '#libs/service-kit';
import { randomBytes } from 'node:crypto';
import type { CallerApi } from './project-services.js';
import type { Template } from './template.js';

export const partKinds = ['tool', 'skill', 'agent', 'credential', 'app', 'channel', 'workflow', 'trigger'] as const;
export type PartKind = (typeof partKinds)[number];

/** Ids of what is there, by part. A tool is `tool <name>`; of all other kinds a template has one. */
export type Found = Map<string, string>;

/** One thing that a template makes: how it is recognised in a project, and the request that makes it. */
export interface Part {
  kind: PartKind;
  /** Unique in its template. */
  key: string;
  name: string;
  does: string;
  /** Tools that it is, or gives to an agent, each with what a call can do at most. */
  tools: { name: string; grade: ToolGrade }[];
  /** Its id, or null while it is missing. @param found the parts before it */
  look(api: CallerApi, found: Found): Promise<string | null>;
  /** @returns its id @throws Problem as the service that owns it answers */
  make(api: CallerApi, found: Found, caller: Principal): Promise<string>;
}

interface Named {
  id: string;
  name: string;
}

const secretBytes = 32;

/**
 * The parts of a template, each after those that it needs. They are recognised by their names, so that a template needs
 * no memory of what it made: whatever ended an application, the next one goes on from what is there. The rows of the
 * services that own them are the truth.
 */
export function partsOf(template: Template): Part[] {
  const { skill, agent, app, channel, workflow } = template;
  const builtin = agent.tools.map((name) => ({ name, grade: gradeOf(name) }));
  const python = template.tools.map(({ name, grade }) => ({ name, grade }));
  return [
    ...template.tools.map((tool): Part => ({
      kind: 'tool',
      key: `tool ${tool.name}`,
      name: tool.name,
      does: tool.does,
      tools: [{ name: tool.name, grade: tool.grade }],
      look: (api) => idOf(api.find<Named>(`tools?source=python&search=${tool.name}`, ({ name }) => name === tool.name)),
      make: async (api) => (await api.post<Named>('tools', { source: tool.source })).id,
    })),
    {
      kind: 'skill',
      key: 'skill',
      name: skill.name,
      does: skill.description,
      tools: python,
      look: (api) => idOf(api.find<Named & { slug: string }>('skills', ({ slug }) => slug === skill.slug)),
      make: async (api, found) => {
        const tools = template.tools.map(({ name }) => ({ tool: idIn(found, `tool ${name}`) }));
        return (await api.post<Named>('skills', { ...skill, tools })).id;
      },
    },
    {
      kind: 'agent',
      key: 'agent',
      name: agent.name,
      does: agent.does,
      tools: [...python, ...builtin],
      look: (api) => idOf(api.find<Named>(searched('agents', agent.name), ({ name }) => name === agent.name)),
      make: async (api, found, caller) => {
        const { name, instructions, tools } = agent;
        const approvers = agent.asks && mayApprove(caller) ? [caller.subject] : [];
        const body = { name, instructions, tools, skills: [idIn(found, 'skill')], approvers };
        return (await api.post<Named>('agents', body)).id;
      },
    },
    {
      kind: 'credential',
      key: 'credential',
      name: secretName(template),
      does: `The secret that messages of ${app.name} are signed with`,
      tools: [],
      look: (api) => idOf(api.find<Named>('credentials', ({ name }) => name === secretName(template))),
      make: async (api) => {
        const secret = randomBytes(secretBytes).toString('hex');
        const body = {
          name: secretName(template),
          type: 'text',
          declared_fields: [{ name: 'signing_secret', label: 'Signing secret', list: true }],
          fields: { signing_secret: [secret] },
        };
        return (await api.post<Named>('credentials', body)).id;
      },
    },
    {
      kind: 'app',
      key: 'app',
      name: app.name,
      does: app.does,
      tools: [],
      look: (api) =>
        idOf(
          api.find<Named & { kind: string; state: string }>(
            'apps',
            ({ name, kind, state }) => name === app.name && kind === 'builtin' && state !== 'retired',
          ),
        ),
      make: async (api, found) => {
        const body = {
          name: app.name,
          kind: 'builtin',
          signature: { scheme: 'hmac', header: app.header },
          credentials: { SIGNING_SECRET: idIn(found, 'credential') },
          ...(app.reading && { reading: app.reading }),
        };
        return (await api.post<Named>('apps', body)).id;
      },
    },
    {
      kind: 'channel',
      key: 'channel',
      name: `Channel of ${app.name}`,
      does: channel.does,
      tools: [],
      look: async (api, found) => {
        const appId = found.get('app');
        if (appId === undefined) return null;
        const { updated_at: setAt } = await api.get<{ updated_at: string | null }>(`channels/${appId}`);
        return setAt === null ? null : appId;
      },
      make: async (api, found) => {
        const appId = idIn(found, 'app');
        const body =
          channel.to === 'agent'
            ? { route_policy: 'chief_of_staff', agent_id: idIn(found, 'agent') }
            : { route_policy: 'triggers' };
        await api.patch(`channels/${appId}`, body);
        return appId;
      },
    },
    ...(workflow ? rulesOf(workflow) : []),
  ];
}

/** The workflow of a template and its trigger. */
function rulesOf({ trigger, ...workflow }: NonNullable<Template['workflow']>): Part[] {
  return [
    {
      kind: 'workflow',
      key: 'workflow',
      name: workflow.name,
      does: workflow.does,
      tools: [],
      look: async (api) => {
        const { data } = await api.get<{ data: { id: number; name: string }[] }>('workflows');
        const made = data.find(({ name }) => name === workflow.name);
        return made ? String(made.id) : null;
      },
      make: async (api, found) => {
        const { name, instructions, steps } = workflow;
        const body = { name, instructions, steps, agent_id: idIn(found, 'agent') };
        return String((await api.post<{ id: number }>('workflows', body)).id);
      },
    },
    {
      kind: 'trigger',
      key: 'trigger',
      name: `Trigger of ${workflow.name}`,
      does: trigger.does,
      tools: [],
      look: async (api, found) => {
        const { data } = await api.get<{ data: { id: string; app_id: string; workflow_id: number }[] }>('triggers');
        const between = ({ app_id: app, workflow_id: to }: { app_id: string; workflow_id: number }): boolean =>
          app === found.get('app') && String(to) === found.get('workflow');
        return data.find(between)?.id ?? null;
      },
      make: async (api, found) => {
        const { event_types, where } = trigger;
        const ends = { app_id: idIn(found, 'app'), workflow_id: Number(idIn(found, 'workflow')) };
        return (await api.post<Named>('triggers', { ...ends, event_types, ...(where && { where }) })).id;
      },
    },
  ];
}

const secretName = ({ app }: Template): string => `Signing secret of ${app.name}`;

const searched = (list: string, name: string): string => `${list}?search=${encodeURIComponent(name)}`;

const idOf = async (row: Promise<Named | null>): Promise<string | null> => (await row)?.id ?? null;

function idIn(found: Found, key: string): string {
  const id = found.get(key);
  if (id === undefined) throw new Error(`${key} has to be made first`);
  return id;
}

function gradeOf(name: string): ToolGrade {
  const tool = builtinTools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no built-in tool ${name}`);
  return tool.grade;
}

/** Whoever may name approvers, and is a person or a key: the owner's key of the installation is neither. */
const mayApprove = ({ scopes, subject }: Principal): boolean =>
  holds(scopes, 'approvals:manage') && /^(key|user):/.test(subject);
