import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState as A2AState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { wordsOf } from '../tasks/agent-tasks.service.js';
import { isEnded, type TaskFile, type TaskRecord, type TaskState } from '../tasks/task.repository.js';

export const stateOf: Readonly<Record<TaskState, A2AState>> = {
  submitted: A2AState.TASK_STATE_SUBMITTED,
  working: A2AState.TASK_STATE_WORKING,
  input_required: A2AState.TASK_STATE_INPUT_REQUIRED,
  completed: A2AState.TASK_STATE_COMPLETED,
  failed: A2AState.TASK_STATE_FAILED,
  canceled: A2AState.TASK_STATE_CANCELED,
  rejected: A2AState.TASK_STATE_REJECTED,
};

const answerId = 'answer';

/**
 * A task as A2A 1.0 shows it.
 * @param historyLength as asked; absent: all, which is the caller's own message
 * @param files of its answer, where they are shown
 */
export function taskView(task: TaskRecord, historyLength?: number, files: TaskFile[] = []): Task {
  return {
    id: task.id,
    contextId: task.context_id,
    status: statusView(task),
    artifacts: task.answer === null || task.answer === '' ? [] : [artifactOf(task.answer), ...files.map(fileArtifact)],
    history: historyLength === 0 || task.asked === null ? [] : [askedView(task, task.asked)],
    metadata: { gatehouse_event: task.receipt_id },
  };
}

function statusView(task: TaskRecord): TaskStatus {
  const words = wordsOf(task);
  return {
    state: stateOf[task.status],
    message: words === null ? undefined : messageOf(task, `${task.id}-${task.status}`, Role.ROLE_AGENT, words),
    timestamp: task.changed_at.toISOString(),
  };
}

function askedView(task: TaskRecord, text: string): Message {
  return messageOf(task, task.message_id, Role.ROLE_USER, text);
}

function messageOf({ id, context_id }: TaskRecord, messageId: string, role: Role, text: string): Message {
  const none = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return { messageId, contextId: context_id, taskId: id, role, parts: [partOf(text)], ...none };
}

function partOf(text: string): Part {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/markdown' };
}

function artifactOf(text: string): Artifact {
  return {
    artifactId: answerId,
    name: answerId,
    description: '',
    parts: [partOf(text)],
    metadata: undefined,
    extensions: [],
  };
}

function fileArtifact({ seq, name, content_type: mediaType, content }: TaskFile): Artifact {
  const part: Part = { content: { $case: 'raw', value: content }, metadata: undefined, filename: name, mediaType };
  return { ...artifactOf(''), artifactId: `file-${seq}`, name, parts: [part] };
}

/**
 * What a stream says of a task that has changed. While the answer is written, what is new is appended; where an earlier
 * part is written anew, by another step or another try, the whole replaces it.
 * @param before as the stream has shown it; null: not yet
 * @param files of its answer
 */
export function updatesOf(before: TaskRecord | null, task: TaskRecord, files: TaskFile[]): StreamResponse[] {
  if (before === null) return [{ payload: { $case: 'task', value: taskView(task, undefined, files) } }];
  const updates: StreamResponse[] = [];
  const [shown, text] = [before.preview ?? '', isEnded(task) ? (task.answer ?? '') : (task.preview ?? '')];
  if (isEnded(task) ? text !== '' : text !== '' && text !== shown) {
    const append = !isEnded(task) && shown !== '' && text.startsWith(shown);
    const artifact = artifactOf(append ? text.slice(shown.length) : text);
    const value = { ...whose(task), artifact, append, lastChunk: isEnded(task), metadata: undefined };
    updates.push({ payload: { $case: 'artifactUpdate', value } });
  }
  for (const artifact of files.map(fileArtifact)) {
    const value = { ...whose(task), artifact, append: false, lastChunk: true, metadata: undefined };
    updates.push({ payload: { $case: 'artifactUpdate', value } });
  }
  if (task.status !== before.status) {
    const value = { ...whose(task), status: statusView(task), metadata: undefined };
    updates.push({ payload: { $case: 'statusUpdate', value } });
  }
  return updates;
}

const whose = ({ id, context_id }: TaskRecord) => ({ taskId: id, contextId: context_id });
