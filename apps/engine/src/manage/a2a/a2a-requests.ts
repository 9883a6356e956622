import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import type { Principal } from '#libs/service-kit';
import type { Asked, AgentTasks } from '../tasks/agent-tasks.service.js';
import type { TaskFollowers } from '../tasks/task-followers.service.js';
import type { TaskPushRepository } from '../tasks/task-push.repository.js';
import { isEnded, type TaskRecord, type TaskRepository } from '../tasks/task.repository.js';
import { asA2A } from './a2a-errors.js';
import { stateOf, taskView, updatesOf } from './a2a-views.js';
import { askedText } from './asked-text.js';
import type { SealedSecrets } from './push-secrets.js';
import { readTarget, targetView } from './push-targets.js';

type A2ARequestHandler = ConstructorParameters<typeof JsonRpcTransportHandler>[0];

export interface A2AParts {
  tasks: AgentTasks;
  rows: TaskRepository;
  followers: TaskFollowers;
  pushes: TaskPushRepository;
  secrets: SealedSecrets;
  /** Of one task. */
  pushesAtMost: number;
}

const maxIdChars = 200;
const [defaultPage, maxPage] = [50, 100];

/** What one caller asks one agent over A2A 1.0. The SDK reads and writes the protocol; tasks are turns, and stay with us. */
export class A2ARequests implements A2ARequestHandler {
  constructor(
    private readonly parts: A2AParts,
    private readonly caller: Principal,
    private readonly agentId: string,
    private readonly card: AgentCard,
    /** Aborts when the client leaves. */
    private readonly gone: AbortSignal,
  ) {}

  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(this.card);
  }

  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return Promise.reject(new ExtendedAgentCardNotConfiguredError());
  }

  sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    return asA2A(async () => {
      const task = await this.ask(message, configuration);
      const wait = configuration?.returnImmediately !== true;
      const shown = wait ? await this.parts.followers.settled(task, this.gone) : task;
      return taskView(shown, configuration?.historyLength, await this.parts.rows.filesOf(shown));
    });
  }

  async *sendMessageStream({
    message,
    configuration,
  }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const task = await asA2A(async () => {
      this.parts.followers.requireRoom(this.caller.projectId);
      return this.ask(message, configuration);
    });
    yield* this.updates(task);
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const task = await asA2A(async () => {
      const found = await this.mine(id);
      if (isEnded(found))
        throw new UnsupportedOperationError(`The task has ended: it is ${found.status}. Get it instead.`);
      this.parts.followers.requireRoom(this.caller.projectId);
      return found;
    });
    yield* this.updates(task);
  }

  getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return asA2A(async () => {
      const task = await this.mine(id);
      return taskView(task, historyLength, await this.parts.rows.filesOf(task));
    });
  }

  listTasks(asked: ListTasksRequest): Promise<ListTasksResponse> {
    return asA2A(async () => {
      const size = asked.pageSize ?? defaultPage;
      if (size < 1 || size > maxPage) throw new RequestMalformedError(`pageSize is from 1 to ${maxPage}.`);
      const { tasks, total } = await this.parts.rows.list(this.caller, filterOf(this.agentId, asked), size + 1);
      const page = tasks.slice(0, size).map((task) => taskView(task, asked.historyLength));
      return {
        tasks: asked.includeArtifacts ? page : page.map((task) => ({ ...task, artifacts: [] })),
        nextPageToken: tasks.length > size ? (page.at(-1)?.id ?? '') : '',
        pageSize: page.length,
        totalSize: total,
      };
    });
  }

  cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return asA2A(async () => {
      await this.mine(id);
      return taskView(await this.parts.tasks.cancel(this.caller, id));
    });
  }

  createTaskPushNotificationConfig(asked: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return asA2A(async () => this.push((await this.mine(asked.taskId)).id, asked));
  }

  getTaskPushNotificationConfig({
    taskId,
    id,
  }: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return asA2A(async () => {
      const found = (await this.parts.pushes.of((await this.mine(taskId)).id)).find(({ name }) => name === id);
      if (!found) throw new RequestMalformedError(`The task has no push notification configuration ${id}.`);
      return targetView(found);
    });
  }

  listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return asA2A(async () => {
      const configs = await this.parts.pushes.of((await this.mine(taskId)).id);
      return { configs: configs.map(targetView), nextPageToken: '' };
    });
  }

  deleteTaskPushNotificationConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return asA2A(async () => this.parts.pushes.remove((await this.mine(taskId)).id, id));
  }

  private async push(taskId: string, asked: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const { name, url, secrets } = readTarget(asked, 'default');
    const target = { task_id: taskId, name, url, secrets: await this.parts.secrets.seal(secrets) };
    if (await this.parts.pushes.put(target, this.parts.pushesAtMost)) return targetView(target);
    throw new RequestMalformedError(`A task has at most ${this.parts.pushesAtMost} of them (TASK_PUSHES): delete one.`);
  }

  private async ask(message: Message | undefined, how: SendMessageRequest['configuration']): Promise<TaskRecord> {
    if (!message) throw new RequestMalformedError('message is missing.');
    if (message.taskId !== '') {
      const { status } = await this.mine(message.taskId);
      throw new UnsupportedOperationError(
        `The task is ${status}, and takes no further message: send a new one in its context, without taskId.`,
      );
    }
    const config = how?.taskPushNotificationConfig;
    // Before anything begins: what cannot be sent there is refused, not the task half made.
    if (config) readTarget(config, 'default');
    const task = await this.parts.tasks.ask(this.caller, askedOf(this.agentId, message));
    if (config) await this.push(task.id, config);
    return task;
  }

  /** @throws Problem 404, also for a task of another agent */
  private async mine(id: string): Promise<TaskRecord> {
    const task = await this.parts.tasks.get(this.caller, id);
    return task.agent_id === this.agentId ? task : this.parts.tasks.get(this.caller, '');
  }

  private async *updates(task: TaskRecord): AsyncGenerator<StreamResponse, void, undefined> {
    let shown: TaskRecord | null = null;
    for await (const found of this.parts.followers.follow(task, this.gone)) {
      yield* updatesOf(shown, found, await this.parts.rows.filesOf(found));
      shown = found;
    }
  }
}

function askedOf(agentId: string, message: Message): Asked {
  const { messageId, contextId } = message;
  if (messageId === '')
    throw new RequestMalformedError('message.messageId is missing: make a new one for each message.');
  for (const [field, value] of Object.entries({ messageId, contextId })) {
    if (value.length > maxIdChars)
      throw new RequestMalformedError(`message.${field} has over ${maxIdChars} characters.`);
  }
  const text = askedText(message);
  return { agentId, text, messageId, contextId: contextId === '' ? null : contextId, protocol: 'a2a' };
}

function filterOf(agentId: string, { contextId, status, statusTimestampAfter, pageToken }: ListTasksRequest) {
  const changedSince = statusTimestampAfter ? new Date(statusTimestampAfter) : null;
  if (changedSince && Number.isNaN(changedSince.getTime())) {
    throw new RequestMalformedError('statusTimestampAfter is no time: write it as RFC 3339 says.');
  }
  // Unspecified is 0. One that no task can have finds none.
  const named = Object.entries(stateOf).find(([, state]) => state === status)?.[0] ?? '';
  return {
    agentId,
    contextId: contextId === '' ? null : contextId,
    status: (status === 0 ? null : named) as TaskRecord['status'] | null,
    changedSince,
    before: pageToken === '' ? null : pageToken,
  };
}
