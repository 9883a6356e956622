import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { newId } from '#libs/contracts';
import { type Principal, Problem } from '#libs/service-kit';
import type { PublishedAgent } from '../publications/publication.repository.js';
import { type AgentTasks, wordsOf } from '../tasks/agent-tasks.service.js';
import type { TaskFollowers } from '../tasks/task-followers.service.js';
import { isEnded, type TaskFile, type TaskRecord, type TaskRepository } from '../tasks/task.repository.js';

export interface AskParts {
  tasks: AgentTasks;
  followers: TaskFollowers;
  rows: TaskRepository;
}

interface Question {
  text: string;
  conversation?: string;
  request_id?: string;
}

const id = (description: string) => ({ type: 'string' as const, minLength: 1, maxLength: 200, description });

const question = fromJsonSchema<Question>({
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, description: 'What the agent is asked, in words' },
    conversation: id('Of an earlier answer, to go on with it. Absent: a new conversation'),
    request_id: id('Your own name for this question: asked again with the same one, it is answered once'),
  },
  required: ['text'],
  additionalProperties: false,
});

const whichTask = fromJsonSchema<{ task: string }>({
  type: 'object',
  properties: { task: id('Of an answer that was not ready') },
  required: ['task'],
  additionalProperties: false,
});

/** The published agents of a project as tools of an MCP server, for one caller. */
export function askServer(parts: AskParts, caller: Principal, agents: PublishedAgent[], gone: AbortSignal): McpServer {
  const info = { name: 'gatehouse', title: 'Gatehouse', version: '1.0.0' };
  // Nothing tells of a changed list here, so a client that listens for one is answered at once, not by an endless stream.
  const server = new McpServer(info, { capabilities: { tools: { listChanged: false } }, instructions });
  for (const { agent_id: agentId, agent_name: title, name, description, may_do: mayDo } of agents) {
    const hints = { readOnlyHint: mayDo === 'read', destructiveHint: mayDo === 'destructive' };
    const annotations = { title, ...hints, idempotentHint: false, openWorldHint: true };
    server.registerTool(`ask_${name}`, { title, description, inputSchema: question, annotations }, (asked) =>
      answering(parts.rows, async () => {
        const task = await parts.tasks.ask(caller, {
          agentId,
          text: asked.text,
          messageId: asked.request_id ?? newId('msg'),
          contextId: asked.conversation ?? null,
          protocol: 'mcp',
        });
        return parts.followers.settled(task, gone);
      }),
    );
  }
  const annotations = { title: 'Get an answer', readOnlyHint: true, openWorldHint: false };
  const config = { title: 'Get an answer', description: gets, inputSchema: whichTask, annotations };
  server.registerTool('get_answer', config, ({ task }) =>
    answering(parts.rows, async () => parts.followers.settled(await parts.tasks.get(caller, task), gone)),
  );
  return server;
}

const instructions =
  'Each tool ask_… puts a question to an agent, which may take minutes or wait for a person. An answer that is not ready ' +
  'names its task: call get_answer with it later instead of asking again.';
const gets = 'Waits a while for the answer of an agent that was asked before, and gives it.';

async function answering(rows: TaskRepository, act: () => Promise<TaskRecord>): Promise<CallToolResult> {
  try {
    const task = await act();
    return resultOf(task, await rows.filesOf(task));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { content: [{ type: 'text', text: error.detail }], isError: true };
  }
}

function resultOf(task: TaskRecord, files: TaskFile[]): CallToolResult {
  const structuredContent = { task: task.id, conversation: task.context_id, status: task.status };
  const text = task.status === 'completed' ? (task.answer ?? '') : waitingOf(task);
  const isError = isEnded(task) && task.status !== 'completed';
  const content = [{ type: 'text' as const, text }, ...files.map((file) => embedded(task, file))];
  return { content, structuredContent, ...(isError ? { isError } : {}) };
}

/** A file as MCP embeds one: its bytes, as the server has no resources to read. */
function embedded({ id: task }: TaskRecord, { seq, name, content_type: mimeType, content }: TaskFile) {
  const uri = `gatehouse://tasks/${task}/files/${seq}/${encodeURIComponent(name)}`;
  return { type: 'resource' as const, resource: { uri, mimeType, blob: content.toString('base64') } };
}

function waitingOf(task: TaskRecord): string {
  const words = wordsOf(task) ?? 'The agent is still at it.';
  return isEnded(task) ? words : `${words} Call get_answer with the task ${task.id} later.`;
}
