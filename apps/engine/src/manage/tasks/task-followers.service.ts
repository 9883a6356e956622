import { bySetting, limitReached, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { isEnded, type TaskRecord, TaskRepository } from './task.repository.js';

/** Somebody who is informed when a task changes. */
interface Follower {
  projectId: string;
  /** As it was found last; null: it is no longer kept. */
  found: TaskRecord | null;
  wake: () => void;
}

const interrupted = (task: TaskRecord): boolean => isEnded(task) || task.status === 'input_required';

/** The tasks that callers of this process wait for or follow: one query looks at all of them, whichever process runs them. */
@Injectable()
export class TaskFollowers implements OnModuleDestroy {
  private readonly logger = new Logger('task-followers');
  private readonly followers = new Set<Follower>();
  private timer: NodeJS.Timeout | undefined;
  private looking = false;
  private isClosed = false;

  constructor(
    private readonly tasks: TaskRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws Problem 503 or 429 `too_many_followers` */
  requireRoom(projectId: string): void {
    const full = this.fullFor(projectId);
    if (full) throw full;
  }

  private fullFor(projectId: string): Problem | null {
    const { TASK_FOLLOWERS: most, TASK_FOLLOWERS_PER_PROJECT: mostOfProject } = this.settings;
    if (this.followers.size >= most) {
      const words = 'As many tasks are followed here as may be: ask for the task instead, or try again later.';
      return new Problem(503, 'too_many_followers', words, [], { 'retry-after': '10' });
    }
    const ofProject = [...this.followers].filter((each) => each.projectId === projectId).length;
    if (ofProject < mostOfProject) return null;
    const name = 'TASK_FOLLOWERS_PER_PROJECT';
    const limit = { name, of: 'project', value: mostOfProject, raise: bySetting(name, 'engine') } as const;
    return limitReached('too_many_followers', 'The project follows too many tasks at a time', limit, 10);
  }

  /** The task as it changes, beginning with what the caller has, until it has ended, the signal aborts, or we shut down. */
  async *follow(task: TaskRecord, signal: AbortSignal): AsyncGenerator<TaskRecord, void, undefined> {
    yield task;
    if (isEnded(task)) return;
    const follower: Follower = { projectId: task.project_id, found: task, wake: () => undefined };
    const leave = (): void => follower.wake();
    signal.addEventListener('abort', leave);
    this.followers.add(follower);
    this.lookSoon();
    try {
      for (let shown = task; !signal.aborted && !this.isClosed;) {
        const { found } = follower;
        if (found === null) return;
        if (found === shown) {
          await new Promise<void>((resolve) => (follower.wake = resolve));
          continue;
        }
        shown = found;
        yield found;
        if (isEnded(found)) return;
      }
    } finally {
      this.followers.delete(follower);
      signal.removeEventListener('abort', leave);
    }
  }

  /**
   * The task once it has ended or waits for a person, or as it is after `TASK_WAIT_MS`. Where as many are followed as may
   * be, as it is at once: an error would not name the task, and whoever got it would ask for the same work again.
   */
  async settled(task: TaskRecord, signal: AbortSignal): Promise<TaskRecord> {
    if (interrupted(task) || this.fullFor(task.project_id)) return task;
    const until = AbortSignal.any([signal, AbortSignal.timeout(this.settings.TASK_WAIT_MS)]);
    let last = task;
    for await (const found of this.follow(task, until)) {
      last = found;
      if (interrupted(found)) break;
    }
    return last;
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const { wake } of this.followers) wake();
  }

  private lookSoon(): void {
    if (this.timer !== undefined || this.looking || this.isClosed) return;
    this.timer = setTimeout(() => void this.look(), this.settings.TASK_LOOK_MS);
  }

  private async look(): Promise<void> {
    this.timer = undefined;
    if (this.followers.size === 0) return;
    const asked = [...this.followers];
    this.looking = true;
    try {
      const rows = await this.tasks.byIds([...new Set(asked.flatMap(({ found }) => found?.id ?? []))]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const follower of asked) show(follower, byId.get(follower.found?.id ?? '') ?? null);
    } catch (error) {
      this.logger.warn({ event: 'tasks.not_read', reason: String(error) });
    } finally {
      this.looking = false;
      this.lookSoon();
    }
  }
}

function show(follower: Follower, row: TaskRecord | null): void {
  const { found } = follower;
  if (row && found && row.status === found.status && row.preview === found.preview && row.reason === found.reason)
    return;
  follower.found = row;
  follower.wake();
}
